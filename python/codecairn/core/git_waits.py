"""Refuses repositories in which git would wait for a pipe or read a device without an end.

git opens these files without a look at their kind, and opening a pipe waits for a writer. A configuration may include any file,
so the included ones are looked at too, as deep as git follows them. All else that may hold git up, such as a pipe among the
objects, ends by the time that git is given.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from codecairn.core.programs import repository_of

_OWN = ("HEAD", "commondir", "config.worktree", "index", "info/sparse-checkout")
_SHARED = (
    "config", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates", "objects/info/commit-graph", "packed-refs",
    "shallow",
)  # fmt: skip
_OF_TREE = (".gitattributes", ".gitignore", ".gitmodules", ".mailmap")

_MAX_BYTES = 1 << 20
"""Larger files of settings are refused; git itself would read them for each of its commands."""

_MAX_DEPTH = 10
"""How deep git follows settings that include others."""

_INCLUDED = re.compile(
    rb'(?:^|\])[ \t]*path[ \t]*=[ \t]*"?([^"\n;#]+)', re.IGNORECASE | re.MULTILINE
)


def endless_file(root: Path) -> str:
    """The file that git would wait for or read without an end in the repository around `root`, and why; else empty."""
    top = repository_of(root)
    if top is None:
        return ""
    own = _git_folder(top)
    shared = _followed(own, own / "commondir")
    fixed = [top / name for name in _OF_TREE]
    fixed += [own / name for name in _OWN] + [shared / name for name in _SHARED]
    for file in fixed:
        if reason := _reason(file):
            return f"`{file}` {reason}"
    for settings in (shared / "config", own / "config.worktree"):
        for file, reason in _included(settings, _MAX_DEPTH):
            return f"`{file}` {reason}"
    return ""


def _git_folder(top: Path) -> Path:
    dot_git = top / ".git"
    return dot_git if dot_git.is_dir() else _followed(top, dot_git, prefix="gitdir:")


def _followed(folder: Path, pointer: Path, *, prefix: str = "") -> Path:
    """The folder that a file points to, relative to `folder`; that itself where the file points nowhere."""
    target = os.fsdecode(_content(pointer)).strip().removeprefix(prefix).strip()
    return folder / target if target else folder


def _included(settings: Path, depth: int) -> Iterator[tuple[Path, str]]:
    """The files that can't be read to their end among those that a file of settings includes, and itself."""
    if reason := _reason(settings):
        yield settings, reason
        return
    try:
        is_large = settings.stat().st_size > _MAX_BYTES
    except OSError:
        return
    if is_large:
        yield settings, f"has more than {_MAX_BYTES:,} bytes"
    elif depth:
        for found in _INCLUDED.findall(_content(settings)):
            name = os.path.expanduser(os.fsdecode(found.strip()))  # noqa: PTH111 - the home may be unknown
            yield from _included(settings.parent / name, depth - 1)


def _reason(file: Path) -> str:
    try:
        found = file.stat()
    except (OSError, ValueError):
        return ""
    if stat.S_ISFIFO(found.st_mode):
        return "is a pipe"
    is_device = stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode)
    return "is a device" if is_device and not os.path.samefile(file, os.devnull) else ""  # noqa: PTH121


def _content(file: Path) -> bytes:
    """The beginning of a regular file; nothing of anything else."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(file, flags | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return b""
    with os.fdopen(handle, "rb") as opened:
        try:
            return opened.read(_MAX_BYTES) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
        except OSError:
            return b""
