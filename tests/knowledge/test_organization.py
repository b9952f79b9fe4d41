"""All repositories of a user searched as one."""

from pathlib import Path

import pytest

from codecairn import Organization, UsageError, Workspace
from codecairn.paths import user
from codecairn.workspace.organization import organization as module
from support.command import run
from support.repository import SMALL_PROJECT, Repository


def _indexed(root: Path, files: dict[str, str]) -> Repository:
    made = Repository.make(root)
    made.write_all(files)
    made.commit()
    with Workspace.open(root) as workspace:
        workspace.index()
    return made


@pytest.fixture
def repositories(tmp_path: Path) -> dict[str, Repository]:
    """A shop, an orchard and a harbour."""
    trees = {f"tree{n}.py": f'def pick_apples_{n}():\n    """Pick apples."""\n' for n in range(3)}
    ships = {f"ship{n}.go": f"package ship\n\n// Moor{n} moors a ship.\nfunc Moor{n}() {{}}\n" for n in range(3)}  # fmt: skip
    return {
        name: _indexed(tmp_path / name, dict(files))
        for name, files in (("shop", SMALL_PROJECT), ("orchard", trees), ("harbour", ships))
    }


def test_each_hit_names_its_repository(repositories: dict[str, Repository]) -> None:
    with Organization.open() as organization:
        apples = organization.search("pick apples")[0]
        assert apples.base == "orchard"
        assert Path(apples.path).parent == repositories["orchard"].root
        assert organization.search("verify token")[0].base == "shop"
        assert organization.define("Moor1")[0].base == "harbour"
        assert organization.peek("moors a ship")[0].base == "harbour"
        assert {hit.base for hit in organization.search("apples ship", limit=4)} == {
            "orchard",
            "harbour",
        }
        found = organization.search("apples ship", scopes=["harbour"])
        assert {hit.base for hit in found} == {"harbour"}
        with pytest.raises(UsageError, match="no repository 'attic'"):
            organization.search("apples", scopes=["attic"])


def test_scores_fall_and_explain_what_a_repository_gained(
    repositories: dict[str, Repository],
) -> None:
    with Organization.open() as organization:
        hits = organization.search("pick apples near a ship", explain=True).hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        assert hit.score == pytest.approx(sum(each.part for each in hit.contributions), abs=1e-3)
        assert hit.contributions[-1].feature == "repository"


def test_scores_of_fused_ranks_are_compared_as_they_are(
    repositories: dict[str, Repository],
) -> None:
    fused = {"ranking": "fusion", "search.refresh": False}
    alone = []
    for repository in repositories.values():
        with Workspace.open(repository.root, settings=fused) as workspace:
            alone += [hit.score for hit in workspace.search("pick apples near a ship")]
    with Organization.open(settings=fused) as organization:
        found = organization.search("pick apples near a ship", limit=len(alone))
    assert sorted(hit.score for hit in found) == sorted(alone)


def test_the_likeliest_are_searched_alone(
    repositories: dict[str, Repository], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_SEARCHED", 1)
    with Organization.open() as organization:
        for question, expected in (("pick apples", "orchard"), ("moors a ship", "harbour")):
            found = organization.search(question)
            assert {hit.base for hit in found} == {expected}
            assert found.notes == ("searched the 1 likeliest of 3 repositories",)
        assert len(organization._opened) == 2


def test_summaries_follow_their_indexes(repositories: dict[str, Repository]) -> None:
    with Organization.open() as organization:
        organization.search("apples")
    kept = {file: file.stat().st_mtime_ns for file in (user.data_folder() / "summaries").iterdir()}
    assert len(kept) == 3
    repositories["shop"].write_all(
        {f"melon{n}.py": f'def slice_melon_{n}():\n    """Slice melons."""\n' for n in range(3)}
    )
    with Workspace.open(repositories["shop"].root) as workspace:
        workspace.index()
    with Organization.open() as organization:
        assert organization.search("slice melons")[0].base == "shop"
    changed = [file.name for file, time_ns in kept.items() if file.stat().st_mtime_ns != time_ns]
    assert [name.startswith("shop-") for name in changed] == [True]


def test_the_summary_of_a_repository_that_is_gone_is_removed(
    repositories: dict[str, Repository],
) -> None:
    with Organization.open() as organization:
        organization.search("apples")
    repositories["harbour"].root.rename(repositories["harbour"].root.with_name("elsewhere"))
    with Organization.open() as organization:
        organization.search("apples")
    names = sorted(file.name for file in (user.data_folder() / "summaries").iterdir())
    assert [name.rpartition("-")[0] for name in names] == ["orchard", "shop"]


def test_a_repository_that_cannot_be_read_is_named_and_the_others_answer(
    repositories: dict[str, Repository],
) -> None:
    root = repositories["harbour"].root
    with Workspace.open(root) as workspace:
        index = workspace.store / "index.db"
    for file in (index, index.with_name("index.db-wal")):
        if file.exists():
            file.write_bytes(b"no database" * 1_000)
    with Organization.open() as organization:
        found = organization.search("pick apples")
    assert found[0].base == "orchard"
    assert any("`harbour`" in note for note in found.notes)


def test_the_command_searches_from_anywhere(
    repositories: dict[str, Repository], tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    found = run("search", "--org", "pick apples", "--json", cwd=elsewhere).document
    assert found["results"][0]["base"] == "orchard"
    assert "[orchard]" in run("search", "--org", "pick apples", cwd=elsewhere).out
    refused = run("search", "--org", "--path", ".", "apples", cwd=elsewhere)
    assert refused.code == 2
    assert "`--org` searches all repositories" in refused.err


def test_without_any_index_the_command_says_what_to_do(tmp_path: Path) -> None:
    refused = run("search", "--org", "apples", cwd=tmp_path)
    assert refused.code == 2
    assert "no repository is indexed on this machine" in refused.err
    assert "codecairn index" in refused.err
