"""The type of one row in the table of settings."""

import dataclasses
from typing import Any, TypeAlias

from codecairn.config.workspace_rights import WorkspaceRight
from codecairn.core.light_dataclass import dataclass

SettingValue: TypeAlias = str | int | float | bool | tuple[str, ...]

MAX_NUMBER = 2**31 - 1
"""The greatest number that a setting may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One row of the table.

    Attributes:
        key: Its name in files, with dots for tables: `search.limit`.
        field: Its name in `Settings`.
        default: The built-in default, which also gives the type.
        doc: What it decides.
        choices: The only values allowed; empty for any.
        minimum: The least number allowed.
        workspace: What a workspace's file may do with it.
        is_secret: Whether it holds a credential: it is given as `{env:NAME}` and never shown.
    """

    key: str
    field: str
    default: SettingValue
    doc: str
    choices: tuple[str, ...]
    minimum: int
    workspace: WorkspaceRight
    is_secret: bool

    @property
    def is_own(self) -> bool:
        """Whether only the user's own file, the environment and arguments set it."""
        return self.workspace.is_own

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "CODECAIRN_" + self.key.replace(".", "_").upper()

    @property
    def type_name(self) -> str:
        """Its type in the words of TOML."""
        names = {
            str: "string",
            int: "integer",
            float: "number",
            bool: "boolean",
            tuple: "array of strings",
        }
        return names[type(self.default)]


def as_text(value: SettingValue) -> str:
    """A setting's value as `config set` takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, tuple) else str(value)


def declared(
    default: SettingValue,
    *,
    key: str,
    doc: str,
    workspace: WorkspaceRight,
    choices: tuple[str, ...] = (),
    minimum: int = 0,
    is_secret: bool = False,
) -> Any:  # noqa: ANN401 - the type of a field's default
    """A field of `Settings` with its row of the table."""
    metadata = {
        "key": key,
        "doc": doc,
        "choices": choices,
        "minimum": minimum,
        "workspace": workspace,
        "is_secret": is_secret,
    }
    return dataclasses.field(default=default, metadata=metadata)
