"""The part of `os` that hooks need: the import of the whole module takes a tenth of the time of an event.

`os` is the module that the real one is built on, or the real one where it is loaded already or paths are not POSIX paths.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING or sys.platform == "win32" or "os" in sys.modules:
    import os
    from os import _exit as leave
    from os.path import dirname, expanduser, join, normpath

    SEPARATOR = os.sep

    def environment() -> "dict[str, str]":
        """The variables of the environment."""
        return dict(os.environ)

    def variable(name: str) -> str:
        """A variable of the environment; empty if there is none."""
        return os.environ.get(name, "")

else:
    import posix as os
    from posix import _exit as leave

    SEPARATOR = "/"

    _CODE = (sys.getfilesystemencoding(), "surrogateescape")

    def environment() -> "dict[str, str]":
        """The variables of the environment."""
        return {name.decode(*_CODE): value.decode(*_CODE) for name, value in os.environ.items()}

    def variable(name: str) -> str:
        """A variable of the environment; empty if there is none."""
        return os.environ.get(name.encode(), b"").decode(*_CODE)

    def join(path: str, *more: str) -> str:
        """As `os.path.join`."""
        for each in more:
            if each.startswith("/") or not path:
                path = each
            else:
                path = path + each if path.endswith("/") else f"{path}/{each}"
        return path

    def dirname(path: str) -> str:
        """As `os.path.dirname`."""
        head = path[: path.rfind("/") + 1]
        return head.rstrip("/") or head

    def expanduser(path: str) -> str:
        """As `os.path.expanduser`."""
        if b"HOME" in os.environ and (path == "~" or path.startswith("~/")):
            return variable("HOME").rstrip("/") + path[1:] or "/"
        if not path.startswith("~"):
            return path
        from os.path import expanduser as expanded

        return expanded(path)

    def normpath(path: str) -> str:
        """As `os.path.normpath`."""
        first, *parts = path.split("/")
        if parts and not first and not {"", ".", ".."}.intersection(parts):
            return path
        from os.path import normpath as normal

        return normal(path)


__all__ = [
    "SEPARATOR",
    "dirname",
    "environment",
    "expanduser",
    "join",
    "leave",
    "normpath",
    "os",
    "variable",
]
