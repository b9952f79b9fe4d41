"""SCIP indexes as evidence: what a real indexer found out decides, where it still holds, and nowhere else."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.core.types.graph import Use
from support.command import run
from support.repository import Repository
from support.scip_project import INDEX, SHOP, SOURCES, WRITTEN_S, write_index, write_shop

WITHOUT = {"graph.scip": ""}


@pytest.fixture
def shop(repository: Repository) -> Repository:
    write_shop(repository.root)
    return repository


@pytest.fixture
def workspace(shop: Repository) -> Iterator[Workspace]:
    with Workspace.open(shop.root) as opened:
        yield opened


def _edges(root: Path, **settings: str) -> dict[str, tuple[Use, ...]]:
    """Every use in every file, as a process finds them that opens the workspace now."""
    named = {key.replace("_", "."): value for key, value in settings.items()}
    with Workspace.open(root, settings=named) as workspace:
        workspace.index()
        return {path: workspace.graph.edges(path) for path in SOURCES}


def _without(root: Path) -> dict[str, tuple[Use, ...]]:
    return _edges(root, graph_scip="")


def _from_nothing(root: Path, folder: Path) -> dict[str, tuple[Use, ...]]:
    """The same of a copy that was never indexed."""
    fresh = folder / "fresh"
    shutil.copytree(root, fresh, ignore=shutil.ignore_patterns(".codecairn"))
    return _edges(fresh)


def _of(uses: tuple[Use, ...], name: str) -> list[tuple[int, str, str, tuple[str, ...]]]:
    return [
        (use.line, use.kind, use.how, tuple(target.title for target in use.targets))
        for use in uses
        if use.name == name and use.kind != "import"
    ]


def test_index_tells_what_no_reader_of_names_could(shop: Repository) -> None:
    found, without = _edges(shop.root)["src/till.ts"], _without(shop.root)["src/till.ts"]
    label = ("src/goods.ts::Book.label",)
    assert _of(found, "label") == [(16, "method_call", "scip", label)]
    assert not any(use.is_resolved for use in without if use.name == "label")
    assert _of(found, "plus") == [(18, "method_call", "scip", ("src/price.ts::Money.plus",))]


def test_constructor_leads_to_its_type_under_whatever_name(shop: Repository) -> None:
    uses = _edges(shop.root)
    money = ("src/price.ts::Money",)
    assert (18, "construct", "scip", money) in _of(uses["src/till.ts"], "Amount")
    assert (26, "construct", "scip", ("src/goods.ts::Book",)) in _of(uses["src/goods.ts"], "Book")


def test_callers_are_found_under_other_names_too(workspace: Workspace) -> None:
    found = workspace.graph.callers("total", kinds=["call"])
    assert [(use.path, use.line, use.name, use.how) for use in found] == [
        ("src/till.ts", 17, "sumOf", "scip")
    ]
    assert found.uses[0].confidence == pytest.approx(0.99)
    made = workspace.graph.callers("Money", kinds=["construct"])
    assert ("src/till.ts", 18, "Amount") in [(use.path, use.line, use.name) for use in made]


def test_whole_graph_agrees_with_its_files(workspace: Workspace) -> None:
    way = workspace.graph.path("checkOut", "Book.label")
    assert [hop.definition.name for hop in way.hops] == ["checkOut", "label"]


def test_bases_and_imports_are_decided_too(shop: Repository) -> None:
    uses = _edges(shop.root)
    found = {(use.kind, use.name, use.how) for path in SOURCES for use in uses[path]}
    assert ("implement", "Priced", "scip") in found
    assert ("import", "Amount", "scip") in found
    assert ("reference", "Priced", "scip") in found


def test_what_the_index_does_not_define_lies_outside(shop: Repository) -> None:
    uses = _edges(shop.root)["src/till.ts"]
    for name in ("readFileSync", "trim", "log", "map"):
        assert {use.how for use in uses if use.name == name} == {"outside"}, name


def test_file_that_changed_since_is_left_to_our_own_means(shop: Repository) -> None:
    shop.write("src/goods.ts", (SHOP / "src/goods.ts").read_text().replace("-500", "-5_00"))
    found, without = _edges(shop.root), _without(shop.root)
    assert found["src/goods.ts"] == without["src/goods.ts"]
    assert _of(found["src/till.ts"], "label") == _of(without["src/till.ts"], "label")
    assert "scip" in {use.how for use in found["src/till.ts"]}
    with Workspace.open(shop.root) as workspace:
        evidence = workspace.graph.evidence()
    assert (evidence.files, evidence.changed, evidence.missing) == (3, 1, 0)


def test_newer_file_is_not_believed_though_every_name_stands_where_it_stood(
    shop: Repository,
) -> None:
    text = (SHOP / "src/till.ts").read_text()
    shop.write("src/other.ts", "export class Amount {}\nexport function shelf() {}\n")
    shop.write("src/till.ts", text.replace('"./index"', '"./other"'))
    assert "scip" not in {use.how for use in _edges(shop.root)["src/till.ts"]}


def test_older_file_is_not_believed_where_names_stand_elsewhere(shop: Repository) -> None:
    file = shop.write("src/till.ts", "// one\n" + (SHOP / "src/till.ts").read_text())
    os.utime(file, (WRITTEN_S, WRITTEN_S))
    assert "scip" not in {use.how for use in _edges(shop.root)["src/till.ts"]}


def test_index_that_comes_changes_or_goes_is_noticed(repository: Repository) -> None:
    write_shop(repository.root, with_index=False)
    with Workspace.open(repository.root) as workspace:
        workspace.index()

        def callers() -> list[str]:
            return [use.how for use in workspace.graph.callers("Book.label")]

        def reached() -> bool:
            return workspace.graph.path("checkOut", "Book.label").hops != ()

        assert (callers(), reached()) == ([], False)
        write_index(repository.root)
        assert (callers(), reached()) == (["scip"], True)
        write_index(repository.root, b"broken")
        assert (callers(), reached()) == ([], False)
        write_index(repository.root)
        assert (callers(), reached()) == (["scip"], True)
        (repository.root / INDEX).unlink()
        assert (callers(), reached()) == ([], False)
        assert workspace.graph.evidence().path == ""


def test_graph_is_the_same_however_it_came_about(shop: Repository, tmp_path: Path) -> None:
    goods = (SHOP / "src/goods.ts").read_text()
    with Workspace.open(shop.root) as workspace:
        for step, text in enumerate([goods, "\n" + goods, goods.replace("label", "title"), ""]):
            shop.write("src/goods.ts", text)
            workspace.index()
            left = {path: workspace.graph.edges(path) for path in SOURCES}
            assert left == _from_nothing(shop.root, tmp_path / str(step))


def test_index_in_a_folder_is_read_where_a_setting_says_so(repository: Repository) -> None:
    write_shop(repository.root, folder="web")
    with Workspace.open(repository.root, settings={"graph.scip": "web/index.scip"}) as workspace:
        found = workspace.graph.callers("Book.label")
        assert [(use.path, use.how) for use in found] == [("web/src/till.ts", "scip")]
        assert workspace.graph.evidence().files == 4


def test_other_branch_has_the_evidence_of_equal_files(shop: Repository) -> None:
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message=shop")
    shop.git("switch", "--quiet", "--create", "feature")
    changed = (SHOP / "src/goods.ts").read_text().replace('"voucher"', '"coupon"')
    shop.write("src/goods.ts", changed)
    shop.commit()
    shop.git("switch", "--quiet", "main")
    write_shop(shop.root)
    with Workspace.open(shop.root) as workspace:
        assert [use.how for use in workspace.graph.callers("Book.label")] == ["scip"]
        touched = workspace.graph.impact("feature").touched
        assert [symbol.qualified_name for symbol in touched] == ["Voucher.label"]


BROKEN = {
    "no index": b"{}",
    "empty": b"",
    "cut off": (SHOP / INDEX).read_bytes()[:-100],
    "endless": b"\x0a\x00\x12\xff\xff\xff\xff\x07" + b"\xff" * 1000,
}


@pytest.mark.parametrize("content", list(BROKEN.values()), ids=list(BROKEN))
def test_index_that_can_not_be_read_is_told_and_changes_no_answer(
    shop: Repository, content: bytes
) -> None:
    write_index(shop.root, content)
    assert _edges(shop.root) == _without(shop.root)
    told = run("status", cwd=shop.root)
    assert told.code == 0
    assert "index.scip` is damaged or no SCIP index" in told.out.replace("\n", " ")
    assert "rebuild it" in told.out.replace("\n", " ")


def test_status_tells_how_far_the_index_holds(shop: Repository) -> None:
    shop.write("src/goods.ts", "export {}\n")
    with Workspace.open(shop.root) as workspace:
        workspace.index()
        assert workspace.status().notes == (
            "SCIP index `index.scip` of scip-typescript 0.4.0 decides the names in 3 files, "
            "not in 1 file changed since it was made: create it again",
        )


def test_status_says_nothing_where_there_is_no_index(repository: Repository) -> None:
    write_shop(repository.root, with_index=False)
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        assert workspace.status().notes == ()
