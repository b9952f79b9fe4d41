"""Several workspaces searched as one."""

from pathlib import Path

import pytest

from codecairn import BadWorkspace, SearchFilters, UsageError, Workspace, Workspaces
from support.command import run
from support.repository import SMALL_PROJECT, Repository


@pytest.fixture
def orchard(tmp_path: Path) -> Repository:
    """A second workspace."""
    made = Repository.make(tmp_path / "orchard")
    made.write("trees.py", 'def pick_apples():\n    """Pick all apples."""\n    return 12\n')
    made.commit()
    return made


@pytest.fixture
def shop(repository: Repository) -> Repository:
    """The first workspace."""
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    return repository


def test_each_hit_says_where_it_is_from(shop: Repository, orchard: Repository) -> None:
    with Workspaces.open([shop.root, orchard.root]) as workspaces:
        assert workspaces.names == ("repository", "orchard")
        apples = workspaces.search("pick apples")[0]
        assert (apples.base, apples.path) == ("orchard", f"{orchard.root.as_posix()}/trees.py")
        tokens = workspaces.search("verify token")[0]
        assert (tokens.base, tokens.path) == (
            "repository",
            f"{shop.root.as_posix()}/shop/tokens.py",
        )
        assert {hit.base for hit in workspaces.define("pick_apples")} == {"orchard"}
        assert {hit.base for hit in workspaces.peek("apples token")} == {"orchard", "repository"}
        assert len(workspaces.search("apples token", limit=1)) == 1


def test_hits_gain_by_how_likely_the_question_is_in_their_workspace(tmp_path: Path) -> None:
    ships = {f"ship{n}.py": f"def moor_{n}():\n    return 'moor a ship'\n" for n in range(4)}
    boxes = {"box.py": "def open_box():\n    return 'ship'\n"}
    roots = [tmp_path / "harbour", tmp_path / "attic"]
    for root, files in zip(roots, (ships, boxes), strict=True):
        Repository.make(root).write_all(files)
    with Workspaces.open(roots) as workspaces:
        first = workspaces.search("moor a ship", explain=True)
        again = workspaces.search("moor a ship", explain=True)
    assert first == again, "what the first search indexed counts in it already"
    gained = {hit.base: hit.contributions[-1] for hit in first}
    assert {each.feature for each in gained.values()} == {"repository"}
    assert gained["harbour"].part > 0 > gained["attic"].part


def test_nothing_is_added_to_scores_of_fused_ranks(shop: Repository, orchard: Repository) -> None:
    fused = {"ranking": "fusion"}
    with Workspaces.open([shop.root, orchard.root], settings=fused) as workspaces:
        found = workspaces.search("pick apples")
        alone = [hit.score for one in workspaces.all for hit in one.search("pick apples")]
    assert sorted(hit.score for hit in found) == sorted(alone)


def test_quoted_text_is_found_as_words_only_where_no_workspace_has_it(
    shop: Repository, orchard: Repository
) -> None:
    with Workspaces.open([shop.root, orchard.root]) as workspaces:
        found = workspaces.search('"pick all apples" token')
        assert ({hit.base for hit in found}, found.notes) == ({"orchard"}, ())
        found = workspaces.search('"token apples"')
        assert {hit.base for hit in found} == {"repository", "orchard"}
        assert '"token apples"' in found.notes[0]


def test_one_of_them_may_be_named(shop: Repository, orchard: Repository) -> None:
    with Workspaces.open([shop.root, orchard.root]) as workspaces:
        found = workspaces.search("apples token", scopes=["orchard"])
        assert {hit.base for hit in found} == {"orchard"}
        found = workspaces.search("apples token", scopes=[str(orchard.root)])
        assert {hit.base for hit in found} == {"orchard"}
        with pytest.raises(UsageError, match="no workspace or knowledge base 'attic'"):
            workspaces.search("apples", scopes=["attic"])


def test_relative_folders_are_looked_for_in_all_of_them(
    shop: Repository, orchard: Repository
) -> None:
    orchard.write("shop/stall.py", "def sell_apples():\n    return 12\n")
    with Workspaces.open([shop.root, orchard.root]) as workspaces:
        found = workspaces.search("sell token", filters=SearchFilters(directories=["shop"]))
        assert {hit.base for hit in found} == {"repository", "orchard"}
        assert all("/shop/" in hit.path for hit in found)


def test_knowledge_bases_of_all_of_them_are_searched_once(
    shop: Repository, orchard: Repository, folder: Repository
) -> None:
    folder.write("wine.md", "# Wine\n\nHow wine is kept: cool and lying down.\n")
    for root in (shop.root, orchard.root):
        with Workspace.open(root) as workspace:
            workspace.knowledge.add(str(folder.root))
            workspace.knowledge.add(str((orchard if root == shop.root else shop).root))
    with Workspaces.open([shop.root, orchard.root]) as workspaces:
        found = workspaces.search("how is wine kept")
        assert found[0].base == "folder"
        assert len({(hit.path, hit.start_line) for hit in found}) == len(found)
        assert {hit.base for hit in found} <= {"folder", "repository", "orchard"}
        alone = workspaces.search("how is wine kept", scopes=["workspace"])
        assert "folder" not in {hit.base for hit in alone}
        assert {hit.base for hit in workspaces.search("wine", scopes=["folder"])} == {"folder"}


def test_workspaces_of_one_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    roots = [tmp_path / "a" / "app", tmp_path / "b" / "app"]
    for root in roots:
        Repository.make(root).write("x.py", f"def of_{root.parent.name}():\n    return 1\n")
    with Workspaces.open(roots) as workspaces:
        assert workspaces.names == tuple(map(str, roots))
        assert workspaces.define("of_b")[0].base == str(roots[1])


def test_the_same_workspace_twice_is_one(shop: Repository) -> None:
    with Workspaces.open([shop.root, shop.root / "shop"]) as workspaces:
        assert len(workspaces.all) == 1


def test_no_folder_and_a_missing_one_are_refused(shop: Repository, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no workspace is given"):
        Workspaces.open([])
    with pytest.raises(UsageError, match="one text"):
        Workspaces.open(str(shop.root))
    with pytest.raises(BadWorkspace):
        Workspaces.open([shop.root, tmp_path / "missing"])


def test_one_that_can_not_be_searched_is_told(shop: Repository, orchard: Repository) -> None:
    with Workspace.open(shop.root) as workspace:
        workspace.index()
    with Workspaces.open([shop.root, orchard.root], read_only=True) as workspaces:
        found = workspaces.search("verify token")
        assert found[0].base == "repository"
        assert any(note.startswith("`orchard` is left out") for note in found.notes)


def test_command_searches_several(shop: Repository, orchard: Repository, tmp_path: Path) -> None:
    several = ["--workspace", "repository", "--workspace", "orchard"]
    found = run("search", "pick apples", *several, "--json", cwd=tmp_path).document
    assert found["results"][0]["base"] == "orchard"
    assert found["results"][0]["path"] == f"{orchard.root.as_posix()}/trees.py"
    assert "[orchard]" in run("define", "pick_apples", *several, cwd=tmp_path).out
    assert "[repository]" in run("peek", "verify token", *several, cwd=tmp_path).out
    refused = run("search", "x", *several, "--path", "orchard", cwd=tmp_path)
    assert refused.code == 2
    assert "`--path` and `--workspace`" in refused.err
