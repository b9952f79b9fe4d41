"""Paths within a workspace: relative to its root, with `/`.

Invariant: these are functions on strings and pure paths; none of them looks at the disk.
"""

from collections.abc import Iterable
from pathlib import PurePath, PureWindowsPath

from codecairn.errors import UsageError

_MAX_LINE_DIGITS = 18
"""No file has a line of more digits, and `int` raises `ValueError` at more than 4,300."""


def relative_name(path: PurePath, root: PurePath) -> str:
    """The name inside the workspace of an absolute path; empty for the root itself.

    Raises:
        UsageError: If the path lies outside the workspace.
    """
    try:
        relative = path.relative_to(root)
    except ValueError as err:
        raise outside_error(path, root) from err
    return "" if relative == type(relative)() else relative.as_posix()


def inner_name(given: str, *, root: PurePath) -> str:
    """The name inside the workspace of a file or folder as a user or an agent typed it, relative to the root or absolute.

    `.` and `..` are resolved lexically, so the name is inside whatever lies on the disk; it may still lead through a
    link, which `paths.workspace_files` refuses. On Windows, what names a drive, a share, a stream or a device path other
    than the root's is outside.

    Raises:
        UsageError: If it lies outside the workspace.
    """
    pure = type(root)(given)
    outside = outside_error(given, root)
    is_windows = isinstance(pure, PureWindowsPath)
    if pure.is_absolute():
        inner = _collapsed(pure.parts[1:])
        if inner is None:
            raise outside
        name = relative_name(type(root)(pure.anchor, *inner), root)
        parts = name.split("/") if name else []
    else:
        inner = None if pure.anchor else _collapsed(pure.parts)
        if inner is None:
            raise outside
        parts = inner
    if "\0" in given or (is_windows and any(_is_foreign_on_windows(part) for part in parts)):
        raise outside
    return "/".join(parts)


def outside_error(given: object, root: PurePath) -> UsageError:
    """The error for a path outside the workspace."""
    return UsageError(
        f"`{given}` lies outside the workspace `{root}`",
        hint="`codecairn knowledge add FOLDER` searches further folders with a workspace",
    )


def _collapsed(parts: Iterable[str]) -> list[str] | None:
    """The parts without `..`, each of which removes the one before it; `None` if one has nothing to remove."""
    kept: list[str] = []
    for part in parts:
        if part != "..":
            kept.append(part)
        elif kept:
            kept.pop()
        else:
            return None
    return kept


def _is_foreign_on_windows(part: str) -> bool:
    """Whether a part names a drive or a stream, or is one of dots and blanks, which Windows shortens to `..` or nothing."""
    return ":" in part or not part.strip(". ")


def split_place(place: str) -> tuple[str, int]:
    """File and line of `FILE:LINE`; a Windows drive keeps its colon, and a trailing column is dropped.

    Raises:
        UsageError: If there is no line or it is not a positive number.
    """
    head, _, tail = place.rpartition(":")
    before, second_colon, middle = head.rpartition(":")
    if second_colon and middle.isdecimal() and tail.isdecimal() and before:
        head, tail = before, middle
    is_drive = len(head) == 1 and head.isascii() and head.isalpha()
    is_line = tail.isdecimal() and len(tail) <= _MAX_LINE_DIGITS and int(tail) > 0
    if not head or is_drive or not is_line:
        raise UsageError(
            f"`{place}` is not of the form FILE:LINE", hint="for example `src/auth.py:42`"
        )
    return head, int(tail)
