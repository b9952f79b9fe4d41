"""Decides which store inside a workspace may be used: one that this user signed and of which git tracks nothing.

A repository can contain a folder `.codecairn` with any content. Its content is therefore used only with a signature by a key in the
user's data folder, which a repository can't forge; see `native/crates/trust/src`. Everything else in it is neither read nor
written, repaired or removed, except for the team's committed memory, which is read as statements of the repository.
"""

import os
from pathlib import Path

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import CodecairnError, FileAccessError, StoreUntrusted
from codecairn.paths import user
from codecairn.paths.root import STORE_NAME, find_root
from codecairn.paths.store import INDEX_FILE, global_store
from codecairn.trust import registry

SEAL_FILE = "trusted"
"""The file in a store's folder that holds its signature."""

_TEAM_FOLDER = "memory"
_OWN_FILES = frozenset({_TEAM_FOLDER, ".gitignore"})
"""What may lie in a folder that codecairn signs without being asked: nothing of it is used as a store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What is known of the folder of a store inside a workspace.

    Attributes:
        is_trusted: Whether the store in it may be used.
        is_free: Whether a store may be made in it, as there is no folder or nothing in it but shared memory.
        problem: Why what is in it is not used; empty if it is, or if there is nothing.
    """

    is_trusted: bool = False
    is_free: bool = False
    problem: str = ""


def key_file() -> Path:
    """The file of the user's key; it need not exist."""
    return user.data_folder() / "key"


def inspect(store: Path) -> Inspection:
    """Find out whether the store in the folder `store` inside a workspace may be used. Nothing in it is opened."""
    if not os.path.lexists(store):
        return Inspection(is_free=True)
    try:
        return _inspected(store)
    except CodecairnError as err:
        return Inspection(problem=err.message)
    except OSError as err:
        return Inspection(problem=f"`{store}` can't be read: {err.strerror or err}")


def _inspected(store: Path) -> Inspection:
    from codecairn.core.trust_engine import is_store_sealed

    is_sealed = is_store_sealed(store, key_file())
    tracked = tracked_problem(store)
    if tracked:
        return Inspection(problem=tracked)
    if is_sealed:
        return Inspection(is_trusted=True)
    if _OWN_FILES.issuperset(os.listdir(store)):  # noqa: PTH208 - names are enough
        return Inspection(is_free=True)
    return Inspection(problem=f"`{store}` does not carry your signature")


def tracked_problem(folder: Path) -> str:
    """Why a folder inside a workspace can't be the user's own by what git tracks in it; empty if it can."""
    from codecairn.core.trust_engine import tracked_below

    tracked = tracked_below(folder)
    if tracked is None:
        return f"git's index can't be read, so it may track `{folder}`"
    for path in tracked:
        if path.partition("/")[0] not in _OWN_FILES:
            name = f"{folder.name}/{path}".rstrip("/")
            return f"git tracks `{name}`, so it came with the repository"
    return ""


def has_store(folder: Path) -> bool:
    """Whether there is a store for this folder that may be used: inside it, or in the user's data folder."""
    if (global_store(user.data_folder(), folder) / INDEX_FILE).is_file():
        return True
    inside = folder / STORE_NAME
    return os.path.lexists(inside) and inspect(inside).is_trusted


def workspace_root(start: Path) -> Path:
    """The root of the workspace that `start`, a resolved folder, lies in; see `find_root`."""
    return find_root(start, home=user.home_folder(), has_store=has_store)


def adopt(root: Path) -> bool:
    """Trust a workspace, and sign the store inside it, if there is one; returns whether there is.

    Raises:
        StoreUntrusted: If something in the store is a link, a device or another user's, or tracked by git.
        FileAccessError: If the user's data folder can't be written.
    """
    from codecairn.core.trust_engine import seal_store

    store = root / STORE_NAME
    has_index = os.path.lexists(store / INDEX_FILE)
    if has_index:
        problem = tracked_problem(store)
        if problem:
            hint = f'take it out of git with `git rm -r --cached "{store}"`, or remove it'
            raise StoreUntrusted(problem, hint=hint)
        _require_plain(store)
        seal_store(store, key_file())
    registry.trust(root)
    return has_index


def disown(root: Path) -> None:
    """Trust a workspace no longer, nor the store inside it.

    Raises:
        FileAccessError: If the registry can't be read or written, or the signature can't be removed.
    """
    store = root / STORE_NAME
    if inspect(store).is_trusted:
        try:
            (store / SEAL_FILE).unlink(missing_ok=True)
        except OSError as err:
            raise FileAccessError(f"can't remove `{store / SEAL_FILE}`: {err.strerror}") from err
    registry.distrust(root)


def _require_plain(folder: Path) -> None:
    """Refuse to sign a folder that holds anything but regular files and folders of this user."""
    pending = [folder]
    while pending:
        each = pending.pop()
        try:
            found = each.lstat()
            is_folder = each.is_dir() and not each.is_symlink()
            if not is_folder and (each.is_symlink() or not each.is_file()):
                raise StoreUntrusted(
                    f"`{each}` is a link or a device, which codecairn never makes",
                    hint="remove it, or the whole folder: an index is rebuilt from the files",
                )
            if hasattr(os, "getuid") and found.st_uid != os.getuid():
                raise StoreUntrusted(
                    f"`{each}` belongs to another user",
                    hint="remove the folder: an index is rebuilt from the files",
                )
            if is_folder:
                pending.extend(each.iterdir())
        except OSError as err:
            raise StoreUntrusted(f"`{each}` can't be read: {err.strerror or err}") from err
