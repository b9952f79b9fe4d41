"""Paths under `/memories`, and the listing of a folder in the format of Anthropic's memory tool."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from codecairn.errors import UsageError
from codecairn.integrations.key_value_log import Name

ROOT = "memories"
_NUMBER_WIDTH = 6


def name_of(path: str) -> Name:
    """The parts of a path, which lies under `/memories` however it is read.

    Raises:
        UsageError: If it does not.
    """
    parts = tuple(part for part in path.split("/") if part)
    if not path.startswith("/") or parts[:1] != (ROOT,):
        raise UsageError(f"Path must start with /memories, got: {path}")
    for read in (path, unquote(path), unquote(unquote(path))):
        if not read.isprintable() or "\\" in read or {".", ".."} & {*read.split("/")}:
            raise UsageError(f"Path {path} would escape /memories directory")
    return parts


def missing(path: str) -> UsageError:
    """There is nothing at a path."""
    return UsageError(f"The path {path} does not exist. Please provide a valid path.")


def removal_note(kept: object, given: str) -> str:
    """The note on a stored text from which privacy removed something."""
    return "" if kept == given else "\nWhat is private or a secret was left out of it."


def numbered(lines: Sequence[str], first: int, last: int) -> str:
    """Lines with their numbers, from `first` to `last`."""
    shown = enumerate(lines[first - 1 : last], start=first)
    return "\n".join(f"{at:>{_NUMBER_WIDTH}}\t{line}" for at, line in shown)


def listed(folder: Name, inside: Mapping[Name, str]) -> Iterator[str]:
    """A folder and what lies up to two levels deep in it, with its size."""
    sizes: dict[Name, int] = {folder: 0}
    for name, text in sorted(inside.items()):
        for depth in range(len(folder), min(len(name), len(folder) + 2) + 1):
            at = name[:depth]
            sizes[at] = sizes.get(at, 0) + len(text.encode())
    for name, size_bytes in sizes.items():
        if not any(part.startswith(".") for part in name[len(folder) :]):
            end = "" if name in inside or name == folder else "/"
            yield f"{_size(size_bytes)}\t/{'/'.join(name)}{end}"


def _size(size_bytes: int) -> str:
    return f"{size_bytes}B" if size_bytes < 1024 else f"{size_bytes / 1024:.1f}K"
