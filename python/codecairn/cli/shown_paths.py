"""Paths as people read them: relative to the folder in which they stand, and as links where a terminal has them."""

import os
import sys
from pathlib import Path, PurePath


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
        from urllib.parse import quote

        file = self._absolute(path)
        if sys.platform == "win32":
            return f"file:///{quote(file.replace(os.sep, '/'), safe='/:')}#{line}"
        host = os.uname().nodename
        return f"file://{quote(host, safe='')}{quote(os.fsencode(file), safe='/')}#{line}"

    def _absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._root, path))  # noqa: PTH118 - it normalises without looking at the disk
