"""The JSON schema of a settings file, for editors that validate TOML by one."""

from typing import Any

from codecairn.config.setting import MAX_NUMBER, Setting
from codecairn.config.settings import SETTINGS

_TYPES = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "array of strings": "array",
}
_REFERENCE = r"^\{env:[A-Za-z_][A-Za-z0-9_]*\}$"


def schema() -> dict[str, Any]:
    """The schema, made from the table of settings."""
    properties: dict[str, Any] = {}
    for setting in SETTINGS.values():
        *groups, name = setting.key.split(".")
        inner = properties
        for group in groups:
            table = inner.setdefault(group, _table({}))
            inner = table["properties"]
        inner[name] = _property(setting)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "codecairn settings",
        **_table(properties),
    }


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _property(setting: Setting) -> dict[str, Any]:
    default = list(setting.default) if isinstance(setting.default, tuple) else setting.default
    found: dict[str, Any] = {
        "type": _TYPES[setting.type_name],
        "description": setting.doc + (" (only in your own file)" if setting.is_own else ""),
        "default": default,
    }
    if found["type"] == "array":
        found["items"] = {"type": "string"}
    if found["type"] in {"integer", "number"}:
        found |= {"minimum": setting.minimum, "maximum": MAX_NUMBER}
    if setting.is_secret and found["type"] == "array":
        found["items"]["pattern"] = _REFERENCE.replace("^", "^[a-z]+=")
    elif setting.is_secret:
        found["pattern"] = f"^$|{_REFERENCE}"
    if setting.choices and setting.is_own:
        found["anyOf"] = [{"enum": list(setting.choices)}, {"pattern": _REFERENCE}]
    elif setting.choices:
        found["enum"] = list(setting.choices)
    return found
