"""Reads settings from TOML files."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from codecairn.config.setting import Setting, SettingValue
from codecairn.config.settings import SETTINGS
from codecairn.config.validation import check, find_setting
from codecairn.errors import ConfigError
from codecairn.paths.workspace_files import read_inside

WORKSPACE_FILE = ".codecairn.toml"
PYPROJECT_FILE = "pyproject.toml"
PYPROJECT_TABLE = ("tool", "codecairn")

MAX_BYTES = 1024 * 1024
"""A larger file is not read: every setting there is, with comments, takes some ten thousand bytes."""

_GROUPS = frozenset(key.rpartition(".")[0] for key in SETTINGS) - {""}


def workspace_file(root: Path) -> Path:
    """The file that holds the workspace's settings, or would.

    `.codecairn.toml` if it exists, else `pyproject.toml` if it has a table `[tool.codecairn]`.
    """
    own = root / WORKSPACE_FILE
    pyproject = root / PYPROJECT_FILE
    if os.path.lexists(own) or not _has_own_table(pyproject):
        return own
    return pyproject


def read_file(path: Path, *, is_own: bool = True) -> dict[str, SettingValue]:
    """The settings in this file by key, checked; nothing if it does not exist.

    A file that is not the user's own, as one that came with a repository, is a regular file inside its folder, and holds
    only what a workspace's file may.

    Raises:
        ConfigError: If it can't be read, is not TOML, or holds an unknown key, a wrong value or one that only the user's
            own file may hold.
    """
    table = _own_table(path, is_own=is_own)
    source = f"`{path}`"
    found = {}
    for key, value in _flatten(table or {}, prefix=""):
        setting = find_setting(key, source=source)
        if setting.is_own and not is_own:
            raise refused(setting, "it is the user's own", source=source)
        found[key] = check(setting, value, source=source)
        reason = "" if is_own else setting.workspace.refusal(found[key])
        if reason:
            raise refused(setting, reason, source=source)
    return found


def refused(setting: Setting, reason: str, *, source: str) -> ConfigError:
    """The error of a workspace's file that holds what only the user's own may."""
    return ConfigError(
        f"{source}: `{setting.key}` may not be set by a workspace: {reason}",
        hint=f"write it with `codecairn config set --user {setting.key} ...`, or set `{setting.variable}`",
    )


def _has_own_table(pyproject: Path) -> bool:
    """Whether a workspace's `pyproject.toml` has our table. One that can't be read, or leads elsewhere, is not ours."""
    try:
        content = read_inside(pyproject.parent, pyproject, max_bytes=MAX_BYTES)
    except OSError:
        return False
    return b"codecairn" in content and _own_table(pyproject, is_own=False) is not None


def _own_table(path: Path, *, is_own: bool) -> Mapping[str, object] | None:
    """The part of this file that is ours; `None` if there is no such file or part."""
    text = _read_text(path, is_own=is_own)
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


def _read_text(path: Path, *, is_own: bool) -> str | None:
    """The user's own file may lie behind links anywhere; a workspace's may not lead out of its folder."""
    try:
        if not (path.exists() if is_own else os.path.lexists(path)):
            return None
        place = path.resolve(strict=True) if is_own else path
        root = place.parent
        return read_inside(root, place, max_bytes=MAX_BYTES).decode("utf-8-sig")
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
    except ValueError as err:  # a number of thousands of digits
        raise ConfigError(f"`{path}` holds a value that can't be read: {err}") from err
    return document


def _flatten(table: Mapping[str, object], *, prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        key = prefix + name
        if isinstance(value, Mapping) and key in _GROUPS:
            yield from _flatten(value, prefix=f"{key}.")
        else:
            yield key, value
