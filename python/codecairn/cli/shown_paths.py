"""Paths as people read them: relative to the folder in which they stand, and as links where a terminal has them."""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path, PurePath
from typing import TypeVar, cast

_Result = TypeVar("_Result")
_PLACE = r"(?P<file>[^:#]+)(?P<rest>::.+|#.+|:\d+(?::\d+)?)"
_FILES = {"file", "path", "source_file", "target_file"}
"""Parameters of operations that name a file or a folder."""


class ShownPaths:
    """Turns paths of an index, which are relative to the root or absolute, into those that are shown.

    A path is shown relative to the current folder if that lies in the workspace or holds it, else absolute. Links have the form
    `file://HOST/PATH#LINE`, which terminals open at the line; every byte that is not a letter, a digit or a mark of URLs is
    percent-encoded, so no name can end the escape sequence that it is in.
    """

    def __init__(self, root: Path, folder: Path | None = None) -> None:
        self._root = root
        self._folder = Path.cwd() if folder is None else folder
        self._is_at_root = self._root == self._folder

    def relative(self, path: str) -> str:
        """The path as it is shown, with `/`."""
        if self._is_at_root and not PurePath(path).is_absolute():
            return path
        file = self._absolute(path)
        is_inside = self._folder.is_relative_to(self._root) and Path(file).is_relative_to(
            self._root
        )
        if is_inside or Path(file).is_relative_to(self._folder):
            return os.path.relpath(file, self._folder).replace(os.sep, "/")
        return file.replace(os.sep, "/")

    def url(self, path: str, line: int) -> str:
        """The link to a line of a file."""
        return _url(self._absolute(path), line)

    def url_from_here(self, shown: str, line: int) -> str:
        """The link to a line of a file whose path is given as it is shown."""
        return _url(os.path.normpath(self._folder / shown), line)

    def shown(self, result: _Result) -> _Result:
        """A result with every path in it as it is shown; the result itself at the root."""
        if self._is_at_root:
            return result
        return cast("_Result", self._replaced(result))

    def _replaced(self, value: object, name: str = "") -> object:
        if isinstance(value, str):
            return self.relative(value) if name in {"path", "files"} else value
        if isinstance(value, tuple):
            return tuple(self._replaced(each, name) for each in value)
        if not is_dataclass(value) or isinstance(value, type):
            return value
        changed = {
            each.name: self._replaced(getattr(value, each.name), each.name)
            for each in fields(value)
            if each.init
        }
        return replace(value, **changed)

    def inner(self, values: Mapping[str, object]) -> dict[str, object]:
        """The values of parameters with the files that they name, seen from the current folder, relative to the root.

        A value is changed where there is such a file: `../base.py`, `../base.py::verify`, `../base.py:12`.
        """
        return {name: self._inner(name, value) for name, value in values.items()}

    def _inner(self, name: str, value: object) -> object:
        if self._is_at_root or not isinstance(value, str):
            return value
        place = re.fullmatch(_PLACE, value)
        file, rest = (place["file"], place["rest"]) if place else (value, "")
        if not rest and name not in _FILES:
            return value
        path = Path(os.path.normpath(self._folder / file))
        if not path.exists() or not path.is_relative_to(self._root):
            return value
        return path.relative_to(self._root).as_posix() + rest

    def _absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._root, path))  # noqa: PTH118 - it normalises without looking at the disk


def _url(file: str, line: int) -> str:
    from urllib.parse import quote

    if sys.platform == "win32":
        return f"file:///{quote(file.replace(os.sep, '/'), safe='/:')}#{line}"
    host = os.uname().nodename
    return f"file://{quote(host, safe='')}{quote(os.fsencode(file), safe='/')}#{line}"
