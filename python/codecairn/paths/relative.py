"""Names inside a workspace: relative to its root, with `/`.

Invariant: these are functions on strings and pure paths; none of them looks at the disk.
"""

from pathlib import PurePath, PureWindowsPath

from codecairn.errors import UsageError


def relative_name(path: PurePath, root: PurePath) -> str:
    """The name inside the workspace of an absolute path; empty for the root itself.

    Raises:
        UsageError: If the path lies outside the workspace.
    """
    try:
        relative = path.relative_to(root)
    except ValueError as err:
        raise UsageError(f"`{path}` lies outside the workspace `{root}`") from err
    return "" if relative == type(relative)() else relative.as_posix()


def inner_name(given: str, *, root: PurePath) -> str:
    """The name inside the workspace of a file or folder as somebody typed it, relative to the root or absolute.

    Raises:
        UsageError: If it lies outside the workspace.
    """
    pure = type(root)(given)
    if pure.is_absolute():
        return relative_name(pure, root)
    parts: list[str] = []
    for part in pure.parts:
        if part == "..":
            if not parts:
                raise UsageError(f"`{given}` lies outside the workspace `{root}`")
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def split_place(place: str) -> tuple[str, int]:
    """File and line of `FILE:LINE`; a Windows drive keeps its colon, and a trailing column is dropped.

    Raises:
        UsageError: If there is no line or it is not a positive number.
    """
    head, colon, tail = place.rpartition(":")
    before, second_colon, middle = head.rpartition(":")
    if second_colon and middle.isdecimal() and tail.isdecimal() and before:
        head, tail = before, middle
    is_drive = len(head) == 1 and head.isalpha() and PureWindowsPath(place).drive != ""
    if not colon or not head or is_drive or not tail.isdecimal() or int(tail) < 1:
        raise UsageError(
            f"`{place}` is not of the form FILE:LINE", hint="for example `src/auth.py:42`"
        )
    return head, int(tail)
