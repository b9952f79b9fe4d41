"""Searching a workspace with its knowledge bases."""

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from codecairn import SearchFilters, UsageError, Workspace, Workspaces
from codecairn.core.requests import SimilarPlaceRequest
from codecairn.operations.index_operations import similar
from codecairn.search import commit_filter
from codecairn.search.blame import FileBlame
from integration.test_sandbox import read_only
from knowledge.conftest import REFUNDS
from support.command import command, run
from support.repository import Repository


def test_hits_of_a_base_say_so_and_their_paths_lead_there(
    both: Repository, handbook: Repository
) -> None:
    with Workspace.open(both.root) as workspace:
        found = workspace.knowledge.search("how are refunds paid")
        assert (found[0].base, found[0].path) == (
            "handbook",
            (handbook.root / "refunds.md").as_posix(),
        )
        assert Path(found[0].path).read_text() == REFUNDS
        tokens = workspace.knowledge.search("verify token")[0]
        assert (tokens.base, tokens.path) == ("", "shop/tokens.py")
        assert {hit.base for hit in workspace.search("how are refunds paid")} == {""}


def test_base_gets_nothing_written_into_it(both: Repository, handbook: Repository) -> None:
    before = sorted(path.name for path in handbook.root.rglob("*"))
    assert run("search", "refunds", cwd=both.root).code == 0
    assert sorted(path.name for path in handbook.root.rglob("*")) == before


def test_scope_says_what_is_searched(both: Repository) -> None:
    def bases(*scopes: str) -> set[str]:
        with Workspace.open(both.root) as workspace:
            found = workspace.knowledge.search("refunds paid token", scopes=scopes)
            return {hit.base for hit in found}

    assert bases() == bases("all") == bases("workspace", "handbook") == {"", "handbook"}
    assert bases("workspace") == {""}
    assert bases("handbook") == {"handbook"}
    with pytest.raises(UsageError, match="no knowledge base `nothing`") as caught:
        bases("nothing")
    assert "handbook" in caught.value.hint


def test_setting_keeps_bases_out_of_usual_searches(both: Repository) -> None:
    both.write(".codecairn.toml", "[knowledge]\nsearch = false\n")
    found = run("search", "refunds paid", "--json", cwd=both.root).document["results"]
    assert not [hit for hit in found if "base" in hit]
    found = run("search", "refunds paid", "--in", "all", "--json", cwd=both.root).document
    assert [hit for hit in found["results"] if "base" in hit]


def test_base_takes_in_what_changed(both: Repository, handbook: Repository) -> None:
    with Workspace.open(both.root) as workspace:
        workspace.knowledge.search("anything")
        handbook.write("gift.md", "# Gift cards\n\nGift cards end after three years.\n")
        found = workspace.knowledge.search("when do gift cards end")
    assert found[0].path == (handbook.root / "gift.md").as_posix()


def test_index_brings_bases_up_to_date_and_tells_of_those_that_are_gone(
    both: Repository, handbook: Repository
) -> None:
    handbook.write("gift.md", "# Gift cards\n\nThey end after three years.\n")
    done = run("index", "--json", cwd=both.root).document
    (base,) = done["knowledge"]
    assert (base["name"], base["report"]["files"]) == ("handbook", 3)
    assert f"indexed {handbook.root}: 3 files" in run("index", cwd=both.root).out
    handbook.root.rename(handbook.root.parent / "moved")
    gone = run("index", cwd=both.root)
    assert gone.code == 0
    assert "note: `handbook` is left out" in gone.err


def test_every_question_reaches_the_bases(both: Repository) -> None:
    with Workspace.open(both.root) as workspace:
        knowledge = workspace.knowledge
        assert [hit.base for hit in knowledge.define("stamp_parcel")] == ["handbook"]
        assert knowledge.define("verify_token")[0].path == "shop/tokens.py"
        assert "handbook" in {hit.base for hit in knowledge.peek("refunds paid")}
        alike = knowledge.similar("def stamp_parcel(parcel):\n    return parcel\n")
        assert "handbook" in {hit.base for hit in alike[:2]}


def test_code_at_a_place_is_searched_in_what_is_named(
    both: Repository, handbook: Repository
) -> None:
    both.write("src/letter.py", "def stamp_letter(letter):\n    return letter\n")
    tool = (handbook.root / "src" / "tool.py").as_posix()

    def found(*scopes: str) -> set[tuple[str, str]]:
        options = [word for scope in scopes for word in ("--in", scope)]
        command = ("similar", "src/letter.py:1", *options, "-n", "50", "--json")
        document = run(*command, cwd=both.root).document
        assert document["query"] == "src/letter.py:1"
        return {(hit.get("base", ""), hit["path"]) for hit in document["results"]}

    assert {base for base, _ in found("handbook")} == {"handbook"}
    assert ("handbook", tool) in found("handbook")
    assert found("all") == found("workspace") | found("handbook")
    assert found() == found("workspace")
    assert ("", "shop/tokens.py") in found()
    assert ("", "src/letter.py") not in found("all")


