"""Writes the page to a file and opens it in a browser."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from codecairn.errors import FileAccessError
from codecairn.paths.atomic_write import write_atomically

PAGE_NAME = "graph.html"
"""What a page is called in the store, where it lies unless another place is named."""


def write_page(html: str, file: Path) -> None:
    """Write a page atomically: a reader sees the old page or the new one, never a part.

    Raises:
        FileAccessError: If it can't be written there.
    """
    try:
        write_atomically(file, html.encode(), mode=_mode_of(file))
    except OSError as err:
        raise _unwritable(file, err) from err


def can_open() -> bool:
    """Whether there is a desktop on which a browser would open."""
    if sys.platform in {"darwin", "win32"}:
        return not os.environ.get("SSH_CONNECTION")
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_page(file: Path) -> bool:
    """Open a page in the user's browser; `False` if none is found."""
    import webbrowser  # only where it is asked for

    return webbrowser.open(file.resolve().as_uri())


def _mode_of(file: Path) -> int:
    """The mode of the file that is there, or else that of any new one."""
    with suppress(OSError):
        return file.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _unwritable(file: Path, err: OSError) -> FileAccessError:
    reason = err.strerror or str(err)
    return FileAccessError(
        f"can't write `{file}`: {reason}", hint="name another place with `--output`"
    )
