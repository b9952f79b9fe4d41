"""Resolves each setting from the layers, with the layer that its value comes from."""

import os
from collections.abc import Mapping
from pathlib import Path

from codecairn.config.files import read_file, workspace_file
from codecairn.config.setting import Setting, SettingValue, as_text
from codecairn.config.settings import SETTINGS, Settings
from codecairn.config.validation import check, find_setting, nearest, parse, reference, resolved
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import ConfigError
from codecairn.paths import user

PREFIX = "CODECAIRN_"

OTHER_VARIABLES = (
    "CODECAIRN_DEBUG",
    "CODECAIRN_MCP_TOKEN",
    "CODECAIRN_PAGER",
    "CODECAIRN_TEAM_URL",
    user.HOME_VARIABLE,
)
"""Variables with our prefix that are no settings."""

BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """A value of a workspace's file that is ignored: it would widen what holds without it."""

    key: str
    value: SettingValue
    held: SettingValue
    source: str

    @property
    def note(self) -> str:
        """The message for the user."""
        return (
            f"`{self.source}`: `{self.key} = {as_text(self.value)}` is ignored, as a workspace may only narrow what you allow "
            f"(`{as_text(self.held)}`); `codecairn config set --user {self.key} ...` sets it for all your workspaces"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Resolved settings.

    Attributes:
        settings: The values that hold.
        sources: For each key where its value comes from.
        ignored: What the workspace's file sets without effect, as it would widen what the user allows.
    """

    settings: Settings
    sources: Mapping[str, str]
    ignored: tuple[Ignored, ...] = ()


def load(
    root: Path | None,
    *,
    arguments: Mapping[str, object] | None = None,
    environment: Mapping[str, str] | None = None,
    user_file: Path | None = None,
) -> Config:
    """Read all layers for the workspace at `root`, or without a workspace if it is `None`.

    Raises:
        ConfigError: If some layer holds an unknown key or a wrong value.
    """
    values: dict[str, SettingValue] = {key: row.default for key, row in SETTINGS.items()}
    sources = dict.fromkeys(values, BUILT_IN)
    user_path = user.config_file() if user_file is None else user_file
    environment = os.environ if environment is None else environment

    def take(layer: Mapping[str, tuple[SettingValue, str]]) -> None:
        for key, (value, source) in layer.items():
            values[key], sources[key] = _resolved(SETTINGS[key], value, source, environment)

    take({key: (value, str(user_path)) for key, value in read_file(user_path).items()})
    ignored = []
    workspace_path = user_path if root is None else workspace_file(root)
    if workspace_path != user_path:
        narrowed = {}
        for key, value in read_file(workspace_path, is_own=False).items():
            right, source = SETTINGS[key].workspace, str(workspace_path)
            if right.widens(value, values[key]):
                ignored.append(Ignored(key=key, value=value, held=values[key], source=source))
            else:
                narrowed[key] = (right.combined(value, values[key]), source)
        take(narrowed)
    take(_from_environment(environment))
    take(_from_arguments(arguments or {}))
    fields = {SETTINGS[key].field: value for key, value in values.items()}
    return Config(settings=Settings(**fields), sources=sources, ignored=tuple(ignored))  # type: ignore[arg-type]


def _resolved(
    row: Setting, value: SettingValue, source: str, environment: Mapping[str, str]
) -> tuple[SettingValue, str]:
    """A value with `{env:NAME}` replaced, and where it comes from. Credentials stay references until they are used."""
    name = reference(value) if isinstance(value, str) and row.is_own and not row.is_secret else None
    if name is None:
        return value, source
    text = resolved(row, str(value), environment=environment)
    return check(row, text, source=f"${name}"), f"{source} (${name})"


def _from_environment(environment: Mapping[str, str]) -> dict[str, tuple[SettingValue, str]]:
    by_variable = {row.variable: row for row in SETTINGS.values()}
    found = {}
    for name in sorted(environment):
        if not name.startswith(PREFIX) or name in OTHER_VARIABLES:
            continue
        row = by_variable.get(name)
        if row is None:
            hint = nearest(name, [*by_variable, *OTHER_VARIABLES])
            raise ConfigError(f"environment: unknown variable `{name}`", hint=hint)
        found[row.key] = (parse(row, environment[name], source=f"environment `{name}`"), f"${name}")
    return found


def _from_arguments(arguments: Mapping[str, object]) -> dict[str, tuple[SettingValue, str]]:
    found = {}
    for key, value in arguments.items():
        row = find_setting(key, source="arguments")
        found[key] = (check(row, value, source="arguments"), "arguments")
    return found
