"""Places where the store that belongs there can't be written: read-only mounts, sandboxes, other users."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.paths import user
from support.command import Outcome, command, run
from support.repository import SMALL_PROJECT, Repository
from support.stores import store_of


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder as a mount that nobody can write, root neither."""
    if sys.platform != "linux" or shutil.which("mount") is None:
        pytest.skip("mounts are made otherwise here")
    mounts = (
        ["mount", "--bind", str(folder), str(folder)],
        ["mount", "-o", "remount,bind,ro", str(folder)],
    )
    if subprocess.run(mounts[0], capture_output=True, check=False).returncode != 0:
        pytest.skip("may not mount")
    try:
        subprocess.run(mounts[1], capture_output=True, check=True)
        with pytest.raises(OSError, match="Read-only"):
            (folder / "probe").touch()
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _paths(outcome: Outcome) -> list[str]:
    assert outcome.code == 0, outcome
    return [hit["path"] for hit in outcome.document["results"]]


def _content(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(autouse=True)
def _stores_lie_in_workspaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODECAIRN_SCOPE", "workspace")


@pytest.fixture
def main(tmp_path: Path) -> Repository:
    """An indexed main worktree, with a linked one next to it."""
    repository = Repository.make(tmp_path / "main")
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    repository.git("worktree", "add", "--quiet", "../linked", "-b", "linked")
    with Workspace.open(repository.root) as workspace:
        workspace.index()
    return repository


@pytest.fixture
def shop(repository: Repository) -> Repository:
    """A repository that is not indexed."""
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    return repository


@pytest.fixture
def linked(main: Repository) -> Repository:
    return Repository(main.root.parent / "linked")


def test_agent_that_may_write_only_its_linked_worktree_finds_what_it_wrote(
    main: Repository, linked: Repository
) -> None:
    linked.write("shop/late.py", "def late_addition():\n    pass\n")
    before = _content(main.root / ".codecairn")
    with read_only(main.root):
        assert _paths(run("define", "late_addition", "--json", cwd=linked.root)) == ["shop/late.py"]
        linked.write("shop/later.py", "def later_addition():\n    pass\n")
        outcome = run("search", "later addition", "--json", cwd=linked.root)
        assert _paths(outcome)[0] == "shop/later.py"
        assert outcome.document["unchecked"] == 0
        assert outcome.document["branch"] == "linked"
        status = run("status", "--json", cwd=linked.root).document
        assert status["store"] == str(linked.root / ".codecairn")
        assert any("a copy of" in note for note in status["notes"])
        assert run("doctor", cwd=linked.root).code == 0
    assert _content(main.root / ".codecairn") == before


def test_copy_saves_parsing_what_the_shared_store_has(main: Repository, linked: Repository) -> None:
    linked.write("shop/late.py", "def late_addition():\n    pass\n")
    with read_only(main.root):
        report = run("index", "--json", cwd=linked.root).document
    assert report["files"] == len(SMALL_PROJECT) + 1
    assert report["new_chunks"] == 1


def test_workspace_that_is_mounted_read_only_is_searched_as_it_is_now(main: Repository) -> None:
    main.write("shop/late.py", "def late_addition():\n    pass\n")
    with read_only(main.root):
        outcome = run("define", "late_addition", "--json", cwd=main.root)
        assert _paths(outcome) == ["shop/late.py"]
        store = Path(run("status", "--json", cwd=main.root).document["store"])
        assert store.is_relative_to(os.environ["CODECAIRN_HOME"])
        assert store.stat().st_mode & 0o077 == 0
    # Once it can be written again, the store that belongs there is used.
    assert _paths(run("define", "late_addition", "--json", cwd=main.root)) == ["shop/late.py"]
    status = run("status", "--json", cwd=main.root).document
    assert status["store"] == str(main.root / ".codecairn")


def test_read_only_workspace_without_an_index_is_indexed_beside(folder: Repository) -> None:
    folder.write_all(SMALL_PROJECT)
    with read_only(folder.root):
        outcome = run("search", "verify a session token", "--json", cwd=folder.root)
        assert _paths(outcome)[0] == "shop/tokens.py"
    assert not (folder.root / ".codecairn").exists()


def test_without_any_place_to_write_it_is_told_what_is_unchecked(main: Repository) -> None:
    main.write("shop/late.py", "def late_addition():\n    pass\n")
    main.write("shop/tokens.py", "def verify_token():\n    return 1\n")
    home = main.root / "home"
    (home / "data").mkdir(parents=True)
    shutil.copy(user.data_folder() / "key", home / "data" / "key")
    with read_only(main.root):
        outcome = run(
            "define", "verify_token", "--json",
            cwd=main.root, environment={"CODECAIRN_HOME": str(home)},
        )  # fmt: skip
        assert _paths(outcome) == ["shop/tokens.py"]
        assert outcome.document["stale"] == ["shop/tokens.py"]
        assert outcome.document["unchecked"] == 2
        assert "because the store can't be written" in outcome.err


def test_looking_makes_no_copy(main: Repository, linked: Repository) -> None:
    with read_only(main.root):
        assert run("status", cwd=linked.root).code == 0
        assert run("doctor", cwd=linked.root).code == 0
        with Workspace.open(linked.root, read_only=True) as workspace:
            assert workspace.status().generation > 0
    assert not (linked.root / ".codecairn").exists()


def test_processes_that_come_at_once_make_one_copy(main: Repository, linked: Repository) -> None:
    linked.write("shop/late.py", "def late_addition():\n    pass\n")
    with read_only(main.root):
        searches = [
            subprocess.Popen(
                command("define", "late_addition", "--json"),
                cwd=linked.root,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(6)
        ]
        outputs = {search.communicate(timeout=100)[0] for search in searches}
    assert [search.returncode for search in searches] == [0] * 6
    assert len(outputs) == 1
    assert "shop/late.py" in outputs.pop()


def test_copy_of_a_damaged_store_is_done_without(main: Repository, linked: Repository) -> None:
    (main.root / ".codecairn" / "index.db").write_bytes(b"not a database" * 1000)
    with read_only(main.root):
        outcome = run("define", "verify_token", "--json", cwd=linked.root)
        assert _paths(outcome) == ["shop/tokens.py"]


def test_agent_that_may_write_only_its_workspace_finds_what_it_wrote(
    shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index in the data folder is read, and what changed is kept in a signed copy in the workspace."""
    monkeypatch.setenv("CODECAIRN_SCOPE", "global")
    with Workspace.open(shop.root) as workspace:
        workspace.index()
    before = _content(store_of(shop.root))
    with read_only(user.data_folder()):
        shop.write("late.py", "def late_addition():\n    pass\n")
        assert _paths(run("define", "late_addition", "--json", cwd=shop.root)) == ["late.py"]
        status = run("status", "--json", cwd=shop.root).document
        assert status["store"] == str(shop.root / ".codecairn")
        assert any("a copy of" in note for note in status["notes"])
    assert _content(store_of(shop.root)) == before


def test_what_an_agent_in_a_sandbox_remembers_is_taken_in_outside_of_it(shop: Repository) -> None:
    assert run("memory", "add", "remembered outside", cwd=shop.root).code == 0
    spool = shop.root / ".codecairn" / "memory-spool"
    with read_only(user.data_folder()):
        outcome = run("memory", "add", "remembered in a sandbox", cwd=shop.root)
        assert outcome.code == 0, outcome
        (file,) = spool.glob("*.log")
        copied = file.read_bytes()
    with Workspace.open(shop.root) as workspace:
        texts = {fact.text for fact in workspace.memory.list()}
        assert texts == {"remembered outside", "remembered in a sandbox"}
        assert list(spool.glob("*.log")) == []
        # A copy under another name is not signed.
        (spool / f"1{file.name[1:]}").write_bytes(copied)
        assert workspace.memory.status().ignored == 1
        assert {fact.text for fact in workspace.memory.list()} == texts


def test_agent_in_a_sandbox_without_a_key_is_told_what_to_do(shop: Repository) -> None:
    user.data_folder().mkdir(parents=True)
    with read_only(user.data_folder()):
        outcome = run("memory", "add", "nowhere to go", cwd=shop.root)
        assert outcome.code == 1
        assert "can't be written" in outcome.err
        assert "CODECAIRN_HOME" in outcome.err
    assert not (shop.root / ".codecairn" / "memory-spool").exists()
