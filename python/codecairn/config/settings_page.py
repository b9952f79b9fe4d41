"""Renders `docs/reference/settings.md` from the table of settings."""

from collections.abc import Iterator

from codecairn.config.setting import Setting, SettingValue
from codecairn.config.settings import SETTINGS

_HEAD = """# Settings

Built-in defaults < your own file < the workspace's `.codecairn.toml` or `[tool.codecairn]` in `pyproject.toml` <
environment `CODECAIRN_*` < arguments. `codecairn config list` shows every value and its source,
`codecairn config path` the files, `codecairn config schema` prints a JSON schema for editors.

A workspace's file comes with the repository. It is read if it is a regular file of at most 1 MiB inside the workspace, and
never widens what is read, shown, remembered or sent. The column *a workspace's file may* shows what it may do with a setting:
*own* settings, for example where data goes, are errors there, and so are invalid values; a value that is wider than
the effective one is ignored, and `codecairn config list`, `status` and `doctor` report it. Texts in your own settings
can be `{env:NAME}`, which is replaced by the variable. Credentials must have that form, and are never written or
shown.

| key | type | default | a workspace's file may | meaning |
|---|---|---|---|---|
"""


def settings_page() -> str:
    """The page in Markdown."""
    return _HEAD + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    for setting in SETTINGS.values():
        yield f"| `{setting.key}` | {setting.type_name} | {_shown(setting.default)} | {setting.workspace.doc} | {_doc(setting)} |"


def _shown(value: SettingValue) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`[]`" if not value else f"`[{', '.join(value)}]`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value:g}`"


def _doc(setting: Setting) -> str:
    choices = " One of " + ", ".join(f"`{choice}`" for choice in setting.choices) + "."
    return (setting.doc + (choices if setting.choices else "")).replace("|", "\\|")