def test_code_at_a_place_of_the_first_workspace_is_searched_in_another(
    shop: Repository, handbook: Repository
) -> None:
    with Workspaces.open([shop.root, handbook.root]) as workspaces:
        request = SimilarPlaceRequest("shop/tokens.py:5", scopes=["handbook"])
        assert {hit.base for hit in similar(workspaces, request)} == {"handbook"}
        with pytest.raises(UsageError, match="nothing"):
            similar(workspaces, SimilarPlaceRequest("shop/tokens.py:5", scopes=["nothing"]))


def test_folders_narrow_the_workspace_or_the_base_that_is_named(
    both: Repository, handbook: Repository
) -> None:
    both.write("src/own.py", "def stamp_letter(letter):\n    return letter\n")

    def paths(*directories: str, scopes: tuple[str, ...] = ()) -> set[str]:
        with Workspace.open(both.root) as workspace:
            filters = SearchFilters(directories=directories)
            found = workspace.knowledge.search("stamp", scopes=scopes, filters=filters)
            return {hit.path for hit in found}

    tool = (handbook.root / "src" / "tool.py").as_posix()
    assert paths("src") == {"src/own.py"}
    assert paths("src", scopes=("handbook",)) == {tool}
    assert paths("src", scopes=("all",)) == {"src/own.py", tool}
    assert paths(str(handbook.root / "src")) == {tool}
    assert tool in paths(str(handbook.root))
    with pytest.raises(UsageError, match="outside"):
        paths(str(handbook.root.parent / "elsewhere"))


def test_several_threads_search_bases_at_once(both: Repository) -> None:
    with Workspace.open(both.root) as workspace, ThreadPoolExecutor(8) as threads:
        questions = ["how are refunds paid"] * 16
        found = list(threads.map(workspace.knowledge.search, questions))
    assert {result[0].base for result in found} == {"handbook"}


def test_read_only_folders_are_searched_by_stores_in_the_data_folder(
    shop: Repository, handbook: Repository
) -> None:
    with read_only(handbook.root), read_only(shop.root):
        scope = {"CODECAIRN_SCOPE": "global"}
        added = run("knowledge", "add", str(handbook.root), cwd=shop.root, environment=scope)
        assert added.code == 0, added.err
        found = run("search", "how are refunds paid", cwd=shop.root, environment=scope)
        assert found.out.startswith(f"{handbook.root}/refunds.md")
        assert "unchecked" not in found.err
        state = run("status", "--json", cwd=shop.root, environment=scope).document
        assert "stores" in state["store"]
        assert "stores" in state["knowledge"][0]["store"]


def test_authors_of_a_base_are_its_own_repositorys(both: Repository, tmp_path: Path) -> None:
    library = Repository.make(tmp_path / "library")
    library.write("solver.py", "def solve_equation(x):\n    return x\n")
    library.commit("solver", author="Eve <eve@example.com>")
    with Workspace.open(both.root) as workspace:
        workspace.knowledge.add(str(library.root))
        found = workspace.knowledge.search("solve", filters=SearchFilters(author="eve"))
        (hit,) = found
        assert (hit.base, hit.blame and hit.blame.summary) == ("library", "solver")
        assert any("`handbook` is left out" in note for note in found.notes)


def test_git_is_asked_about_the_files_shown_alone(
    both: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Repository.make(tmp_path / "library")
    for number in range(10):
        library.write(f"token{number}.py", f"def verify_token_{number}(x):\n    return x\n")
    library.commit("tokens")
    asked: list[Path] = []
    monkeypatch.setattr(commit_filter, "blame_of", lambda file: asked.append(file) or FileBlame(()))
    with Workspace.open(both.root) as workspace:
        workspace.knowledge.add(str(library.root))
        filters = SearchFilters(blame=True)
        found = workspace.knowledge.search("verify token", limit=3, filters=filters)
    assert len(found) == 3
    assert {file.name for file in asked} == {Path(hit.path).name for hit in found}


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_watch_keeps_bases_fresh_too(both: Repository, handbook: Repository) -> None:
    process = subprocess.Popen(
        command("watch", "--jsonl"),
        cwd=both.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    first = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert {update.get("base", "") for update in first} == {"", "handbook"}
    handbook.write("gift.md", "# Gift cards\n\nThey end after three years.\n")
    update = json.loads(process.stdout.readline())
    assert (update["base"], update["paths"]) == ("handbook", ["gift.md"])
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    with Workspace.open(both.root) as workspace:
        found = workspace.knowledge.search("gift cards end", refresh=False)
        assert found[0].base == "handbook"
    assert not (handbook.root / ".codecairn").exists()
