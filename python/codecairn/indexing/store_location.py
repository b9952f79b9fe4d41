"""Locates the store of a workspace, and prepares its folder."""

from pathlib import Path

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import DiskFull, FileAccessError, StoreReadOnly, disk_full
from codecairn.paths.root import STORE_NAME
from codecairn.paths.store import GITIGNORE, OWNER_FILE, global_name, global_store, is_writable
from codecairn.trust import store_list
from codecairn.trust.store_trust import inspect, key_file


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLocation:
    """Where a workspace's store is.

    Attributes:
        folder: The store that is used.
        shared: The store that would be used if it could be written; `folder` begins as a copy of it. `None` if
            that is `folder` itself.
        ignored: Why the folder `.codecairn` of the workspace is not used; empty if it is, or if there is none.
    """

    folder: Path
    shared: Path | None = None
    ignored: str = ""


def locate_store(
    root: Path, *, scope: str, main_worktree: Path | None, data_folder: Path
) -> StoreLocation:
    """Where the store of the workspace at `root` is; it need not exist.

    It is in the user's data folder, unless there is a signed one in the workspace (or in the main worktree that a linked
    worktree shares), or `scope` is "workspace" and one may be made there. A store that can't be written is stood in for
    by one that can: in the linked worktree itself, else in the user's data folder.
    """
    owner = main_worktree or root
    inside = owner / STORE_NAME
    found = inspect(inside)
    # A copy that an agent in a sandbox made is no place for what can be kept elsewhere.
    is_own = found.is_trusted and not (inside / OWNER_FILE).is_file()
    is_inside = is_own or (found.is_free and scope == "workspace")
    preferred = inside if is_inside else global_store(data_folder, owner)
    if is_writable(preferred):
        return StoreLocation(folder=preferred, ignored=found.problem)
    for folder in (root / STORE_NAME, data_folder / "overlays" / global_name(root)):
        if folder != preferred and is_writable(folder) and _may_be_made(folder):
            return StoreLocation(folder=folder, shared=preferred, ignored=found.problem)
    return StoreLocation(folder=preferred, ignored=found.problem)


def prepare_store(store: Path) -> None:
    """Make the store's folder, private to its owner; one inside a workspace is signed, and kept out of git.

    Raises:
        StoreReadOnly: If the folder can't be written.
        StoreUntrusted: If it is a link, belongs to another user or may be written by others.
        DiskFull: If there is no room.
    """
    from codecairn.core.trust_engine import make_user_key, seal_store

    try:
        if store.name == STORE_NAME:
            if not inspect(store).is_trusted:
                seal_store(store, key_file())
                store_list.remember(store)
            _keep_private(store)
        elif not store.is_dir():
            # A sandboxed agent that comes later can't make the key that it signs with.
            make_user_key(key_file())
            store.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileAccessError as err:
        raise StoreReadOnly(f"the store `{store}` can't be written: {err.message}") from err
    except OSError as err:
        raise _store_error(store, err) from err


def _may_be_made(folder: Path) -> bool:
    """Whether a store in this folder may be used or made; one inside a workspace needs a key that exists."""
    if folder.name != STORE_NAME:
        return True
    found = inspect(folder)
    return found.is_trusted or (found.is_free and key_file().is_file())


def _keep_private(store: Path) -> None:
    """The folder is this user's, and no link, as signing it found."""
    if store.stat().st_mode & 0o077:
        store.chmod(0o700)
    try:
        with (store / ".gitignore").open("x", encoding="utf-8") as file:
            file.write(GITIGNORE)
    except FileExistsError:
        return


def _store_error(store: Path, err: OSError) -> StoreReadOnly | DiskFull:
    full = disk_full(err)
    if full is not None:
        return full
    return StoreReadOnly(f"the store `{store}` can't be written: {err.strerror or err}")
