"""Where a workspace's store lies, and making that folder ready."""

import errno
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from codecairn.errors import DiskFull, StoreReadOnly
from codecairn.paths.root import STORE_NAME

INDEX_FILE = "index.db"
"""The database of a store; a store exists if this file does."""

_NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))

GITIGNORE = """\
# Written by codecairn: nothing here belongs in git but shared memory.
*
!/memory/
!/memory/*.jsonl
!/memory/.gitattributes
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlace:
    """Where a workspace's store is.

    Attributes:
        folder: The store that is used.
        shared: The store that would be used if it could be written; `folder` begins as a copy of it. `None` if
            that is `folder` itself.
    """

    folder: Path
    shared: Path | None = None


def store_place(
    root: Path, *, scope: str, main_worktree: Path | None, data_folder: Path
) -> StorePlace:
    """Where the store of the workspace at `root` is; it need not exist.

    `scope` is "workspace" (in the workspace, or in the main worktree's root that a linked worktree shares) or
    "global" (in the user's data folder). A store that can't be written is stood in for by one that can: in the linked
    worktree itself, else in the user's data folder.
    """
    owner = main_worktree or root
    if scope == "global":
        return StorePlace(folder=data_folder / "stores" / global_name(owner))
    shared = owner / STORE_NAME
    if is_writable(shared):
        return StorePlace(folder=shared)
    for folder in (root / STORE_NAME, data_folder / "overlays" / global_name(root)):
        if folder != shared and is_writable(folder):
            return StorePlace(folder=folder, shared=shared)
    return StorePlace(folder=shared)


def global_name(root: Path) -> str:
    """A name for this workspace that is readable and distinct: the folder's name and a hash of its path."""
    import hashlib

    digest = hashlib.blake2b(os.fsencode(root), digest_size=8).hexdigest()
    readable = "".join(char if char.isalnum() or char in "-_." else "_" for char in root.name)
    return f"{readable[:40] or 'root'}-{digest}"


def store_exists(store: Path) -> bool:
    """Whether there is a store in this folder.

    Raises:
        StoreReadOnly: If somebody else's folder hides the answer.
    """
    try:
        return (store / INDEX_FILE).exists()
    except OSError as err:
        raise StoreReadOnly(f"the store `{store}` can't be read: {err.strerror or err}") from err


def is_writable(folder: Path) -> bool:
    """Whether files can be made in this folder, or the folder itself where it does not exist yet."""
    existing = folder
    try:
        while not existing.exists():
            existing = existing.parent
    except OSError:
        return False
    return os.access(existing, os.W_OK | os.X_OK)


def prepare_store(store: Path) -> None:
    """Make the store's folder, private to its owner, and keep it out of git.

    Raises:
        StoreReadOnly: If the folder can't be written.
        DiskFull: If there is no room.
    """
    try:
        if not store.is_dir():
            store.mkdir(mode=0o700, parents=True, exist_ok=True)
        if store.name == STORE_NAME:
            _keep_out_of_git(store)
    except OSError as err:
        raise _store_error(store, err) from err


def _keep_out_of_git(store: Path) -> None:
    ignore_file = store / ".gitignore"
    if not ignore_file.exists():
        ignore_file.write_text(GITIGNORE, encoding="utf-8")
    if (
        sys.platform != "win32"
        and store.stat().st_mode & 0o077
        and store.stat().st_uid == os.getuid()
    ):
        store.chmod(0o700)


def _store_error(store: Path, err: OSError) -> StoreReadOnly | DiskFull:
    if err.errno in _NO_ROOM:
        return DiskFull(f"no space left on the disk that holds `{store}`")
    return StoreReadOnly(f"the store `{store}` can't be written: {err.strerror or err}")
