"""Reading settings from TOML files."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from codecairn.config.setting import SettingValue
from codecairn.config.settings import SETTINGS
from codecairn.config.values import check, find_setting
from codecairn.errors import ConfigError

WORKSPACE_FILE = ".codecairn.toml"
PYPROJECT_FILE = "pyproject.toml"
PYPROJECT_TABLE = ("tool", "codecairn")

_GROUPS = frozenset(key.rpartition(".")[0] for key in SETTINGS) - {""}


def workspace_file(root: Path) -> Path:
    """The file that holds the workspace's settings, or would.

    `.codecairn.toml` if it exists, else `pyproject.toml` if it has a table `[tool.codecairn]`.
    """
    own = root / WORKSPACE_FILE
    pyproject = root / PYPROJECT_FILE
    if not own.exists() and pyproject.exists() and _own_table(pyproject) is not None:
        return pyproject
    return own


def read_file(path: Path, *, is_own: bool = True) -> dict[str, SettingValue]:
    """The settings in this file by key, checked; nothing if it does not exist.

    A file that is not the user's own, as one that came with a repository, can't decide where data goes.

    Raises:
        ConfigError: If it can't be read, is not TOML, or holds an unknown key, a wrong value or a setting that only
            the user's own file may hold.
    """
    table = _own_table(path)
    source = f"`{path}`"
    found = {}
    for key, value in _flatten(table or {}, prefix=""):
        setting = find_setting(key, source=source)
        if setting.is_own and not is_own:
            raise ConfigError(
                f"{source}: `{key}` may not be set by a workspace, as it decides where data goes",
                hint=f"write it with `codecairn config set --user {key} ...`, or set `{setting.variable}`",
            )
        found[key] = check(setting, value, source=source)
    return found


def _own_table(path: Path) -> Mapping[str, object] | None:
    """The part of this file that is ours; `None` if there is no such file or part."""
    text = _read_text(path)
    if text is None:
        return None
    is_pyproject = path.name == PYPROJECT_FILE
    if is_pyproject and "codecairn" not in text:
        return None
    document: object = _parse(text, path)
    for name in PYPROJECT_TABLE if is_pyproject else ():
        document = document.get(name) if isinstance(document, Mapping) else None
    if document is not None and not isinstance(document, Mapping):
        raise ConfigError(f"`{path}`: `{'.'.join(PYPROJECT_TABLE)}` must be a table")
    return document


def _read_text(path: Path) -> str | None:
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ConfigError(f"can't read `{path}`: it is no file")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as err:
        raise ConfigError(f"`{path}` is not UTF-8") from err
    except OSError as err:
        raise ConfigError(f"can't read `{path}`: {err.strerror or err}") from err


def _parse(text: str, path: Path) -> dict[str, object]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as err:
        raise ConfigError(f"`{path}` is not TOML: {err}") from err
    except RecursionError as err:
        raise ConfigError(f"`{path}` is nested too deeply") from err
    return document


def _flatten(table: Mapping[str, object], *, prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        key = prefix + name
        if isinstance(value, Mapping) and key in _GROUPS:
            yield from _flatten(value, prefix=f"{key}.")
        else:
            yield key, value
