"""The table of hosts: the configuration files of each for a user and for a project, and the entries in them."""

import os
import shutil
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

WORKSPACE_FOLDER = "${workspaceFolder}"
"""What Cursor replaces by the folder of the open project."""


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
        edits: What is entered at a place; empty if it has no such scope. The first edit is the server or the plugin, in a
            file of this host alone: it shows whether the host is configured.
        folder: Where the host keeps its own settings of a user.
        programs: The names of its program in `PATH`.
        retired_edits: What earlier versions entered elsewhere; an installation takes it out.
        then: What the user has to do afterwards, if anything.
    """

    name: str
    title: str
    edits: Callable[[Place], list[Edit]]
    folder: Callable[[Place], Path]
    programs: tuple[str, ...]
    retired_edits: Callable[[Place], list[Edit]] = lambda _place: []
    then: str = "restart it"

    def found_at(self, place: Place) -> Path | None:
        """The host's settings or its program on this machine; `None` if it has neither."""
        folder = self.folder(place)
        if folder.exists():
            return folder
        found = (shutil.which(program) for program in self.programs)
        return next((Path(program) for program in found if program), None)


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


def _skill(skills: Path) -> OwnFile:
    return OwnFile(path=skills / NAME / "SKILL.md", what="a skill", content=SKILL)


def _shared_skill(place: Place) -> OwnFile:
    """The skill in the folder that most hosts read, each besides its own: one file for all of them."""
    base = place.home if place.scope == "user" else place.root
    return _skill(base / ".agents" / "skills")


def _claude_home(place: Place) -> Path:
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else place.home / ".claude"


def _claude(place: Place) -> list[Edit]:
    is_user = place.scope == "user"
    base = _claude_home(place) if is_user else place.root / ".claude"
    moved = base if os.environ.get("CLAUDE_CONFIG_DIR") else place.home
    file = moved / ".claude.json" if is_user else place.root / ".mcp.json"
    server = {"type": "stdio", **_server(place)}
    return [
        _mcp_file(file, "mcpServers", server),
        _skill(base / "skills"),
        *(
            _hook(base / "settings.json", event, hook_events.claude_entry(place.hook, event))
            for event in hook_events.CLAUDE
        ),
    ]


def _codex_home(place: Place) -> Path:
    return Path(os.environ.get("CODEX_HOME", place.home / ".codex"))


def _codex(place: Place) -> list[Edit]:
    base = _codex_home(place) if place.scope == "user" else place.root / ".codex"
    return [
        TomlTable(
            path=base / "config.toml",
            what="the MCP server",
            table=f"mcp_servers.{NAME}",
            values=_server(place),
        ),
        _shared_skill(place),
        *(
            _hook(base / "hooks.json", event, hook_events.codex_entry(place.hook, event))
            for event in hook_events.CODEX
        ),
    ]


def _retired_codex(place: Place) -> list[Edit]:
    return [_skill(_codex_home(place) / "skills")] if place.scope == "user" else []


def _opencode_home(place: Place) -> Path:
    return place.config / "opencode"


def _opencode(place: Place) -> list[Edit]:
    base = _opencode_home(place) if place.scope == "user" else place.root
    commented = base / "opencode.jsonc"
    file = commented if commented.is_file() else base / "opencode.json"
    server = {"type": "local", "command": [place.program, "mcp"], "enabled": True}
    own = base if place.scope == "user" else base / ".opencode"
    plugin = hook_events.opencode_plugin(place.hook)
    return [
        _mcp_file(file, "mcp", server),
        _shared_skill(place),
        OwnFile(path=own / "plugins" / f"{NAME}.js", what="a plugin of hooks", content=plugin),
        *command_files(own / "commands", words=OPENCODE_WORDS, has_head=True),
    ]


def _retired_opencode(place: Place) -> list[Edit]:
    is_user = place.scope == "user"
    return [_skill((_opencode_home(place) if is_user else place.root / ".opencode") / "skills")]


