"""Links that lead out of a workspace: nothing is written or read through them."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import CodecairnError
from codecairn.mcp.dispatcher import ToolDispatcher
from codecairn.mcp.resources import read as read_resource
from codecairn.paths.workspace_files import (
    append_inside,
    create_inside,
    open_inside,
    read_inside,
    replace_inside,
)
from support.command import run
from support.repository import SMALL_PROJECT, Repository

SECRET = "a line that only the outside folder has"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder next to the workspace, with a file."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "note.txt").write_text(f"{SECRET}\n")
    return folder


def _listing(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def dispatcher(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Iterator[ToolDispatcher]:
    """The server of a small project with a session in its memory."""
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        workspace.memory.record("s1", hook="stop", role="assistant", body="done")
        with ToolDispatcher([workspace], wait_s=60, chosen=["codex-mem"]) as dispatcher:
            dispatcher.start()
            yield dispatcher


@pytest.mark.parametrize(
    "place",
    [
        "../out.json",
        "{root}/../out.json",
        "{root}/shop/../../out.json",
        "link/out.json",
        "{root}/link/out.json",
        "link/../../out.json",
        "dangling.json",
        "note.json",
    ],
)
def test_session_is_not_exported_to_the_outside(
    dispatcher: ToolDispatcher, repository: Repository, outside: Path, place: str
) -> None:
    (repository.root / "link").symlink_to(outside)
    (repository.root / "dangling.json").symlink_to(outside / "new.json")
    (repository.root / "note.json").symlink_to(outside / "note.txt")
    before = _listing(outside), sorted(repository.root.parent.iterdir())
    arguments = {"session_id": "s1", "output_path": place.format(root=repository.root)}
    answer = dispatcher.call("mem_export_session", arguments)
    assert "error" in answer.document, answer.text
    assert (_listing(outside), sorted(repository.root.parent.iterdir())) == before


def test_session_is_exported_into_the_workspace(
    dispatcher: ToolDispatcher, repository: Repository
) -> None:
    (repository.root / "inner").symlink_to(repository.root / "shop")
    for place, name in (("a.json", "a.json"), ("inner/b.json", "shop/b.json")):
        dispatcher.call("mem_export_session", {"session_id": "s1", "output_path": place})
        assert (repository.root / name).read_text().startswith("{")


def _write(root: Path, path: Path) -> None:
    create_inside(root, path, b"x")


def _replace(root: Path, path: Path) -> None:
    replace_inside(root, path, b"x")


def _append(root: Path, path: Path) -> None:
    append_inside(root, path, b"x")


def _read(root: Path, path: Path) -> None:
    read_inside(root, path, max_bytes=100)


def _read_without_links(root: Path, path: Path) -> None:
    open_inside(root, path, follow_links=False).close()


@pytest.mark.parametrize("act", [_write, _replace, _append, _read, _read_without_links])
@pytest.mark.parametrize(
    "place", ["link/note.txt", "file", "link/new", "link", "../outside/note.txt", "loop"]
)
def test_nothing_outside_is_opened(
    folder: Repository, outside: Path, act: Callable[[Path, Path], None], place: str
) -> None:
    (folder.root / "link").symlink_to(outside)
    (folder.root / "file").symlink_to(outside / "note.txt")
    (folder.root / "loop").symlink_to("loop")
    before = _listing(outside)
    with pytest.raises(OSError) as caught:
        act(folder.root, folder.root / place)
    assert SECRET not in str(caught.value)
    assert _listing(outside) == before
    assert (folder.root / "file").is_symlink()


@pytest.mark.parametrize("act", [_replace, _append, _read])
def test_pipes_and_devices_are_not_opened(
    folder: Repository, act: Callable[[Path, Path], None]
) -> None:
    os.mkfifo(folder.root / "pipe")
    (folder.root / "zero").symlink_to("/dev/zero")
    for place in ("pipe", "zero"):
        with pytest.raises(OSError):
            act(folder.root, folder.root / place)


def test_links_inside_are_followed_where_that_is_wanted(folder: Repository) -> None:
    folder.write("real/file", "text")
    (folder.root / "link").symlink_to("real")
    assert read_inside(folder.root, folder.root / "link" / "file", max_bytes=4) == b"text"
    replace_inside(folder.root, folder.root / "link" / "file", b"more")
    assert (folder.root / "real" / "file").read_bytes() == b"more"
    with pytest.raises(OSError, match="`link` is a link"):
        append_inside(folder.root, folder.root / "link" / "file", b"x")
    with pytest.raises(OSError, match="more than 3 bytes"):
        read_inside(folder.root, folder.root / "real" / "file", max_bytes=3)


@pytest.fixture
def swapped(repository: Repository, outside: Path) -> Repository:
    """A project that was indexed, and in which then a folder was replaced by a link to the outside."""
    repository.write_all(SMALL_PROJECT)
    repository.write("lib/tide.py", "def tide_table():\n    return 'inside'\n")
    repository.commit("first")
    (outside / "tide.py").write_text(f"def tide_table():\n    return '{SECRET}'\n")
    with Workspace.open(repository.root) as workspace:
        workspace.index()
    shutil.rmtree(repository.root / "lib")
    (repository.root / "lib").symlink_to(outside)
    return repository


def test_folder_that_became_a_link_is_not_indexed_when_the_budget_is_spent(
    swapped: Repository,
) -> None:
    with Workspace.open(swapped.root, settings={"search.refresh_budget_ms": 0}) as workspace:
        for _ in range(3):
            for hit in workspace.search("tide table", context_lines=5):
                assert SECRET not in hit.text
            for hit in workspace.define("tide_table"):
                assert SECRET not in hit.text
        workspace.index()
        assert "lib/tide.py" not in workspace.paths()
        assert not [hit for hit in workspace.search("tide table") if hit.path.startswith("lib/")]


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "tide table", "--context", "5", "--no-refresh"),
        ("search", "tide table", "--blame"),
        ("similar", "lib/tide.py:1", "--no-refresh"),
        ("context", "tide table"),
        ("edit-context", "tide_table"),
        ("impact", "--files", "lib/tide.py"),
    ],
)
def test_no_command_shows_what_lies_behind_a_linked_folder(
    swapped: Repository, arguments: tuple[str, ...]
) -> None:
    environment = {"CODECAIRN_SEARCH_REFRESH_BUDGET_MS": "0"}
    done = run(*arguments, cwd=swapped.root, environment=environment)
    assert SECRET not in done.out + done.err


def test_named_path_below_a_linked_folder_is_gone(swapped: Repository) -> None:
    with Workspace.open(swapped.root) as workspace:
        workspace.index(paths=["lib/tide.py"])
        assert "lib/tide.py" not in workspace.paths()


def test_resource_below_a_linked_folder_is_not_read(swapped: Repository) -> None:
    with (
        Workspace.open(swapped.root) as workspace,
        ToolDispatcher([workspace], in_background=False) as dispatcher,
    ):
        with pytest.raises(CodecairnError) as caught:
            read_resource(dispatcher, "codecairn://file/lib/tide.py")
        assert SECRET not in caught.value.message
