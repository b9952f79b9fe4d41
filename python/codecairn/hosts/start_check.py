"""Starts what hosts start, the MCP server and the hooks, and checks that each does its work.

Invariants: nothing but a program that an installation would enter today is started, never what a file names; it gets a data
folder and a working directory of its own, so the user's index, memory and settings are neither read nor changed.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from codecairn.core import isolation
from codecairn.core.light_dataclass import dataclass
from codecairn.hosts.edits import Edit, JsonMember, TomlTable
from codecairn.hosts.hook_events import hook_program
from codecairn.hosts.host_table import WORKSPACE_FOLDER
from codecairn.paths.user import HOME_VARIABLE

TIMEOUT_S = 10.0
"""Hosts give a server 10 to 60 s to answer its first messages, and an installed hook 3 s."""

_PROTOCOL = "2025-06-18"
_MESSAGES: Sequence[Mapping[str, object]] = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": _PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "codecairn doctor", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What became of a start: `detail` has the figures, or why it failed."""

    is_working: bool
    detail: str


def server_command(edits: Sequence[Edit]) -> list[str]:
    """How a host starts the server by these edits; empty if it starts none."""
    for edit in edits:
        if isinstance(edit, JsonMember) and isinstance(edit.value, Mapping):
            return _command(edit.value)
        if isinstance(edit, TomlTable):
            return _command(edit.values)
    return []


def start_server(command: Sequence[str], *, timeout_s: float = TIMEOUT_S) -> Start:
    """Start the server as a host does, and ask it for its tools.

    Args:
        command: The program and its arguments.
        timeout_s: Seconds until it counts as one that does not answer.
    """
    text = "".join(f"{json.dumps(message)}\n" for message in _MESSAGES)
    with _own_folders() as (folder, environment):
        given = [str(folder) if each == WORKSPACE_FOLDER else each for each in command]
        started = time.monotonic()
        done, failure = _run(given, text, folder, environment, timeout_s)
    if done is None:
        return Start(is_working=False, detail=failure)
    answers = _answers(done.stdout)
    tools = answers.get(2, {}).get("tools")
    if "serverInfo" not in answers.get(1, {}) or not isinstance(tools, list):
        return Start(is_working=False, detail=_failure(done))
    return Start(
        is_working=True, detail=f"{len(tools)} tools in {time.monotonic() - started:.1f} s"
    )


def start_hook(program: str, *, timeout_s: float = TIMEOUT_S) -> Start:
    """Send the program of the hooks a prompt, and look for it in the memory.

    Args:
        program: The launcher, or the command itself.
        timeout_s: Seconds until it counts as one that does not answer.
    """
    with _own_folders() as (folder, environment):
        payload = {
            "session_id": "codecairn-doctor",
            "cwd": str(folder),
            "hook_event_name": "UserPromptSubmit",
            "prompt": "Do the hooks work?",
        }
        started = time.monotonic()
        command = [*hook_program(program), "--wait", "claude", "UserPromptSubmit"]
        done, failure = _run(command, json.dumps(payload), folder, environment, timeout_s)
        is_recorded = (Path(environment[HOME_VARIABLE]) / "data" / "memory.db").is_file()
    if done is None:
        return Start(is_working=False, detail=failure)
    if done.returncode != 0 or not is_recorded:
        return Start(is_working=False, detail=_failure(done))
    return Start(is_working=True, detail=f"recorded in {time.monotonic() - started:.1f} s")


def _command(values: Mapping[str, object]) -> list[str]:
    program, arguments = values.get("command"), values.get("args", ())
    parts = program if isinstance(program, list) else [program]
    more = arguments if isinstance(arguments, list) else []
    return [str(each) for each in (*parts, *more)]


@contextmanager
def _own_folders() -> Iterator[tuple[Path, dict[str, str]]]:
    """An empty project, and an environment whose data folder is elsewhere; both are removed."""
    with tempfile.TemporaryDirectory(
        prefix="codecairn-doctor-", ignore_cleanup_errors=True
    ) as name:
        folder = Path(name).resolve() / "project"
        folder.mkdir()
        (folder / ".git").mkdir()  # it is a project, so nothing above it is looked at
        environment = {
            name: value
            for name, value in isolation.child_environment().items()
            if not name.startswith("CODECAIRN_")
        }
        own = {
            HOME_VARIABLE: str(folder.with_name("home")),
            "CODECAIRN_HOOKS_BACKGROUND": "false",
            "PWD": str(folder),
        }
        yield folder, environment | own


def _run(
    command: Sequence[str],
    text: str,
    folder: Path,
    environment: Mapping[str, str],
    timeout_s: float,
) -> tuple[subprocess.CompletedProcess[str] | None, str]:
    """The process at its end, or why there is none."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            input=text,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_s,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0)
            if sys.platform == "win32"
            else 0,
        )
    except subprocess.TimeoutExpired:
        return None, f"no answer within {timeout_s:g} s"
    except OSError as err:
        return None, f"it can't be started: {err.strerror or err}"
    return done, ""


def _answers(text: str) -> dict[object, Mapping[str, object]]:
    """The results by the id of their request; lines that are no answer are passed over."""
    found: dict[object, Mapping[str, object]] = {}
    for line in text.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if isinstance(message, dict) and isinstance(message.get("result"), dict):
            found[message.get("id")] = message["result"]
    return found


def _failure(done: subprocess.CompletedProcess[str]) -> str:
    last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "")
    words = f"it ended with code {done.returncode} and did not do its work"
    return f"{words}: {last.strip()[:200]}" if last else words
