"""Folders of a node's cache: removed whole, also where files are read-only, and measured."""

import os
import shutil
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as it can be removed. Windows removes no file that is read-only, as git's packs are."""

    def again(_function: Callable[..., object], path: str, _error: object) -> None:
        with suppress(OSError):  # it is gone, or it stays
            if stat.S_ISREG(os.lstat(path).st_mode):  # `chmod` would follow a link
                os.chmod(path, stat.S_IWRITE)  # noqa: PTH101 - a name of any kind
                os.unlink(path)  # noqa: PTH108

    if sys.version_info >= (3, 12):
        shutil.rmtree(folder, onexc=again)
    else:
        shutil.rmtree(folder, onerror=again)


def remove_folder(folder: Path) -> None:
    """Remove a folder in one step for those who look for it; its contents follow."""
    gone = folder.with_name(f".removed-{folder.name}-{os.urandom(4).hex()}")
    try:
        folder.rename(gone)
    except OSError:
        gone = folder
    remove_tree(gone)


def folder_bytes(folder: Path) -> int:
    """The bytes of all files below a folder; those that vanish meanwhile do not count."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - many files
    return total
