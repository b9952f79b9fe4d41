"""The user's own folders: configuration and data.

`CODECAIRN_HOME` moves both under one folder, for tests and for sandboxed agents.
"""

import os
from pathlib import Path

HOME_VARIABLE = "CODECAIRN_HOME"


def home_folder() -> Path:
    """The user's home folder with its links followed, or the file system's root where there is none."""
    try:
        return Path.home().resolve()
    except (RuntimeError, OSError):
        return Path(os.sep)


def config_folder() -> Path:
    """Where the user's configuration lies."""
    moved = os.environ.get(HOME_VARIABLE)
    if moved:
        return Path(moved).expanduser()
    from platformdirs import user_config_path

    return user_config_path("codecairn", appauthor=False)


def data_folder() -> Path:
    """Where what belongs to the user and not to one workspace is kept."""
    moved = os.environ.get(HOME_VARIABLE)
    if moved:
        return Path(moved).expanduser() / "data"
    from platformdirs import user_data_path

    return user_data_path("codecairn", appauthor=False)


def config_file() -> Path:
    """The user's configuration file; it need not exist."""
    return config_folder() / "config.toml"
