"""Writes one setting into a TOML file and leaves the rest of it, comments included, unchanged."""

from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.config.files import MAX_BYTES, PYPROJECT_FILE, PYPROJECT_TABLE, refused
from codecairn.config.layers import load
from codecairn.config.setting import Setting, SettingValue, as_text
from codecairn.config.validation import find_setting, parse
from codecairn.errors import ConfigError
from codecairn.paths.workspace_files import read_inside, replace_inside

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
        raise refused(setting, "it is the user's own", source=source)
    value = parse(setting, text, source=source)
    reason = "" if is_own else refusal(setting, value)
    if reason:
        raise refused(setting, reason, source=source)
    document = _read(path, is_own=is_own)
    _assign(document, path, key, list(value) if isinstance(value, tuple) else value)
    _write(path, document.as_string(), is_own=is_own)
    return value


def refusal(setting: Setting, value: SettingValue) -> str:
    """Why a workspace's file, which may name this setting, may not hold this value, or would without effect.

    Empty if it may.

    Raises:
        ConfigError: If the user's own file or the environment is wrong.
    """
    held = getattr(load(None).settings, setting.field)
    if setting.workspace.widens(value, held):
        return f"it would widen what you allow (`{as_text(held)}`)"
    return setting.workspace.refusal(value)


def _read(path: Path, *, is_own: bool) -> "tomlkit.TOMLDocument":
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        place = path.resolve(strict=True) if is_own else path
        content = read_inside(place.parent, place, max_bytes=MAX_BYTES)
        return tomlkit.parse(content.decode("utf-8-sig"))
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


def _write(path: Path, text: str, *, is_own: bool) -> None:
    """Replace the file in one step. The user's own may be a link to anywhere, a workspace's not to the outside."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        place = path.resolve() if is_own else path
        replace_inside(place.parent, place, text.encode("utf-8"))
    except OSError as err:
        raise ConfigError(f"can't write `{path}`: {err.strerror or err}") from err
