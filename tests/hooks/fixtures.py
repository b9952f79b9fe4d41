"""What hosts were recorded to send, a line an event: `{"event", "payload"}`; and how the command is started."""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import codecairn
from codecairn import Workspace, _native
from codecairn.core.types.memory import Event
from codecairn.hooks import background
from support.command import isolated
from support.repository import Repository

REQUESTED = "[codecairn] Before you end this turn"
"""How our own request to an agent begins."""

PROMPT = "how are session tokens verified here?"
RUN = Path(codecairn.__file__).parent / "hooks" / "run.py"
AGENTS = tuple(_native.hook_hosts())
"""The hosts whose events are understood."""

PAYLOADS = Path(__file__).parent / "payloads"


def recorded(agent: str) -> list[tuple[str, dict[str, Any]]]:
    """What a host was recorded to send, in order."""
    lines = (PAYLOADS / f"{agent}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [(row["event"], row["payload"]) for row in rows]


def outcomes(agent: str, root: Path) -> list[tuple[str, dict[str, Any]]]:
    """What a host was recorded to send of calls that pass, fail, and do neither, as if the project lay at `root`."""
    lines = (PAYLOADS / "outcomes" / f"{agent}.jsonl").read_text(encoding="utf-8")
    folder = json.dumps(str(root))[1:-1]
    rows = [json.loads(line) for line in lines.replace("/home/ann/shop", folder).splitlines()]
    if agent == "codex":
        transcript = root / "transcript.jsonl"
        shutil.copy(PAYLOADS / "outcomes" / "codex_transcript.jsonl", transcript)
        for row in rows:
            row["payload"]["transcript_path"] = str(transcript)
    return [(row["event"], row["payload"]) for row in rows]


def hooked(
    agent: str,
    event: str,
    payload: object,
    *,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    options: tuple[str, ...] = ("--wait",),
) -> Any:
    """Start the command as a host does, but without a deadline; its answer, read as JSON.

    It always ends well and says nothing else.
    """
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    done = subprocess.run(
        isolated(RUN, *options, agent, event),
        cwd=cwd, input=raw, capture_output=True, timeout=60, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == b""
    return json.loads(done.stdout) if "--late" not in options else None


def claude_told(project: Repository, event: str, session: str = "s-1", **members: object) -> Any:
    payload = {"session_id": session, "cwd": str(project.root), "hook_event_name": event}
    return hooked("claude", event, payload | members, cwd=project.root)


def context_of(answer: Any) -> str:
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def events_of(project: Repository, *, session: str | None = None) -> list[Event]:
    with Workspace.open(project.root) as workspace:
        return list(reversed(workspace.memory.events(session=session, limit=500)))


def added(project: Repository, text: str, **more: Any) -> str:
    with Workspace.open(project.root) as workspace:
        return workspace.memory.add(text, **more).id


def looked_after(project: Repository) -> None:
    background.look_after(project.root)


def resolve(root: Path) -> None:
    """Have the project of a folder and its settings cached, as after the first event there: our own request records nothing."""
    hooked(
        "claude",
        "UserPromptSubmit",
        {"session_id": "s", "cwd": str(root), "prompt": REQUESTED},
        cwd=root,
    )


def state_folder() -> Path:
    """The folder of the hooks' state."""
    return Path(_native.hooks_folder())


def state_name(*parts: str) -> str:
    """The name of a file of the state."""
    return hashlib.sha1("\0".join(parts).encode(), usedforsecurity=False).hexdigest()


def hooks_log() -> str:
    """The log of hooks; empty if there is none."""
    file = state_folder() / "log"
    return file.read_text() if file.exists() else ""


def is_claimed(*parts: str, within_s: float) -> bool:
    """Whether this is the first to do something."""
    return _native.hooks_claimed(*parts, within_s=within_s)


def reply(agent: str, event: str, context: str) -> Any:
    """The answer by which a host puts a context before its agent."""
    return json.loads(_native.hook_reply(agent, event, context))


def heard(agent: str, event: str, payload: object) -> Any:
    """What an event means; `None` if it is of no interest."""
    found = _native.hook_event(agent, event, json.dumps(payload).encode())
    return None if found is None else json.loads(found)
