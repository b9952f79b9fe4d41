"""The page that lists every setting, made from the table."""

from collections.abc import Iterator

from codecairn.config.setting import Setting, SettingValue
from codecairn.config.settings import SETTINGS

_HEAD = """# Settings

Built-in defaults < your own file < the workspace's `.codecairn.toml` or `[tool.codecairn]` in `pyproject.toml` <
environment `CODECAIRN_*` < arguments. `codecairn config list` shows every value and where it comes from,
`codecairn config path` the files, `codecairn config schema` prints a JSON schema for editors.

Settings marked *own* decide where data goes: a workspace's file can't set them, so a repository that you
clone sends nothing anywhere. Their texts may be `{env:NAME}`, which stands for the variable. Credentials are
given in that form only, and never written or shown.

| key | type | default | what it decides |
|---|---|---|---|
"""


def settings_page() -> str:
    """The page in Markdown."""
    return _HEAD + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    for setting in SETTINGS.values():
        own = " *own*" if setting.is_own else ""
        yield f"| `{setting.key}`{own} | {setting.type_name} | {_shown(setting.default)} | {_doc(setting)} |"


def _shown(value: SettingValue) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`[]`" if not value else f"`[{', '.join(value)}]`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value:g}`"


def _doc(setting: Setting) -> str:
    choices = " One of " + ", ".join(f"`{choice}`" for choice in setting.choices) + "."
    return (setting.doc + (choices if setting.choices else "")).replace("|", "\\|")
