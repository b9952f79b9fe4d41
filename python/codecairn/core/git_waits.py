"""Refuses repositories in which git would wait for a pipe or read a device without an end.

git opens these files without a look at their kind, and opening a pipe waits for a writer. A configuration may include any file,
so the included ones are looked at too, whatever their conditions. All else that may hold git up, such as a pipe among the
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
_MAX_FILES = 100
"""Repositories with more settings are refused; git itself would read them for each of its commands."""

_ENTRY = re.compile(
    rb'\[(?P<section>[\w.-]+)(?:[ \t\r]+"(?:[^"\\\n]|\\.)*")?\]'
    rb"|(?P<name>[a-z][\w-]*)[ \t]*"
    rb'(?:=(?P<value>(?:"(?:[^"\\\n]|\\.|\\\n)*"|\\.|\\\n|[^"\\\n#;])*))?'
    rb"|[#;][^\n]*",
    re.IGNORECASE,
)
"""The beginning of a section, a setting, or a comment."""

_INCLUDING = (b"include", b"includeif")
_PART = re.compile(rb"\\\n|\\.|.", re.DOTALL)
_ESCAPED = {b"\\\n": b"", rb"\n": b"\n", rb"\t": b"\t", rb"\b": b"\b"}


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
    return _endless_settings([own / "config.worktree", shared / "config"])


def _git_folder(top: Path) -> Path:
    dot_git = top / ".git"
    return dot_git if dot_git.is_dir() else _followed(top, dot_git, prefix="gitdir:")


def _followed(folder: Path, pointer: Path, *, prefix: str = "") -> Path:
    """The folder that a file points to, relative to `folder`; that itself where the file points nowhere."""
    target = os.fsdecode(_content(pointer)).strip().removeprefix(prefix).strip()
    return folder / target if target else folder


def _endless_settings(waiting: list[Path]) -> str:
    """As `endless_file`, for files of settings and those that they include."""
    seen = set()
    total_bytes = 0
    while waiting:
        file = waiting.pop()
        place = os.path.join(os.path.realpath(file.parent), file.name)  # noqa: PTH118
        if place in seen:
            continue
        seen.add(place)
        if reason := _reason(file):
            return f"`{file}` {reason}"
        content = _content(file)
        total_bytes += len(content)
        if total_bytes > _MAX_BYTES:
            return f"`{file}` and what it includes has more than {_MAX_BYTES:,} bytes"
        if len(seen) > _MAX_FILES:
            return f"`{file}` is one of more than {_MAX_FILES} files of settings"
        waiting += [file.parent / name for name in _included(content)]
    return ""


def _included(settings: bytes) -> Iterator[str]:
    """The files that these settings include, as paths from the folder of the settings."""
    if b"include" not in settings.lower():
        return
    section = b""
    for entry in _ENTRY.finditer(settings.replace(b"\r\n", b"\n")):
        if entry["section"]:
            section = entry["section"].lower()
        elif section in _INCLUDING and entry["value"] and entry["name"].lower() == b"path":
            name = os.fsdecode(_unquoted(entry["value"]).partition(b"\0")[0])
            yield os.path.expanduser(name)  # noqa: PTH111 - the home may be unknown


def _unquoted(value: bytes) -> bytes:
    """A value without quotes, escapes and the spaces around it."""
    found, kept, is_quoted = bytearray(), 0, False
    for part in _PART.findall(value):
        if part == b'"':
            is_quoted = not is_quoted
        elif is_quoted or part not in (b" ", b"\t", b"\r"):
            found += _ESCAPED.get(part, part[-1:])
            kept = len(found)
        elif found:
            found += part
    return bytes(found[:kept])


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
            return opened.read(_MAX_BYTES + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
        except OSError:
            return b""
