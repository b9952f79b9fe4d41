"""Writing one setting into a file; everything else in it, comments included, stays as it is."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.config.files import PYPROJECT_FILE, PYPROJECT_TABLE
from codecairn.config.setting import SettingValue
from codecairn.config.values import find_setting, parse
from codecairn.errors import ConfigError

if TYPE_CHECKING:
    import tomlkit


def set_value(path: Path, key: str, text: str, *, is_own: bool = True) -> SettingValue:
    """Write a setting, given as plain text, into a file, which is made if it does not exist.

    Raises:
        ConfigError: If there is no such setting, it or its value is not allowed, or the file can't be changed.
    """
    source = f"`{path}`"
    setting = find_setting(key, source=source)
    if setting.is_own and not is_own:
        raise ConfigError(
            f"`{key}` decides where data goes, so a workspace's file can't set it",
            hint=f"write it into your own file: `codecairn config set --user {key} ...`",
        )
    value = parse(setting, text, source=source)
    document = _read(path)
    _assign(document, path, key, list(value) if isinstance(value, tuple) else value)
    _write(path, document.as_string())
    return value


def _read(path: Path) -> "tomlkit.TOMLDocument":
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return tomlkit.parse(file.read())
    except FileNotFoundError:
        return tomlkit.document()
    except (TOMLKitError, UnicodeDecodeError) as err:
        raise ConfigError(f"`{path}` is not TOML: {err}") from err
    except OSError as err:
        raise ConfigError(f"can't read `{path}`: {err.strerror or err}") from err


def _assign(document: "tomlkit.TOMLDocument", path: Path, key: str, value: object) -> None:
    import tomlkit
    from tomlkit.items import Table

    prefix = list(PYPROJECT_TABLE) if path.name == PYPROJECT_FILE else []
    *groups, name = prefix + key.split(".")
    table: tomlkit.TOMLDocument | Table = document
    for group in groups:
        if group not in table:
            table[group] = tomlkit.table()
        inner = table[group]
        if not isinstance(inner, dict):
            raise ConfigError(f"`{path}`: `{group}` must be a table")
        table = inner  # type: ignore[assignment]  # a table, an inline table or a dotted one
    table[name] = value


def _write(path: Path, text: str) -> None:
    """Replace the file in one step, so that a crash leaves the old one or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            if target.exists():
                Path(temporary).chmod(target.stat().st_mode & 0o777)
            else:
                Path(temporary).chmod(0o644)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as err:
        raise ConfigError(f"can't write `{path}`: {err.strerror or err}") from err