def _gemini(place: Place) -> list[Edit]:
    base = place.home / ".gemini" if place.scope == "user" else place.root / ".gemini"
    return [
        _mcp_file(base / "settings.json", "mcpServers", _server(place)),
        _shared_skill(place),
        *(
            _hook(base / "settings.json", event, hook_events.gemini_entry(place.hook, event))
            for event in hook_events.GEMINI
        ),
    ]


def _retired_gemini(place: Place) -> list[Edit]:
    folder = place.home / ".gemini" if place.scope == "user" else place.root
    return [TextBlock(path=folder / "GEMINI.md", what="how to use it", block=RULE)]


def _cursor(place: Place) -> list[Edit]:
    base = place.home / ".cursor" if place.scope == "user" else place.root / ".cursor"
    server = _server(place, WORKSPACE_FOLDER)  # its servers do not start in the project
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
    if place.scope == "user":
        edits.append(_shared_skill(place))
    else:
        rule = base / "rules" / f"{NAME}.mdc"
        edits.append(OwnFile(path=rule, what="a rule", content=CURSOR_RULE))
    return edits


def _vscode_home(place: Place) -> Path:
    return place.application_data / "Code" / "User"


def _vscode(place: Place) -> list[Edit]:
    base = _vscode_home(place) if place.scope == "user" else place.root / ".vscode"
    server = {"type": "stdio", **_server(place)}  # it tells the server its folders as roots
    return [_mcp_file(base / "mcp.json", "servers", server), _shared_skill(place)]


def _zed_home(place: Place) -> Path:
    return place.application_data / "Zed" if sys.platform == "win32" else place.config / "zed"


def _zed(place: Place) -> list[Edit]:
    base = _zed_home(place) if place.scope == "user" else place.root / ".zed"
    # Zed starts a server in the folder of the open project.
    return [
        _mcp_file(base / "settings.json", "context_servers", _server(place)),
        _shared_skill(place),
    ]


def _windsurf_home(place: Place) -> Path:
    return place.home / ".codeium" / "windsurf"


def _windsurf(place: Place) -> list[Edit]:
    if place.scope == "project":
        return []
    base = _windsurf_home(place)
    return [
        _mcp_file(base / "mcp_config.json", "mcpServers", _server(place)),
        _skill(base / "skills"),
    ]


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
            Host(
                name="claude",
                title="Claude Code",
                edits=_claude,
                folder=_claude_home,
                programs=("claude",),
            ),
            Host(
                name="codex",
                title="Codex CLI",
                edits=_codex,
                folder=_codex_home,
                programs=("codex",),
                retired_edits=_retired_codex,
                then="restart it and approve the hooks with `/hooks`; a project's settings count once it trusts the project",
            ),
            Host(
                name="opencode",
                title="OpenCode",
                edits=_opencode,
                folder=_opencode_home,
                programs=("opencode",),
                retired_edits=_retired_opencode,
            ),
            Host(
                name="gemini",
                title="Gemini CLI",
                edits=_gemini,
                folder=lambda place: place.home / ".gemini",
                programs=("gemini",),
                retired_edits=_retired_gemini,
            ),
            Host(
                name="cursor",
                title="Cursor",
                edits=_cursor,
                folder=lambda place: place.home / ".cursor",
                programs=("cursor", "cursor-agent"),
                then="switch the server on in Cursor's settings, under MCP",
            ),
            Host(
                name="vscode",
                title="Visual Studio Code",
                edits=_vscode,
                folder=_vscode_home,
                programs=("code",),
                then="start the server in the editor: `MCP: List Servers`",
            ),
            Host(
                name="zed",
                title="Zed",
                edits=_zed,
                folder=_zed_home,
                programs=("zed", "zeditor"),
            ),
            Host(
                name="windsurf",
                title="Windsurf",
                edits=_windsurf,
                folder=_windsurf_home,
                programs=("windsurf",),
                then="press refresh in its MCP settings, and run `codecairn index` once in each project: it gives its servers no folder",
            ),
            Host(
                name="hermes",
                title="Hermes",
                edits=_hermes,
                folder=_hermes_home,
                programs=("hermes",),
                then="choose it: `hermes config set memory.provider codecairn`",
            ),
        )
    }
)
"""Every host by name."""
