"""Where a store lies, and making its folder."""

import stat
import sys
from pathlib import Path

import pytest

from codecairn.paths import store as store_paths
from codecairn.paths.store import StorePlace, global_name, prepare_store, store_place
from support.repository import Repository


def test_store_lies_in_the_workspace(folder: Repository, home: Path) -> None:
    found = store_place(folder.root, scope="workspace", main_worktree=None, data_folder=home)
    assert found == StorePlace(folder=folder.root / ".codecairn")


def test_linked_worktree_shares_the_store_of_its_main_worktree(tmp_path: Path, home: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    main.mkdir()
    linked.mkdir()
    found = store_place(linked, scope="workspace", main_worktree=main, data_folder=home)
    assert found == StorePlace(folder=main / ".codecairn")


def test_worktree_keeps_its_own_store_where_the_shared_one_can_not_be_written(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    monkeypatch.setattr(store_paths, "is_writable", lambda path: main not in path.parents)
    found = store_place(linked, scope="workspace", main_worktree=main, data_folder=home)
    assert found == StorePlace(folder=linked / ".codecairn", shared=main / ".codecairn")


def test_data_folder_stands_in_where_nothing_in_the_workspace_can_be_written(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_paths, "is_writable", lambda path: home in path.parents)
    found = store_place(tmp_path / "a", scope="workspace", main_worktree=None, data_folder=home)
    assert found.folder.parent == home / "overlays"
    assert found.shared == tmp_path / "a" / ".codecairn"
    monkeypatch.setattr(store_paths, "is_writable", lambda _path: False)
    found = store_place(tmp_path / "a", scope="workspace", main_worktree=None, data_folder=home)
    assert found == StorePlace(folder=tmp_path / "a" / ".codecairn")


def test_global_scope_puts_the_store_into_the_data_folder(tmp_path: Path, home: Path) -> None:
    first = store_place(tmp_path / "a", scope="global", main_worktree=None, data_folder=home)
    second = store_place(tmp_path / "b" / "a", scope="global", main_worktree=None, data_folder=home)
    assert first.folder.parent == home / "stores"
    assert first.folder != second.folder
    assert first.folder.name.startswith("a-")


def test_global_name_is_readable_and_harmless() -> None:
    assert global_name(Path("/srv/my shop:1")).startswith("my_shop_1-")
    assert global_name(Path("/")).startswith("root-")


def test_prepared_store_is_private_and_keeps_itself_out_of_git(repository: Repository) -> None:
    store = repository.root / ".codecairn"
    prepare_store(store)
    repository.write(".codecairn/index.db", "x")
    repository.write(".codecairn/segments/1.seg", "x")
    repository.write(".codecairn/memory/facts.jsonl", "{}")
    repository.write(".codecairn/memory/facts.tmp", "x")
    status = repository.git("status", "--porcelain", "--untracked-files=all")
    assert status.split("\n") == ["?? .codecairn/memory/facts.jsonl"]
    if sys.platform != "win32":
        assert stat.S_IMODE(store.stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="modes are a matter of POSIX")
def test_store_folder_that_others_may_read_is_closed(folder: Repository) -> None:
    store = folder.root / ".codecairn"
    store.mkdir()
    store.chmod(0o755)
    prepare_store(store)
    assert stat.S_IMODE(store.stat().st_mode) == 0o700


def test_gitignore_that_somebody_changed_is_kept(folder: Repository) -> None:
    store = folder.root / ".codecairn"
    store.mkdir()
    (store / ".gitignore").write_text("mine\n")
    prepare_store(store)
    assert (store / ".gitignore").read_text() == "mine\n"
