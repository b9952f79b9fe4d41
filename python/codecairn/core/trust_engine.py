"""The typed face of signatures in the Rust core, which prove that a folder was made by this user. It makes no decisions."""

from pathlib import Path

from codecairn import _native
from codecairn.core.engine import translated


def is_store_sealed(store: Path, key: Path) -> bool | None:
    """Whether a folder is signed by the key in the file `key`; `None` if there is no folder."""
    with translated():
        return _native.is_store_sealed(store, key)


def seal_store(store: Path, key: Path) -> None:
    """Make a store's folder, unless it is there, and sign it; the key is made if there is none."""
    with translated():
        _native.seal_store(store, key)


def make_user_key(key: Path) -> None:
    """Make the user's key, unless there is one."""
    with translated():
        _native.make_user_key(key)


def tracked_below(folder: Path) -> list[str] | None:
    """The paths below a folder that git tracks, relative to it; `None` if git's index can't be read."""
    with translated():
        return _native.tracked_below(folder)
