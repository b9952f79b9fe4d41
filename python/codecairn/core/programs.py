"""Finds the programs `git` and `gh`, and filters the environment that they get.

Invariant: a program is started by its absolute path, in a neutral working directory, and without a relative path in its
environment: the dynamic loader, a lookup in `PATH` and Python would resolve it in the workspace.
"""

import os
import sys
from functools import lru_cache
from pathlib import Path

from codecairn.core.isolation import FOLDER, program_folders

NEUTRAL_FOLDER = FOLDER
"""Where programs are started."""

_PASSED = frozenset(
    {
        "ALLUSERSPROFILE", "APPDATA", "COMSPEC", "DYLD_LIBRARY_PATH", "HOME", "HOMEDRIVE", "HOMEPATH", "LD_LIBRARY_PATH",
        "LOCALAPPDATA", "LOGNAME", "MSYSTEM", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES", "SUDO_UID", "SYSTEMDRIVE", "SYSTEMROOT",
        "TEMP", "TMP", "TMPDIR", "TZ", "USER", "USERNAME", "USERPROFILE", "WINDIR", "XDG_CONFIG_HOME",
    }
)  # fmt: skip
_PATHS = frozenset(
    {
        "GH_CONFIG_DIR", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "HOME", "TEMP", "TMP", "TMPDIR", "USERPROFILE", "XDG_CONFIG_HOME",
    }
)  # fmt: skip
_LISTS = frozenset({"DYLD_LIBRARY_PATH", "GIT_CEILING_DIRECTORIES", "LD_LIBRARY_PATH"})


def find_program(name: str, *, workspace: Path) -> str | None:
    """The absolute path of a program in `PATH`; folders that are relative, or lie in the workspace, are passed over."""
    return _find_program(name, _folders(workspace))


@lru_cache(maxsize=64)
def _find_program(name: str, folders: tuple[str, ...]) -> str | None:
    file = f"{name}.exe" if sys.platform == "win32" else name
    found = (os.path.join(folder, file) for folder in folders)  # noqa: PTH118
    # `Path.is_file` raises `PermissionError` for files in a folder that may not be entered.
    return next((each for each in found if os.path.isfile(each) and os.access(each, os.X_OK)), None)  # noqa: PTH113


def environment(workspace: Path, *more: str) -> dict[str, str]:
    """What a program is given of the environment: an allowlist, and what is named in `more`, where it is set."""
    given = {name: value for name, value in os.environ.items() if name.upper() in {*_PASSED, *more}}
    for name in [*given]:
        if name.upper() in _LISTS:
            given[name] = os.pathsep.join(filter(os.path.isabs, given[name].split(os.pathsep)))
        elif name.upper() in _PATHS and not Path(given[name]).is_absolute():
            del given[name]
    return given | {"PATH": os.pathsep.join(_folders(workspace)), "LC_ALL": "C"}


def repository_of(folder: Path) -> Path | None:
    """The nearest folder that is a repository's working tree, as git looks for it."""
    for each in (folder, *folder.parents):
        dot_git = each / ".git"
        if dot_git.is_file() or (dot_git / "HEAD").exists():
            return each
    return None


def _folders(workspace: Path) -> tuple[str, ...]:
    """The folders of `PATH` that are not the workspace's, nor its repository's.

    Programs below a home folder that is kept in git, `~/.local/bin` for instance, are the user's own.
    """
    repository = repository_of(workspace) or workspace
    is_home = Path(os.path.expanduser("~")).is_relative_to(repository)  # noqa: PTH111 - it may be unknown
    return _outside(tuple(program_folders()), workspace if is_home else repository)


@lru_cache(maxsize=64)
def _outside(folders: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    limit = os.path.realpath(folder)
    return tuple(each for each in folders if not Path(os.path.realpath(each)).is_relative_to(limit))
