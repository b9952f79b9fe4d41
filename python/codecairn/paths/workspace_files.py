"""Opens files of a workspace: regular files only, within a size limit, and never through a link that leads out of it.

A repository may commit anything under any name: a link to `/dev/zero` or to the user's keys, a file of many gigabytes. The disk
may contain pipes, whose opening blocks until there is a writer. An entry is therefore checked before it is opened, opened
without blocking and without following a link, and checked again. A process that swaps entries between check and opening is
outside of this model: it has the user's rights already.

Failures are `OSError`s whose `strerror` names the reason without quoting content.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from codecairn.paths.atomic_write import write_atomically

_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_NEW_MODE = 0o666
"""Less the process's mask, as any new file of a working tree."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; the last part of the path may not be a link.

    Raises:
        OSError: If it is no regular file or can't be opened.
    """
    _require_regular(path.lstat())
    handle = os.open(path, os.O_RDONLY | _FLAGS | _NO_WAIT)
    try:
        _require_regular(os.fstat(handle))
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def read_regular(path: Path, *, max_bytes: int) -> bytes:
    """The content of a regular file; the last part of the path may not be a link.

    Raises:
        OSError: If it is no regular file, is larger, or can't be read.
    """
    with open_regular(path) as file:
        return _bounded(file, max_bytes)


def open_inside(root: Path, path: Path, *, follow_links: bool = True) -> BinaryIO:
    """Open a regular file of the workspace at `root` for reading.

    Links are followed as long as they lead to somewhere inside the root, or not at all.

    Raises:
        OSError: If it lies outside, is no regular file or can't be opened.
    """
    return open_regular(_inside(root, path, follow_links=follow_links))


def read_inside(root: Path, path: Path, *, max_bytes: int, follow_links: bool = True) -> bytes:
    """The content of a regular file of the workspace at `root`; see `open_inside`.

    Raises:
        OSError: If it lies outside, is no regular file, is larger, or can't be read.
    """
    with open_inside(root, path, follow_links=follow_links) as file:
        return _bounded(file, max_bytes)


def create_inside(root: Path, path: Path, content: bytes) -> None:
    """Write a new file into the workspace at `root`. Its folder must exist and lie inside.

    Raises:
        OSError: If it lies outside, exists already, or can't be written.
    """
    place = _inside(root, path.parent) / path.name
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, _NEW_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
    except BaseException:
        place.unlink(missing_ok=True)
        raise


def replace_inside(root: Path, path: Path, content: bytes) -> None:
    """Write a file of the workspace at `root` in one step: a crash leaves the old content or the new one.

    A file that exists keeps its mode. A link is followed as long as it leads to somewhere inside the root.

    Raises:
        OSError: If it lies outside, is no regular file, or can't be written.
    """
    if path.is_symlink() or path.exists():
        place = _inside(root, path)
        _require_regular(place.lstat())
        mode = stat.S_IMODE(place.lstat().st_mode)
    else:
        place = _inside(root, path.parent) / path.name
        mode = 0o644
    write_atomically(place, content, mode=mode)


def append_inside(root: Path, path: Path, content: bytes) -> None:
    """Append to a file of the workspace at `root`, or make it; no part of the path below the root may be a link.

    The content is on the disk when this returns.

    Raises:
        OSError: If a part is a link, it is no regular file, or can't be written.
    """
    place = require_without_links(root, path)
    if os.path.lexists(place):
        _require_regular(place.lstat())
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _FLAGS | _NO_WAIT
    with os.fdopen(os.open(place, flags, _NEW_MODE), "ab") as file:
        _require_regular(os.fstat(file.fileno()))
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def require_without_links(root: Path, path: Path) -> Path:
    """The path, if no part of it below the root is a link; what does not exist is none.

    Raises:
        OSError: If a part is a link, or the path leads out of the root.
    """
    try:
        parts = path.relative_to(root).parts
    except ValueError:
        parts = ("..",)
    if ".." in parts:
        raise _outside()
    place = root
    for part in parts:
        place /= part
        if place.is_symlink():
            raise OSError(errno.ELOOP, f"`{place.relative_to(root).as_posix()}` is a link")
    return place


def _inside(root: Path, path: Path, *, follow_links: bool = True) -> Path:
    """Where the path leads, which exists and lies inside the root."""
    if not follow_links:
        return require_without_links(root, path)
    try:
        place, top = path.resolve(strict=True), root.resolve(strict=True)
    except RuntimeError as err:  # a loop of links, before Python 3.13
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from err
    if place != top and top not in place.parents:
        raise _outside()
    return place


def _outside() -> OSError:
    return OSError(errno.EXDEV, "it lies outside of the workspace, or is a link that leads there")


def _require_regular(found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, "it is a link")
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")


def _bounded(file: BinaryIO, max_bytes: int) -> bytes:
    content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise OSError(errno.EFBIG, f"it has more than {max_bytes:,} bytes")
    return content
