"""How long an agent waits for a hook: whole processes, as a host starts them, alone and with every core busy."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import codecairn
from benches.results import Figure, percentiles
from codecairn import Workspace
from codecairn.hooks import background

RUN = Path(codecairn.__file__).parent / "hooks" / "run.py"
PROMPT = "how are names looked up in this project, and where is that decided?"
FACTS = 200


def calls(folder: Path, home: str, *, count: int) -> Iterator[tuple[str, list[float]]]:
    """The times of each kind of call, in seconds: `count` calls each, by what they are."""
    environment = {"CODECAIRN_HOME": home, "PATH": "/usr/bin:/bin", "HOME": home}
    environment["CODECAIRN_HOOKS_BACKGROUND"] = "false"
    os.environ.update(environment)
    _remember(folder)
    kinds: dict[str, Callable[[int], None]] = {
        "Python alone": lambda _at: _started("-c", "pass"),
        "tools' use (recorded)": lambda at: _hook("PostToolBatch", _tool(folder, at)),
        "a prompt (recorded, answered)": lambda at: _hook("UserPromptSubmit", _prompt(folder, at)),
        "a later prompt of a session": lambda at: _hook("UserPromptSubmit", _later(folder, at)),
        "before a file is used": lambda at: _hook("PreToolUse", _file(folder, at)),
        "a session's start": lambda at: _hook("SessionStart", _start(folder, at)),
    }
    for name, call in kinds.items():
        call(-1)  # what is found out once
        yield name, [_seconds(call, at) for at in range(count)]


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
    for name, times_s in calls(folder, home, count=count):
        yield from percentiles(name, [each * 1000 for each in times_s], "ms")
    with busy_cores():
        for name, times_s in calls(folder, home, count=count):
            busy = f"{name}, every core busy"
            yield from percentiles(busy, [each * 1000 for each in times_s], "ms")


def _remember(folder: Path) -> None:
    with Workspace.open(folder) as workspace:
        for at in range(FACTS):
            workspace.memory.add(f"Names of kind {at} are looked up in table {at * 7}", type="note")
    background.look_after(folder)


def _seconds(call: Callable[[int], None], at: int) -> float:
    started = time.perf_counter()
    call(at)
    return time.perf_counter() - started


def _hook(event: str, payload: dict[str, object]) -> None:
    _started(str(RUN), "claude", event, raw=json.dumps(payload).encode())


def _started(*arguments: str, raw: bytes = b"") -> None:
    subprocess.run(
        [sys.executable, "-I", "-S", *arguments], input=raw, stdout=subprocess.DEVNULL, check=True
    )


def _session(folder: Path, name: str) -> dict[str, object]:
    return {"session_id": name, "cwd": str(folder)}


def _tool(folder: Path, at: int) -> dict[str, object]:
    call = {
        "tool_name": "Bash",
        "tool_input": {"command": f"grep -n name_{at} *.py"},
        "tool_response": "".join(f"module.py:{line}: name_{at} = {line}\n" for line in range(40)),
        "tool_use_id": f"call-{at}-{time.time_ns()}",
    }
    return _session(folder, "bench") | {"tool_calls": [call]}


def _prompt(folder: Path, at: int) -> dict[str, object]:
    members = {"prompt": f"{PROMPT} ({at})", "prompt_id": str(time.time_ns())}
    return _session(folder, f"bench-{at}-{time.time_ns()}") | members


def _later(folder: Path, at: int) -> dict[str, object]:
    return _prompt(folder, at) | _session(folder, "bench-going")


def _file(folder: Path, at: int) -> dict[str, object]:
    members = {"tool_name": "Read", "tool_input": {"file_path": f"{folder}/module_{at}.py"}}
    return _session(folder, "bench") | members


def _start(folder: Path, at: int) -> dict[str, object]:
    return _session(folder, f"bench-start-{at}-{time.time_ns()}") | {"source": "startup"}
