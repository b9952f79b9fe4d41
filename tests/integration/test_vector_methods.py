"""The method of vector search: a setting that every search follows, and a graph that no search depends on."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.core.engine import Engine
from codecairn.core.options import EngineOptions
from codecairn.core.types.hits import Hit
from codecairn.errors import UsageError
from support.command import run
from support.corpus import module_text
from support.repository import Repository
from support.stores import store_of

QUESTION = "write the rows of a table"
HNSW = {"search.vector_method": "hnsw"}
MODULES = 30


@pytest.fixture
def project(repository: Repository) -> Repository:
    for seed in range(MODULES):
        repository.write(f"a/module{seed}.py", module_text(seed, functions=6))
    repository.commit()
    return repository


def _graphs(root: Path) -> list[Path]:
    return sorted((store_of(root) / "segments").glob("*.hnsw"))


def _search(workspace: Workspace) -> tuple[Hit, ...]:
    return workspace.search(QUESTION).hits


def _answers(root: Path, method: str) -> tuple[Hit, ...]:
    with Workspace.open(root, settings={"search.vector_method": method}) as workspace:
        workspace.index()
        return _search(workspace)


def test_workspace_chooses_its_method(project: Repository) -> None:
    assert run("index", cwd=project.root).code == 0
    assert _graphs(project.root) == []
    (project.root / ".codecairn.toml").write_text('[search]\nvector_method = "hnsw"\n')
    assert "searched by `hnsw`" in run("status", cwd=project.root).out
    assert "no HNSW graph of the vectors yet" in run("status", cwd=project.root).out
    assert run("index", cwd=project.root).code == 0
    assert len(_graphs(project.root)) == 1
    shown = run("status", cwd=project.root).out
    assert "HNSW" not in shown
    assert "searched by `hnsw`" in shown
    assert run("status", "--json", cwd=project.root).document["vector_method"] == "hnsw"


def test_every_method_finds_the_same_in_a_small_store(project: Repository) -> None:
    expected = _answers(project.root, "auto")
    assert expected
    for method in ("exact", "sketch", "hnsw"):
        assert _answers(project.root, method) == expected, method


@pytest.mark.parametrize("place", ["file", "variable"])
def test_unknown_method_is_an_error_that_names_the_others(project: Repository, place: str) -> None:
    environment = {}
    if place == "file":
        (project.root / ".codecairn.toml").write_text('[search]\nvector_method = "faiss"\n')
    else:
        environment["CODECAIRN_SEARCH_VECTOR_METHOD"] = "faiss"
    done = run("search", QUESTION, cwd=project.root, environment=environment)
    assert done.code == 2
    assert "vector_method" in done.err.lower()
    assert "hnsw" in done.err


def test_core_refuses_an_unknown_method(tmp_path: Path) -> None:
    options = EngineOptions(
        root=tmp_path,
        store=tmp_path / "store",
        embedder="static",
        include=(),
        exclude=(),
        read_only=False,
        writer="a test",
        user_ignore=None,
        vector_method="faiss",
    )
    with pytest.raises(UsageError, match="auto, exact, sketch or hnsw"):
        Engine(options)


def test_new_files_are_found_before_the_graph_has_them(project: Repository) -> None:
    with Workspace.open(project.root, settings=HNSW) as workspace:
        workspace.index()
        graphs = _graphs(project.root)
        project.write("b/new.py", "def tame_the_walrus():\n    return 'walrus'\n")
        found = workspace.search("tame the walrus").hits
        assert found[0].path == "b/new.py"
        workspace.index()
        assert _graphs(project.root) == graphs
        assert workspace.doctor() == ()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _put_a_folder_there(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [_cut, _flip, _put_a_folder_there, Path.unlink])
def test_damaged_graph_fails_no_search(project: Repository, damage: Callable[[Path], None]) -> None:
    expected = _answers(project.root, "hnsw")
    (graph,) = _graphs(project.root)
    damage(graph)
    with Workspace.open(project.root, settings=HNSW) as workspace:
        assert _search(workspace) == expected
        assert any("searches use sketches" in note for note in workspace.status().notes)
        assert "hnsw-graph" in {problem.code for problem in workspace.doctor()}
        workspace.index()
        assert workspace.status().notes == ()
        assert workspace.doctor() == ()
    if graph.is_dir():
        shutil.rmtree(graph)


def test_gc_removes_the_graph_of_an_earlier_setting(project: Repository) -> None:
    _answers(project.root, "hnsw")
    with Workspace.open(project.root) as workspace:
        workspace.gc()
        assert workspace.doctor() == ()
        # A file that a reader may be about to open stays for a minute.
        assert workspace.status().notes == ()
    with Workspace.open(project.root, settings=HNSW) as workspace:
        assert any("no HNSW graph" in note for note in workspace.status().notes)
