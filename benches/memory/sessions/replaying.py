"""Replays a project's sessions through the hooks, as Claude Code would call them, and asks the later prompts."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import codecairn
from benches.memory.sessions.scripted_model import ScriptedModel
from benches.memory.sessions.scripts import Event, Project
from codecairn.clock import SystemClock
from codecairn.core.types.memory import Fact, Recalled
from codecairn.hooks import background
from codecairn.workspace.workspace import Workspace

_RUN = Path(codecairn.__file__).parent / "hooks" / "run.py"
_DAY_MS = 86_400_000
_STEP_MS = 20_000
_LINE = re.compile(r"- (.*) \(([^()]*), (\w+)\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line that an agent is shown.

    Attributes:
        text: What it says.
        id: Of the fact or the event.
        sources: The events that it is drawn from, as (session, event).
    """

    text: str
    id: str
    sources: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a new session is shown: at its start, and with its first prompt."""

    start: tuple[Line, ...]
    start_tokens: int
    prompt: tuple[Line, ...]


class Replay:
    """A project whose sessions are over."""

    def __init__(self, project: Project, folder: Path) -> None:
        self.project = project
        self.root = folder / project.name
        self.root.mkdir()
        self._home, self._kept = folder / "home", folder / "kept"
        self.asked_ms = _last_weekday_ms(project.asks_day % 7)
        self._first_ms = self.asked_ms - project.asks_day * _DAY_MS - 3_600_000 * 4
        self._places: dict[int, tuple[int, int]] = {}
        os.environ["CODECAIRN_HOME"] = str(self._home)
        os.environ["CODECAIRN_HOOKS_BACKGROUND"] = "false"
        for session in project.sessions:
            self._play(session.number)
        with Workspace.open(self.root) as workspace:
            events = workspace.memory.events(limit=100_000, with_private=True)
            self._of_seq = {each.seq: self._places.get(each.ts_ms, (0, 0)) for each in events}
            self.facts = workspace.memory.list(limit=10_000)
            ended = workspace.memory.list(limit=10_000, with_history=True)
            self.history = [fact for fact in ended if fact.state in {"live", "superseded"}]
        self._sources = {fact.id: self.sources_of(fact) for fact in self.facts}
        shutil.copytree(self._home, self._kept)

    def sources_of(self, fact: Fact) -> frozenset[tuple[int, int]]:
        """The events of the script that a fact is drawn from."""
        return frozenset(self._of_seq.get(seq, (0, 0)) for seq in fact.sources)

    def sources_of_hit(self, hit: Recalled) -> frozenset[tuple[int, int]]:
        """The same of whatever is found."""
        if hit.fact is not None:
            return self.sources_of(hit.fact)
        return frozenset({self._of_seq.get(hit.event.seq if hit.event else 0, (0, 0))})

    def ask(self, prompt: str) -> Shown:
        """What a new session is shown that begins with a prompt; nothing of it is kept."""
        shutil.rmtree(self._home)
        shutil.copytree(self._kept, self._home)
        start = self._hook("SessionStart", "asks", source="startup")
        shown = self._hook("UserPromptSubmit", "asks", prompt=prompt)
        return Shown(
            start=tuple(self._lines(start)),
            start_tokens=len(start.encode()) // 4,
            prompt=tuple(self._lines(shown)),
        )

    def _lines(self, text: str) -> Iterator[Line]:
        for line in text.splitlines():
            if found := _LINE.match(line):
                name = found[3]
                if name.startswith("E") and name[1:].isdigit():
                    sources = frozenset({self._of_seq.get(int(name[1:]), (0, 0))})
                else:
                    sources = self._sources.get(name, frozenset())
                yield Line(text=found[1], id=name, sources=sources)

    def _play(self, number: int) -> None:
        session = next(each for each in self.project.sessions if each.number == number)
        ms = self._first_ms + session.day * _DAY_MS
        name = f"session-{number}"
        self._hook("SessionStart", name, ms=ms, source="startup")
        for at, event in enumerate(session.events):
            ms += _STEP_MS
            self._places[ms] = (number, at)
            self._hook(_call(event), name, ms=ms, **_members(event))
        self._hook("SessionEnd", name, ms=ms + _STEP_MS, reason="other")
        background.look_after(self.root)

    def _hook(self, event: str, session: str, *, ms: int = 0, **members: object) -> str:
        payload = {"session_id": session, "cwd": str(self.root), "hook_event_name": event}
        options = ["--late", str(ms)] if ms else ["--wait"]
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(_RUN), *options, "claude", event],
            cwd=self.root,
            input=json.dumps(payload | members).encode(),
            capture_output=True,
            check=True,
        )
        answer = json.loads(done.stdout or b"{}")
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def _last_weekday_ms(weekday: int) -> int:
    """18:00 of the last such day before today; 0 is Monday, as is day 0 of a script."""
    now = SystemClock().now_ns() // 1_000_000_000
    today = datetime.fromtimestamp(now, tz=timezone.utc)
    day = today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    return int(day.replace(hour=18, minute=0, second=0).timestamp() * 1000)


@contextmanager
def replayed(
    project: Project, *, with_model: bool = False, model: ScriptedModel | None = None
) -> Iterator[Replay]:
    """Replay all sessions in a temporary folder, with settings and a home of their own.

    `with_model` has the sessions read by the model whose answers are on record, or by another `model`.
    """
    before = dict(os.environ)
    model = model or (ScriptedModel(project.name) if with_model else None)
    with tempfile.TemporaryDirectory(prefix="codecairn-sessions-") as folder:
        try:
            with nullcontext() if model is None else model.serving():
                replay = Replay(project, Path(folder))
            yield replay
        finally:
            os.environ.clear()
            os.environ.update(before)


def _call(event: Event) -> str:
    if event.role == "tool":
        return "PostToolUseFailure" if event.has_failed else "PostToolUse"
    return "UserPromptSubmit" if event.role == "user" else "Stop"


def _members(event: Event) -> dict[str, object]:
    if event.role == "user":
        return {"prompt": event.text}
    if event.role == "assistant":
        return {"last_assistant_message": event.text}
    given: dict[str, object]
    if event.tool == "Bash":
        given = {"command": event.given}
    elif event.tool == "Grep":
        given = {"pattern": event.given}
    else:
        given = {"file_path": event.given}
    result: dict[str, object] = {"tool_name": event.tool, "tool_input": given}
    if event.has_failed:
        return result | {"error": f"Exit code 1\n{event.text}"}
    if event.tool == "Edit":
        lines = event.text.splitlines()
        for name, mark in (("old_string", "-"), ("new_string", "+")):
            given[name] = "\n".join(line[1:].strip() for line in lines if line.startswith(mark))
        return result | {"tool_response": {"filePath": event.given}}
    if event.tool == "Bash":
        return result | {
            "tool_response": {"stdout": event.text, "stderr": "", "interrupted": False}
        }
    return result | {"tool_response": event.text}
