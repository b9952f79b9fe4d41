"""How long an agent waits for a hook: whole processes, as a host starts them, alone and with every core busy."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import codecairn
from benches.results import Figure, percentiles
from codecairn import Workspace
from codecairn.memory.memory import Memory

RUN = Path(codecairn.__file__).parent / "hooks" / "run.py"
PROMPT = "how are names looked up in this project, and where is that decided?"
FACTS, ANCHORED, EVENTS = 300, 100, 10_000
SESSIONS = 100
TOPICS = ("names", "prices", "lamps", "retries", "sessions", "ports", "queues", "tokens")


class Cost(NamedTuple):
    """What one call took: seconds that the host waits, and seconds of processor time."""

    wall_s: float
    processor_s: float


def calls(folder: Path, home: str, *, count: int) -> Iterator[tuple[str, list[Cost]]]:
    """The costs of each kind of call: `count` calls each, by what they are."""
    environment = {"CODECAIRN_HOME": home, "PATH": "/usr/bin:/bin", "HOME": home}
    environment["CODECAIRN_HOOKS_BACKGROUND"] = "false"
    os.environ.update(environment)
    with Workspace.open(folder) as workspace:
        if not workspace.memory.events(limit=1):
            remember(workspace)
    kinds: dict[str, Callable[[int], Cost]] = {
        "Python alone": lambda _at: _started("-c", "pass"),
        "a tool's use (recorded)": lambda at: _hook("PostToolUse", _tool(folder, at)),
        "a prompt (recorded, answered)": lambda at: _hook("UserPromptSubmit", _prompt(folder, at)),
        "a later prompt of a session": lambda at: _hook("UserPromptSubmit", _later(folder, at)),
        "before a file is used": lambda at: _hook("PreToolUse", _file(folder, at)),
        "a session's start": lambda at: _hook("SessionStart", _start(folder, at)),
    }
    for name, call in kinds.items():
        call(-1)  # what is found out once
        yield name, [call(at) for at in range(count)]


@contextmanager
def busy_cores() -> Iterator[None]:
    """Every core has other work to do."""
    spinning = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def figures(folder: Path, home: str, *, count: int) -> Iterator[Figure]:
    """The percentiles of each kind of call, on a quiet machine and with every core busy."""
    note = f"{EVENTS:,} events, {FACTS} facts, {ANCHORED} of them anchored"
    for name, costs in calls(folder, home, count=count):
        yield from percentiles(name, [each.wall_s * 1000 for each in costs], "ms", note=note)
        processor = [each.processor_s * 1000 for each in costs]
        yield percentiles(f"{name}, processor", processor, "ms", note=note)[0]
    with busy_cores():
        for name, costs in calls(folder, home, count=count):
            busy = f"{name}, every core busy"
            yield from percentiles(busy, [each.wall_s * 1000 for each in costs], "ms", note=note)


def remember(workspace: Workspace) -> None:
    """Fill the memory of a workspace: events of many sessions, and facts, some of them about its code."""
    chance = random.Random(7)
    workspace.index()
    _import_events(workspace.memory, chance)
    engine = workspace.memory.engine()
    files = sorted(path for path in workspace.root.rglob("*.py") if ".venv" not in path.parts)
    chance.shuffle(files)
    anchors = []
    for file in files:
        path = file.relative_to(workspace.root).as_posix()
        found = engine.definitions_in(path)
        anchors += [f"{path}::{each.anchor.name}" for each in found[:1]]
    for at in range(FACTS):
        topic = TOPICS[at % len(TOPICS)]
        text = f"{topic.title()} of kind {at} are looked up in table {at * 7}, as {at % 9} says"
        symbols = anchors[at : at + 1] if at < ANCHORED else []
        workspace.memory.add(text, type="decision" if at % 3 else "note", symbols=symbols)


def _import_events(memory: Memory, chance: random.Random) -> None:
    memory.record("s0", "template", key="template", role="assistant")
    document = json.loads(memory.export())
    (template,) = document["events"]
    words = [
        "table",
        "value",
        "reads",
        "writes",
        "cache",
        "order",
        "port",
        "lamp",
        "price",
        "retry",
        "queue",
        "token",
    ]
    document["events"] = [
        template
        | {
            "seq": at + 2,
            "key": f"k{at}",
            "session": f"s{at * SESSIONS // EVENTS}",
            "role": "user" if at % 7 == 0 else "assistant",
            "body": f"{chance.choice(TOPICS)} {at}: " + " ".join(chance.choices(words, k=40)),
        }
        for at in range(EVENTS)
    ]
    memory.import_(json.dumps(document))


def _hook(event: str, payload: dict[str, object]) -> Cost:
    return _started(str(RUN), "claude", event, raw=json.dumps(payload).encode())


def _started(*arguments: str, raw: bytes = b"") -> Cost:
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    process.stdin.write(raw)
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall_s = time.perf_counter() - started
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return Cost(wall_s, usage.ru_utime + usage.ru_stime)


def _session(folder: Path, name: str) -> dict[str, object]:
    return {"session_id": name, "cwd": str(folder)}


def _tool(folder: Path, at: int) -> dict[str, object]:
    lines = "".join(f"module.py:{line}: name_{at} = {line}\n" for line in range(40))
    call = {
        "tool_name": "Bash",
        "tool_input": {"command": f"grep -n name_{at} *.py"},
        "tool_response": {"stdout": lines, "stderr": "", "interrupted": False},
        "tool_use_id": f"call-{at}-{time.time_ns()}",
    }
    return _session(folder, "bench") | call


def _prompt(folder: Path, at: int) -> dict[str, object]:
    """A prompt of a session that has begun: without its start, the prompt would be given that."""
    name = f"bench-{at}-{time.time_ns()}"
    _hook("SessionStart", _session(folder, name) | {"source": "startup"})
    members = {"prompt": f"{PROMPT} ({at})", "prompt_id": str(time.time_ns())}
    return _session(folder, name) | members


def _later(folder: Path, at: int) -> dict[str, object]:
    members = {"prompt": f"{PROMPT} ({at})", "prompt_id": str(time.time_ns())}
    return _session(folder, "bench-going") | members


def _file(folder: Path, at: int) -> dict[str, object]:
    members = {"tool_name": "Read", "tool_input": {"file_path": f"{folder}/module_{at}.py"}}
    return _session(folder, "bench") | members


def _start(folder: Path, at: int) -> dict[str, object]:
    return _session(folder, f"bench-start-{at}-{time.time_ns()}") | {"source": "startup"}
