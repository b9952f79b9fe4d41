"""The table of hosts: the configuration files of each for a user and for a project, and the entries in them."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from codecairn.core.light_dataclass import dataclass
from codecairn.hosts import hook_events
from codecairn.hosts.edits import Edit, JsonElement, JsonMember, OwnFile, TextBlock, TomlTable
from codecairn.hosts.instructions import CURSOR_RULE, HERMES_PLUGIN, RULE, SKILL
from codecairn.hosts.slash_commands import CURSOR_WORDS, OPENCODE_WORDS, command_files

Scope: TypeAlias = Literal["user", "project"]
NAME = "codecairn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an installation happens.

    Attributes:
        scope: For a person in all projects, or for everybody in one.
        home: The person's home folder.
        root: The project's root.
        program: How the host starts codecairn: an absolute path for a person; a project's files are shared, so there
            it is the bare name.
        hook: How the host starts the command that hears its events.
    """

    scope: Scope
    home: Path
    root: Path
    program: str
    hook: str = NAME

    @property
    def config(self) -> Path:
        """Where programs keep their settings on this system."""
        given = os.environ.get("XDG_CONFIG_HOME")
        return Path(given) if given else self.home / ".config"

    @property
    def application_data(self) -> Path:
        """Where desktop programs keep theirs."""
        if sys.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if sys.platform == "win32":
            return Path(os.environ.get("APPDATA", self.home / "AppData" / "Roaming"))
        return self.config


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One host.

    Attributes:
        name: What users call it.
        title: Its full name.
        edits: What is entered at a place; empty if it has no such scope.
        then: What the user has to do afterwards, if anything.
        depth: How many folders above that of its first file its own folder is.
    """

    name: str
    title: str
    edits: Callable[[Place], list[Edit]]
    then: str = "restart it"
    depth: int = 0


def _server(place: Place, *arguments: str) -> dict[str, object]:
    return {"command": place.program, "args": ["mcp", *arguments]}


def _mcp_file(file: Path, member: str, value: object) -> JsonMember:
    return JsonMember(
        path=file,
        what="the MCP server",
        member=(member, NAME),
        value=value,
    )


def _hook(file: Path, event: str, value: object) -> JsonElement:
    return JsonElement(
        path=file, what="hooks", member=("hooks", event), value=value, is_ours=hook_events.is_ours
    )


def _claude(place: Place) -> list[Edit]:
    is_user = place.scope == "user"
    base = place.home / ".claude" if is_user else place.root / ".claude"
    file = place.home / ".claude.json" if is_user else place.root / ".mcp.json"
    server = {"type": "stdio", **_server(place)}
    return [
        _mcp_file(file, "mcpServers", server),
        OwnFile(path=base / "skills" / NAME / "SKILL.md", what="a skill", content=SKILL),
        *(
            _hook(base / "settings.json", event, hook_events.claude_entry(place.hook, event))
            for event in hook_events.CLAUDE
        ),
    ]


def _codex(place: Place) -> list[Edit]:
    home = Path(os.environ.get("CODEX_HOME", place.home / ".codex"))
    base = home if place.scope == "user" else place.root / ".codex"
    skills = base if place.scope == "user" else place.root / ".agents"
    return [
        TomlTable(
            path=base / "config.toml",
            what="the MCP server",
            table=f"mcp_servers.{NAME}",
            values=_server(place),
        ),
        OwnFile(path=skills / "skills" / NAME / "SKILL.md", what="a skill", content=SKILL),
        *(
            _hook(base / "hooks.json", event, hook_events.codex_entry(place.hook, event))
            for event in hook_events.CODEX
        ),
    ]


def _opencode(place: Place) -> list[Edit]:
    base = place.config / "opencode" if place.scope == "user" else place.root
    commented = base / "opencode.jsonc"
    file = commented if commented.is_file() else base / "opencode.json"
    server = {"type": "local", "command": [place.program, "mcp"], "enabled": True}
    own = base if place.scope == "user" else base / ".opencode"
    plugin = hook_events.opencode_plugin(place.hook)
    return [
        _mcp_file(file, "mcp", server),
        OwnFile(path=own / "skills" / NAME / "SKILL.md", what="a skill", content=SKILL),
        OwnFile(path=own / "plugins" / f"{NAME}.js", what="a plugin of hooks", content=plugin),
        *command_files(own / "commands", words=OPENCODE_WORDS, has_head=True),
    ]


def _gemini(place: Place) -> list[Edit]:
    base = place.home / ".gemini" if place.scope == "user" else place.root / ".gemini"
    text = base / "GEMINI.md" if place.scope == "user" else place.root / "GEMINI.md"
    return [
        _mcp_file(base / "settings.json", "mcpServers", _server(place)),
        TextBlock(path=text, what="how to use it", block=RULE),
        *(
            _hook(base / "settings.json", event, hook_events.gemini_entry(place.hook, event))
            for event in hook_events.GEMINI
        ),
    ]


def _cursor(place: Place) -> list[Edit]:
    base = place.home / ".cursor" if place.scope == "user" else place.root / ".cursor"
    server = _server(place, "${workspaceFolder}")  # its servers do not start in the project
    told = base / "hooks.json"
    edits: list[Edit] = [
        _mcp_file(base / "mcp.json", "mcpServers", server),
        JsonMember(path=told, what="hooks", member=("version",), value=1),
        *(
            _hook(told, event, hook_events.cursor_entry(place.hook, event))
            for event in hook_events.CURSOR
        ),
        *command_files(base / "commands", words=CURSOR_WORDS, has_head=False),
    ]
    if place.scope == "project":
        rule = base / "rules" / f"{NAME}.mdc"
        edits.append(OwnFile(path=rule, what="a rule", content=CURSOR_RULE))
    return edits


def _vscode(place: Place) -> list[Edit]:
    user = place.application_data / "Code" / "User"
    base = user if place.scope == "user" else place.root / ".vscode"
    server = {"type": "stdio", **_server(place, "${workspaceFolder}")}
    return [_mcp_file(base / "mcp.json", "servers", server)]


def _zed(place: Place) -> list[Edit]:
    base = place.config / "zed" if place.scope == "user" else place.root / ".zed"
    return [_mcp_file(base / "settings.json", "context_servers", _server(place))]


def _windsurf(place: Place) -> list[Edit]:
    if place.scope == "project":
        return []
    file = place.home / ".codeium" / "windsurf" / "mcp_config.json"
    return [_mcp_file(file, "mcpServers", _server(place))]


def _hermes(place: Place) -> list[Edit]:
    if place.scope == "project":
        return []
    folder = _hermes_home(place) / "plugins" / NAME
    provider = hook_events.hermes_plugin(place.program, place.hook)
    what = "a memory provider with hooks"
    return [
        OwnFile(path=folder / "__init__.py", what=what, content=provider),
        OwnFile(path=folder / "plugin.yaml", what=what, content=HERMES_PLUGIN),
    ]


def _hermes_home(place: Place) -> Path:
    named = os.environ.get("HERMES_HOME", "").strip()
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", place.home / "AppData" / "Local")) / "hermes"
    return place.home / ".hermes"


HOSTS: Mapping[str, Host] = MappingProxyType(
    {
        host.name: host
        for host in (
            Host(name="claude", title="Claude Code", edits=_claude),
            Host(
                name="codex",
                title="Codex CLI",
                edits=_codex,
                then="restart it and approve the hooks with `/hooks`; a project's settings count once it trusts the project",
            ),
            Host(name="opencode", title="OpenCode", edits=_opencode),
            Host(name="gemini", title="Gemini CLI", edits=_gemini),
            Host(
                name="cursor",
                title="Cursor",
                edits=_cursor,
                then="switch the server on in Cursor's settings, under MCP",
            ),
            Host(
                name="vscode",
                title="Visual Studio Code",
                edits=_vscode,
                then="start the server in the editor: `MCP: List Servers`",
            ),
            Host(name="zed", title="Zed", edits=_zed),
            Host(name="windsurf", title="Windsurf", edits=_windsurf),
            Host(
                name="hermes",
                title="Hermes",
                edits=_hermes,
                then="choose it: `hermes config set memory.provider codecairn`",
                depth=2,
            ),
        )
    }
)
"""Every host by name."""
