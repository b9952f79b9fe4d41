"""The events that each host is configured to send, and the command that receives them.

In a user's configuration the command is a launcher in the data folder, which stays where it is and starts the installed version:
the text that a host was given, and that Codex has approved, never changes. A project's files name `codecairn` alone.
"""

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath
from types import MappingProxyType

from codecairn.hosts.launchers import LAUNCHER

_CHANGES = "Edit|MultiEdit|Write|NotebookEdit"

CLAUDE: Mapping[str, str] = MappingProxyType(
    {
        "SessionStart": "",
        "UserPromptSubmit": "",
        "PreToolUse": f"Read|{_CHANGES}",
        "PostToolUse": f"Bash|PowerShell|{_CHANGES}",
        "PostToolBatch": "",
        "PostToolUseFailure": "*",
        "PreCompact": "",
        "PostCompact": "",
        "Stop": "",
        "SubagentStart": "",
        "SubagentStop": "",
        "SessionEnd": "",
    }
)
"""Claude Code's events, with the tools that trigger them."""

CODEX = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "SessionEnd",
)
"""Codex's events."""

GEMINI: Mapping[str, str] = MappingProxyType(
    {
        "SessionStart": "*",
        "BeforeAgent": "*",
        "AfterAgent": "*",
        "AfterTool": "*",
        "PreCompress": "manual",
        "SessionEnd": "*",
    }
)
"""Gemini CLI's events, with their matchers: it announces at every turn that it may compact automatically."""

CURSOR = (
    "sessionStart",
    "beforeSubmitPrompt",
    "afterFileEdit",
    "afterShellExecution",
    "afterMCPExecution",
    "afterAgentResponse",
    "stop",
    "preCompact",
    "subagentStart",
    "subagentStop",
    "sessionEnd",
)
"""Cursor's events."""

TIMEOUT_S = 3
"""The timeout that a host is configured with; our own deadline is a fraction of it."""


def hook_program(program: str) -> list[str]:
    """How a hook is started without a shell; the agent and the event follow."""
    return [program] if Path(program).name == LAUNCHER else [program, "hook"]


def command_of(program: str, agent: str, event: str) -> str:
    r"""The command line of one event; `program` is the launcher's path, the command's on Windows, or a bare name.

    command_of("/home/an n/codecairn-hook", "codex", "Stop") == "'/home/an n/codecairn-hook' codex Stop"
    command_of(r"C:\an n\codecairn.exe", "codex", "Stop") == r'"C:\an n\codecairn.exe" hook codex Stop'
    """
    *starts, words = [*hook_program(program), f"{agent} {event}"]
    if not _is_windows_path(program):
        return f"{shlex.join(starts)} {words}"
    if agent == "gemini":  # PowerShell, where a quoted path alone is a text
        starts[0] = "& '" + program.replace("'", "''") + "'"
    elif not _BARE_ON_WINDOWS.fullmatch(program):
        starts[0] = f'"{program}"'  # cmd.exe
    return f"{' '.join(starts)} {words}"


_BARE_ON_WINDOWS = re.compile(r"[\w:\\/.~-]+")


def _is_windows_path(program: str) -> bool:
    return PureWindowsPath(program).drive != ""


def is_ours(element: object) -> bool:
    """Whether an entry of a host starts our command and nothing else."""
    commands = list(_commands(element))
    return bool(commands) and all(
        "codecairn" in command and (LAUNCHER in command or " hook " in command)
        for command in commands
    )


def _commands(element: object) -> list[str]:
    if isinstance(element, list):
        return [command for each in element for command in _commands(each)]
    if not isinstance(element, dict):
        return []
    command, arguments = element.get("command"), element.get("args", [])
    found = []
    if isinstance(command, str):
        more = arguments if isinstance(arguments, list) else []
        found.append(" ".join([command, *map(str, more)]))
    return found + _commands(element.get("hooks"))


def claude_entry(program: str, event: str) -> dict[str, object]:
    """An entry in Claude Code's settings.

    On Windows its shell is Git's bash or PowerShell, which read a path differently, so the program is started without one.
    """
    start: dict[str, object] = {"command": command_of(program, "claude", event)}
    if _is_windows_path(program):
        start = {"command": program, "args": ["hook", "claude", event]}
    hook = {"type": "command", **start, "timeout": TIMEOUT_S}
    matcher = CLAUDE[event]
    return ({"matcher": matcher} if matcher else {}) | {"hooks": [hook]}


def codex_entry(program: str, event: str) -> dict[str, object]:
    """An entry in Codex's `hooks.json`; it is approved word for word, so it never changes."""
    command = command_of(program, "codex", event)
    return {"hooks": [{"type": "command", "command": command, "timeout": TIMEOUT_S}]}


def gemini_entry(program: str, event: str) -> dict[str, object]:
    """An entry in Gemini CLI's settings, where times are milliseconds."""
    hook = {
        "type": "command",
        "name": "codecairn",
        "command": command_of(program, "gemini", event),
        "timeout": TIMEOUT_S * 1000,
    }
    return {"matcher": GEMINI[event], "hooks": [hook]}


def cursor_entry(program: str, event: str) -> dict[str, object]:
    """An entry in Cursor's `hooks.json`."""
    return {"command": command_of(program, "cursor", event), "timeout": TIMEOUT_S}


def opencode_plugin(program: str) -> str:
    """The plugin file for OpenCode."""
    text = (Path(__file__).parent / "opencode_plugin.js").read_text(encoding="utf-8")
    return text.replace('["codecairn", "hook"]', json.dumps(hook_program(program)), 1)


def hermes_plugin(program: str, hook: str) -> str:
    """The memory provider for Hermes: the module that is its entry point, with the program's place."""
    source = Path(__file__).parents[1] / "integrations" / "hermes.py"
    text = source.read_text(encoding="utf-8")
    text = re.sub(
        r"^LAUNCH = .*\nPROGRAM = .*$",
        lambda _: f"PROGRAM = {[program]!r}",
        text,
        count=1,
        flags=re.M,
    )
    text = text.replace('HOOK = [*PROGRAM, "hook"]', f"HOOK = {hook_program(hook)!r}", 1)
    return text.replace("import sys\n", "", 1)
