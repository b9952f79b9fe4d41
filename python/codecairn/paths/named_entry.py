"""Checks that a folder or a file that a request names is there, and names the nearest if it is not."""

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePath
from typing import Literal

from codecairn.core.nearest import nearest
from codecairn.errors import FileAccessError, PathNotFound, UsageError

EntryKind = Literal["folder", "file"]

_MAX_ENTRIES = 10_000
"""How many entries of a folder are compared."""

_MAX_LISTED = 8
"""How many folders a hint lists."""


def require_folder(given: str, *, base: Path, root: Path) -> None:
    """Check that a folder is there, as seen from `base`, a folder of the workspace at `root`.

    Raises:
        PathNotFound: If it is not; the hint is in the terms of `given`.
        UsageError: If `given` is empty or a file.
    """
    _require(given, base=base, root=root, kind="folder")


def require_entry(given: str, *, base: Path, root: Path) -> None:
    """As `require_folder`, for a file or a folder.

    Raises:
        PathNotFound: If neither is there.
    """
    _require(given, base=base, root=root, kind="file")


def require_no_device(path: Path) -> None:
    """Check that a file that the user named ends: a device such as `/dev/zero` does not. A pipe does.

    Raises:
        FileAccessError: If it is a device.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return  # reading it fails
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise FileAccessError(f"`{path}` is a device", hint="name a file")


def _require(given: str, *, base: Path, root: Path, kind: EntryKind) -> None:
    if not given.strip():
        raise UsageError(f"the name of the {kind} is empty", hint=f"name a {kind}, such as `.`")
    try:
        place = base / given
        if not Path(os.path.normpath(place)).is_relative_to(root):
            return  # it is outside, which has an error of its own
        if place.is_dir() or (kind == "file" and place.exists()):
            return
        is_file = place.is_file()
    except (OSError, ValueError):
        is_file = False
    if is_file:
        message = f"`{given}` is a file"
        raise UsageError(message, hint=f"name its folder, or select the file by a glob: `{given}`")
    hint = _hint(given, base=base, root=root, kind=kind)
    raise PathNotFound(f"no {kind} `{given:.200}` in this workspace", hint=hint)


def _hint(given: str, *, base: Path, root: Path, kind: EntryKind) -> str:
    pure = PurePath(given)
    if base != root and not pure.is_absolute() and _is_there(root / given, kind):
        back = os.path.relpath(root / given, base).replace(os.sep, "/")
        return f"it is in the workspace's root: `{back}`"
    known = PurePath()
    for part in pure.parts:
        if _is_there(base / known / part, "folder"):
            known /= part
            continue
        is_last = known / part == pure
        names = sorted(
            _entries(base / known, "folder" if kind == "folder" or not is_last else kind)
        )
        meant = nearest(part, names)
        if meant:
            return f"did you mean `{(known / meant).as_posix()}`?"
        folders = ", ".join(f"`{name}`" for name in names[:_MAX_LISTED])
        more = ", …" if len(names) > _MAX_LISTED else ""
        where = f"`{known.as_posix()}`" if known.parts else "the folder"
        lead = f"in {where} " if known.parts else ""
        return f"{lead}there are {folders}{more}" if names else f"{where} holds none"
    return "name one that is there"


def _entries(folder: Path, kind: EntryKind) -> Iterator[str]:
    """The names in a folder: of its folders, or of everything; hidden ones are left out."""
    try:
        with os.scandir(folder) as entries:
            for entry in islice(entries, _MAX_ENTRIES):
                is_wanted = kind == "file" or entry.is_dir(follow_symlinks=False)
                if is_wanted and not entry.name.startswith("."):
                    yield entry.name
    except (OSError, ValueError):
        return


def _is_there(place: Path, kind: EntryKind) -> bool:
    try:
        return place.is_dir() or (kind == "file" and place.exists())
    except (OSError, ValueError):
        return False
