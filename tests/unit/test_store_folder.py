"""Where a store lies, and making its folder."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codecairn.errors import StoreUntrusted
from codecairn.indexing import store_location
from codecairn.indexing.store_location import StoreLocation, locate_store, prepare_store
from codecairn.paths import user
from codecairn.paths.store import global_name
from codecairn.trust import registry, store_trust
from support.repository import Repository


@pytest.fixture
def writable(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Path], bool]], None]:
    """Say which folders can be written."""
    return lambda answer: monkeypatch.setattr(store_location, "is_writable", answer)


def _place(root: Path, *, scope: str = "global", main: Path | None = None) -> StoreLocation:
    data = user.data_folder()
    return locate_store(root, scope=scope, main_worktree=main, data_folder=data)


def test_store_lies_in_the_data_folder(tmp_path: Path) -> None:
    first, second = _place(tmp_path / "a"), _place(tmp_path / "b" / "a")
    assert first.folder.parent == user.data_folder() / "stores"
    assert first.folder != second.folder
    assert first.folder.name.startswith("a-")
    assert not first.ignored


def test_user_may_have_stores_made_in_workspaces(folder: Repository) -> None:
    found = _place(folder.root, scope="workspace")
    assert found == StoreLocation(folder=folder.root / ".codecairn")
    prepare_store(found.folder)
    assert _place(folder.root) == found, "signed, it is used whatever the setting"


def test_linked_worktree_shares_the_store_of_its_main_worktree(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    assert _place(linked, main=main).folder.name == global_name(main)
    found = _place(linked, main=main, scope="workspace")
    assert found == StoreLocation(folder=main / ".codecairn")


def test_worktree_keeps_its_own_store_where_the_shared_one_can_not_be_written(
    tmp_path: Path, writable: Callable[[Callable[[Path], bool]], None]
) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    shared = _place(linked, main=main).folder
    writable(lambda path: user.data_folder() not in path.parents)
    assert _place(linked, main=main) == StoreLocation(folder=shared), (
        "without a key nothing is signed"
    )
    prepare_store(tmp_path / "other")
    found = _place(linked, main=main)
    assert found == StoreLocation(folder=linked / ".codecairn", shared=shared)


def test_data_folder_stands_in_where_nothing_in_the_workspace_can_be_written(
    tmp_path: Path, writable: Callable[[Callable[[Path], bool]], None]
) -> None:
    writable(lambda path: user.data_folder() in path.parents)
    found = _place(tmp_path / "a", scope="workspace")
    assert found.folder.parent == user.data_folder() / "overlays"
    assert found.shared == tmp_path / "a" / ".codecairn"
    writable(lambda _path: False)
    found = _place(tmp_path / "a", scope="workspace")
    assert found == StoreLocation(folder=tmp_path / "a" / ".codecairn")


@pytest.mark.parametrize("scope", ["global", "workspace"])
def test_folder_that_a_repository_brought_is_not_used(folder: Repository, scope: str) -> None:
    folder.write(".codecairn/index.db", "planted")
    found = _place(folder.root, scope=scope)
    assert found.folder.parent == user.data_folder() / "stores"
    assert "does not carry your signature" in found.ignored


def test_shared_memory_alone_leaves_room_for_a_store(folder: Repository) -> None:
    folder.write(".codecairn/memory/rule.jsonl", "{}")
    assert not _place(folder.root).ignored
    found = _place(folder.root, scope="workspace")
    assert found == StoreLocation(folder=folder.root / ".codecairn")


def test_trusted_store_is_used_until_it_is_copied(folder: Repository, tmp_path: Path) -> None:
    folder.write(".codecairn/index.db", "of the version before")
    assert store_trust.adopt(folder.root)
    assert _place(folder.root) == StoreLocation(folder=folder.root / ".codecairn")
    assert registry.is_trusted(folder.root)
    copy = Repository(tmp_path / "copy")
    for name in ("index.db", "trusted"):
        copy.write(f".codecairn/{name}", (folder.root / ".codecairn" / name).read_bytes())
    assert _place(copy.root).ignored
    store_trust.disown(folder.root)
    assert _place(folder.root).ignored
    assert not registry.is_trusted(folder.root)


def test_store_that_git_tracks_is_never_used(repository: Repository) -> None:
    prepare_store(repository.root / ".codecairn")
    assert not _place(repository.root).ignored
    repository.write(".codecairn/index.db", "committed")
    repository.git("add", "--force", ".codecairn/index.db")
    found = _place(repository.root)
    assert "git tracks `.codecairn/index.db`" in found.ignored
    with pytest.raises(StoreUntrusted, match="git tracks"):
        store_trust.adopt(repository.root)


@pytest.mark.parametrize("path", [".codecairn/BOX", ".codecairn/a/b"])
def test_file_that_git_tracks_is_named(repository: Repository, path: str) -> None:
    repository.write(path, "committed")
    repository.git("add", "--force", path)
    ignored = _place(repository.root).ignored
    assert f"git tracks `{path}`, so it came with the repository" in ignored


def test_submodule_in_the_folder_s_place_is_named(repository: Repository) -> None:
    repository.write(".codecairn/index.db", "checked out")
    module = f"160000,{'1' * 40},.codecairn"
    repository.git("update-index", "--add", "--cacheinfo", module)
    assert "git tracks `.codecairn`, so it" in _place(repository.root).ignored


@pytest.mark.parametrize(
    ("error", "reason"),
    [(PermissionError(13, "Permission denied"), "Permission denied"), (OSError("gone"), "gone")],
)
def test_folder_that_can_not_be_listed_says_why_it_is_not_used(
    folder: Repository, monkeypatch: pytest.MonkeyPatch, error: OSError, reason: str
) -> None:
    folder.write(".codecairn/index.db", "")

    def listdir(_path: Path) -> list[str]:
        raise error

    monkeypatch.setattr(os, "listdir", listdir)  # root may list everything
    store = folder.root / ".codecairn"
    assert store_trust.inspect(store).problem == f"`{store}` can't be read: {reason}"


@pytest.mark.parametrize("name", ["memory/rule.jsonl", ".gitignore"])
def test_team_s_files_in_git_leave_a_store_trusted(repository: Repository, name: str) -> None:
    prepare_store(repository.root / ".codecairn")
    repository.write(f".codecairn/{name}", "*")
    repository.git("add", "--force", f".codecairn/{name}")
    assert _place(repository.root) == StoreLocation(folder=repository.root / ".codecairn")


def test_nothing_is_trusted_where_git_s_index_can_not_be_read(repository: Repository) -> None:
    prepare_store(repository.root / ".codecairn")
    repository.write(".git/index", b"no index")
    assert "git's index can't be read" in _place(repository.root).ignored
    repository.write(".codecairn/index.db", "")
    with pytest.raises(StoreUntrusted, match="can't be read"):
        store_trust.adopt(repository.root)


def test_workspace_without_a_store_is_trusted_and_nothing_is_signed(folder: Repository) -> None:
    assert not store_trust.adopt(folder.root)
    assert registry.is_trusted(folder.root)
    assert not (folder.root / ".codecairn").exists()
    store_trust.disown(folder.root)
    assert not registry.is_trusted(folder.root)


def test_folder_has_a_store_only_if_that_may_be_used(folder: Repository, tmp_path: Path) -> None:
    assert not store_trust.has_store(folder.root)
    folder.write(".codecairn/index.db", "planted")
    assert not store_trust.has_store(folder.root)
    store_trust.adopt(folder.root)
    assert store_trust.has_store(folder.root)
    other = tmp_path / "other"
    prepare_store(_place(other).folder)
    assert not store_trust.has_store(other), "a folder is no store yet"
    (_place(other).folder / "index.db").touch()
    assert store_trust.has_store(other)


@pytest.mark.skipif(sys.platform == "win32", reason="making links takes rights there")
@pytest.mark.parametrize("name", ["segments", "log.jsonl", "write.owner", "memory/own/rule"])
def test_store_with_a_link_in_it_is_not_signed(
    folder: Repository, tmp_path: Path, name: str
) -> None:
    folder.write(".codecairn/index.db", "")
    (folder.root / ".codecairn" / name).parent.mkdir(parents=True, exist_ok=True)
    (folder.root / ".codecairn" / name).symlink_to(tmp_path)
    with pytest.raises(StoreUntrusted, match="is a link"):
        store_trust.adopt(folder.root)
    assert not registry.is_trusted(folder.root)


@pytest.mark.skipif(sys.platform == "win32", reason="making links takes rights there")
def test_link_in_the_folders_place_is_refused(folder: Repository, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (folder.root / ".codecairn").symlink_to(elsewhere)
    for scope in ("global", "workspace"):
        assert "it is a symbolic link" in _place(folder.root, scope=scope).ignored
    with pytest.raises(StoreUntrusted, match="symbolic link"):
        prepare_store(folder.root / ".codecairn")
    assert list(elsewhere.iterdir()) == []


def test_store_with_a_folder_that_can_not_be_listed_is_not_signed(
    folder: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write(".codecairn/index.db", "")
    folder.write(".codecairn/segments/1", "")
    listed = Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path.name == "segments":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)  # root may list everything
    with pytest.raises(StoreUntrusted, match="segments` can't be read: Permission denied"):
        store_trust.adopt(folder.root)
    assert not registry.is_trusted(folder.root)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_store_with_a_pipe_in_it_is_not_signed(folder: Repository) -> None:
    folder.write(".codecairn/index.db", "")
    os.mkfifo(folder.root / ".codecairn" / "log.jsonl")
    with pytest.raises(StoreUntrusted, match="a device"):
        store_trust.adopt(folder.root)
    assert not registry.is_trusted(folder.root)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="takes root's rights")
def test_store_with_a_file_of_another_user_is_not_signed(folder: Repository) -> None:
    folder.write(".codecairn/index.db", "")
    folder.write(".codecairn/segments/1", "")
    os.chown(folder.root / ".codecairn/segments/1", 12345, 12345)
    with pytest.raises(StoreUntrusted, match="belongs to another user"):
        store_trust.adopt(folder.root)
    assert not registry.is_trusted(folder.root)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="takes root's rights")
def test_folder_of_another_user_is_not_used(folder: Repository) -> None:
    prepare_store(folder.root / ".codecairn")
    os.chown(folder.root / ".codecairn", 12345, 12345)
    assert "another user" in _place(folder.root).ignored


def test_global_name_is_readable_and_harmless() -> None:
    assert global_name(Path("/srv/my shop:1")).startswith("my_shop_1-")
    assert global_name(Path("/")).startswith("root-")


def test_prepared_store_is_private_and_keeps_itself_out_of_git(repository: Repository) -> None:
    store = repository.root / ".codecairn"
    prepare_store(store)
    assert (user.data_folder() / "key").stat().st_size == 32, "of earlier versions, too"
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
