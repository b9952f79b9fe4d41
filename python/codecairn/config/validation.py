"""Validates values against the table of settings; each error names the file, variable or argument of the value."""

import math
import re
from collections.abc import Iterable, Mapping

from codecairn.config.setting import MAX_NUMBER, Setting, SettingValue
from codecairn.config.settings import SETTINGS
from codecairn.errors import ConfigError

_TRUE = frozenset({"1", "true", "yes", "on"})
_REFERENCE = re.compile(r"\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_FALSE = frozenset({"0", "false", "no", "off"})


def find_setting(key: str, *, source: str) -> Setting:
    """The setting of this key.

    Raises:
        ConfigError: If there is none; the hint names the nearest.
    """
    setting = SETTINGS.get(key)
    if setting is None:
        tables = {name.partition(".")[0] for name in SETTINGS}
        hint = nearest(key, [*SETTINGS, *sorted(tables)])
        is_list = hint.startswith("known are")  # of more than a screen
        hint = "`codecairn config list` shows all settings" if is_list else hint
        raise ConfigError(f"{source}: unknown setting `{key}`", hint=hint)
    return setting


def nearest(key: str, known: Iterable[str]) -> str:
    """A hint that names the known key most like this one."""
    import difflib

    from codecairn.core.nearest import MIN_SIMILARITY

    known = list(known)
    matches = difflib.get_close_matches(key, known, cutoff=MIN_SIMILARITY)
    if not matches:
        last = key.rpartition(".")[2]
        matches = [name for name in known if name.rpartition(".")[2] == last]
    return f"did you mean `{matches[0]}`?" if matches else f"known are {', '.join(known)}"


def check(setting: Setting, value: object, *, source: str) -> SettingValue:
    """The value as its setting's type.

    Raises:
        ConfigError: If it has another type, is no allowed choice, too small or too great.
    """
    if isinstance(setting.default, tuple):
        parts = _check_strings(setting, value, source=source)
        for part in parts if setting.is_secret else ():
            _require_reference(setting, part.partition("=")[2], source=source)
        return parts
    is_whole = isinstance(setting.default, float) and type(value) is int
    if not is_whole and type(value) is not type(setting.default):
        raise _wrong_type(setting, value, source=source)
    is_reference = setting.is_own and isinstance(value, str) and reference(value) is not None
    if (
        isinstance(value, str)
        and setting.choices
        and value not in setting.choices
        and not is_reference
    ):
        choices = ", ".join(f"`{choice}`" for choice in setting.choices)
        raise ConfigError(
            f"{source}: `{setting.key}` is `{value}`", hint=f"choose one of {choices}"
        )
    if isinstance(value, str) and value and setting.is_secret:
        _require_reference(setting, value, source=source)
    if isinstance(value, float) and not math.isfinite(value):
        raise _wrong_type(setting, value, source=source)
    if type(value) in {int, float} and value < setting.minimum:  # type: ignore[operator]
        raise ConfigError(
            f"{source}: `{setting.key}` is {value}",
            hint=f"the least that makes sense is {setting.minimum}",
        )
    if type(value) in {int, float} and value > MAX_NUMBER:  # type: ignore[operator]
        raise ConfigError(
            f"{source}: `{setting.key}` is {value}",
            hint=f"the most that makes sense is {MAX_NUMBER}",
        )
    assert isinstance(value, str | int | float | bool)
    return float(value) if is_whole else value


def parse(setting: Setting, text: str, *, source: str) -> SettingValue:
    """The value written as plain text, as in an environment variable or on the command line.

    Lists are separated by commas (a comma inside braces belongs to a pattern).

    Raises:
        ConfigError: If it can't be read as its setting's type, or is not allowed.
    """
    value: object = text
    if isinstance(setting.default, bool):
        lowered = text.strip().lower()
        value = True if lowered in _TRUE else False if lowered in _FALSE else text
    elif isinstance(setting.default, int) and re.fullmatch(r"\s*[+-]?\d{1,100}\s*", text):
        value = int(text)
    elif isinstance(setting.default, float) and re.fullmatch(r"\s*[+-]?\d+(\.\d+)?\s*", text):
        value = float(text)
    elif isinstance(setting.default, tuple):
        value = [part.strip() for part in re.split(r",(?![^{]*\})", text) if part.strip()]
    return check(setting, value, source=source)


def reference(value: str) -> str | None:
    """The variable that a value of the form `{env:NAME}` names; `None` if it has another form."""
    match = _REFERENCE.fullmatch(value.strip())
    return match[1] if match else None


def resolved(setting: Setting, value: str, *, environment: Mapping[str, str]) -> str:
    """The value with a reference replaced by what its variable holds.

    Raises:
        ConfigError: If the variable is not set.
    """
    name = reference(value)
    if name is None:
        return value
    if not environment.get(name):
        raise ConfigError(
            f"`{setting.key}` refers to the variable `{name}`, which is not set",
            hint=f"set `{name}`, or take the setting away",
        )
    return environment[name]


def _require_reference(setting: Setting, value: str, *, source: str) -> None:
    """The message does not show the value: it is most likely the secret itself."""
    if reference(value) is None:
        raise ConfigError(
            f"{source}: `{setting.key}` must name the variable that holds the key",
            hint=f"write `{'provider=' if isinstance(setting.default, tuple) else ''}{{env:NAME}}`; "
            "secrets themselves are not kept in files",
        )


def _check_strings(setting: Setting, value: object, *, source: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
        raise _wrong_type(setting, value, source=source)
    return tuple(value)


def _wrong_type(setting: Setting, value: object, *, source: str) -> ConfigError:
    return ConfigError(
        f"{source}: `{setting.key}` must be {_article(setting.type_name)}, not `{value}`",
        hint=setting.doc,
    )


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
