"""The settings that an MCP client may change, in the workspace's file and in the running server."""

from pathlib import Path

from codecairn.config.edit import set_value
from codecairn.config.files import workspace_file
from codecairn.config.setting import as_text
from codecairn.config.settings import SETTINGS
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import UsageError
from codecairn.workspace.workspace import Workspace

CHANGEABLE = (
    "memory.channel",
    "memory.endless",
    "memory.compact_bytes",
    "memory.context_tokens",
    "memory.static_tokens",
    "extraction.summary_turns",
)
"""All of them bound sizes and counts. None sends data anywhere or to another place, holds a credential, names a provider, a
path or a tool, or decides what is private, recorded or indexed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSetting:
    """A setting after a change.

    Attributes:
        key: The setting.
        stored: The value that was written.
        effective: The value that holds in this server now.
        file: Where it was written.
        source: Where the effective value comes from: the file, or a layer above it.
    """

    key: str
    stored: str
    effective: str
    file: Path
    source: str


def change_setting(workspace: Workspace, key: str, text: str) -> ChangedSetting:
    """Write a setting into the workspace's file and have it take effect in this server.

    A layer above the file, an environment variable for one, still prevails.

    Raises:
        UsageError: If a client may not change it.
        ConfigError: If the value is not allowed, or the file can't be changed.
    """
    if key not in CHANGEABLE:
        raise UsageError(
            f"`{key}` is not for an agent to set",
            hint=f"there are {', '.join(CHANGEABLE)}; a person sets the others by `codecairn config set`",
        )
    file = workspace_file(workspace.root)
    stored = set_value(file, key, text, is_own=False)
    source = workspace.reload_settings((key,))[key]
    effective = getattr(workspace.settings, SETTINGS[key].field)
    return ChangedSetting(
        key=key, stored=as_text(stored), effective=as_text(effective), file=file, source=source
    )
