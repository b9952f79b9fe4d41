"""What hosts were recorded to send, a line an event: `{"event", "payload"}`; and how the command is started."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import codecairn
from codecairn import Workspace
from codecairn.core.types.memory import Event
from codecairn.hooks import background
from support.repository import Repository

PROMPT = "how are session tokens verified here?"
RUN = Path(codecairn.__file__).parent / "hooks" / "run.py"
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
        [sys.executable, "-I", "-S", str(RUN), *options, agent, event],
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


def looked_after(project: Repository, session: str = "") -> None:
    background.look_after(project.root, session)
