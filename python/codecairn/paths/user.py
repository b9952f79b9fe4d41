"""The user's own folders: configuration and data.

They lie where the XDG base directories, Windows and macOS have them, by the environment alone: hooks find them by the same
rules in the core. `CODECAIRN_HOME` moves both under one folder, for tests and for sandboxed agents.
"""

import os
import sys
from pathlib import Path

from codecairn.errors import BadWorkspace

HOME_VARIABLE = "CODECAIRN_HOME"


def home_folder() -> Path:
    """The user's home folder with its links followed, or the file system's root where there is none."""
    try:
        return Path.home().resolve()
    except (RuntimeError, OSError):
        return Path(os.sep)


def config_folder() -> Path:
    """Where the user's configuration lies."""
    moved = _moved_home()
    if moved is not None:
        return moved
    return _base("XDG_CONFIG_HOME", ".config") / "codecairn"


def data_folder() -> Path:
    """Where what belongs to the user and not to one workspace is kept."""
    moved = _moved_home()
    if moved is not None:
        return moved / "data"
    return _base("XDG_DATA_HOME", ".local/share") / "codecairn"


def make_data_folder() -> None:
    """Make the data folder, readable for its user alone, if there is none; an existing one keeps its mode.

    `Path.mkdir` gives its mode to the last folder only, so the data folder is made before what lies in it.

    Raises:
        OSError: If it can't be made.
    """
    data_folder().mkdir(mode=0o700, parents=True, exist_ok=True)


def remotes_folder() -> Path:
    """Where grants for shared indexes are kept; it need not exist."""
    return data_folder() / "remotes"


def has_grants() -> bool:
    """Whether the user may hold a grant for a shared index; costs one `stat`."""
    return remotes_folder().is_dir()


def config_file() -> Path:
    """The user's configuration file; it need not exist."""
    return config_folder() / "config.toml"


def expanded(path: Path) -> Path:
    """The path with a leading `~` replaced by the home folder.

    Raises:
        BadWorkspace: If there is no such user, or the home folder is unknown.
    """
    try:
        return path.expanduser()
    except RuntimeError as err:
        raise BadWorkspace(
            f"`{path}` names a home folder that is not known", hint="write it out"
        ) from err


def _base(variable: str, default: str) -> Path:
    """The folder of all programs' folders; on Windows and macOS configuration lies with the data."""
    if sys.platform == "win32":
        given = os.environ.get("LOCALAPPDATA", "")
        return Path(given) if given else _home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return _home() / "Library" / "Application Support"
    given = os.environ.get(variable, "")
    return Path(given) if given.strip() else _home() / default


def _home() -> Path:
    return expanded(Path("~"))


def _moved_home() -> Path | None:
    moved = os.environ.get(HOME_VARIABLE)
    return expanded(Path(moved)) if moved else None
