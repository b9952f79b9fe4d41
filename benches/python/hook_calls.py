"""How long an agent waits for a hook: whole processes, as a host starts them, alone and with every core busy.

    python -m benches.python.hook_calls FOLDER [OUT.json] [--against PACKAGES | --backends]

`--against` names the folder that another version's package lies in, whose processes take turns with those of this one. Each
version has a memory of its own, filled by itself. With `--backends` this version takes turns with itself beside a Graphiti server and a
Redis that are down, and beside ones that take connections and never answer.
"""

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import codecairn
from benches.results import Figure, Results, default_folder, percentiles
from codecairn import Workspace
from codecairn.memory.memory import Memory

PACKAGES = Path(codecairn.__file__).parents[1]
RUN = Path("codecairn/hooks/run.py")
CALLS = 60
PROMPT = "how are names looked up in this project, and where is that decided?"
FACTS, ANCHORED, EVENTS = 300, 100, 10_000
SESSIONS = 100
TOPICS = ("names", "prices", "lamps", "retries", "sessions", "ports", "queues", "tokens")


class Cost(NamedTuple):
    """What one call took: seconds that the host waits, and seconds of processor time."""

    wall_s: float
    processor_s: float


class Version:
    """One version's hooks, with a memory of their own about a folder."""

    def __init__(
        self, packages: Path, folder: Path, home: str, settings: Mapping[str, str] | None = None
    ) -> None:
        self._run = packages / RUN
        self._folder = folder
        self._environment = {"CODECAIRN_HOME": home, "HOME": home, "PATH": "/usr/bin:/bin"}
        self._environment["CODECAIRN_HOOKS_BACKGROUND"] = "false"
        file = Path(home) / "config.toml"
        file.write_text(
            "".join(f"{key} = {json.dumps(value)}\n" for key, value in (settings or {}).items())
        )
        filling = f"from benches.python import hook_calls\nhook_calls.fill({str(folder)!r})"
        paths = os.pathsep.join([str(packages), str(Path(__file__).parents[2])])
        variables = {**self._environment, "PYTHONPATH": paths}
        subprocess.run([sys.executable, "-c", filling], env=variables, cwd=home, check=True)

    def kinds(self) -> dict[str, Callable[[int], Cost]]:
        """The kinds of calls, by what they are."""
        folder = self._folder
        return {
            "Python alone": lambda _at: self._started("-c", "pass"),
            "a tool's use (recorded)": lambda at: self._hook("PostToolUse", _tool(folder, at)),
            "a prompt (recorded, answered)": self._prompted,
            "a later prompt of a session": lambda at: self._hook(
                "UserPromptSubmit", _prompt(folder, at, "bench-going")
            ),
            "before a file is used": lambda at: self._hook("PreToolUse", _file(folder, at)),
            "a session's start": lambda at: self._hook("SessionStart", _start(folder, at)),
        }

    def _prompted(self, at: int) -> Cost:
        """A prompt of a session that has begun: without its start, the prompt would be given that."""
        name = f"bench-{at}-{time.time_ns()}"
        self._hook("SessionStart", _session(self._folder, name) | {"source": "startup"})
        return self._hook("UserPromptSubmit", _prompt(self._folder, at, name))

    def _hook(self, event: str, payload: dict[str, object]) -> Cost:
        return self._started(str(self._run), "claude", event, raw=json.dumps(payload).encode())

    def _started(self, *arguments: str, raw: bytes = b"") -> Cost:
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=self._environment,
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


def in_turns(
    versions: dict[str, Version], *, count: int
) -> Iterator[tuple[str, dict[str, list[Cost]]]]:
    """The costs of each kind of call by version: `count` calls each, in turns."""
    kinds = {name: version.kinds() for name, version in versions.items()}
    for kind in next(iter(kinds.values())):
        costs: dict[str, list[Cost]] = {name: [] for name in versions}
        for at in range(-1, count):  # the first finds out what is found out once
            for name in versions:
                cost = kinds[name][kind](at)
                if at >= 0:
                    costs[name].append(cost)
        yield kind, costs


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


def figures(versions: dict[str, Version], *, count: int) -> Iterator[Figure]:
    """The percentiles of each kind of call, on a quiet machine and with every core busy."""
    note = f"{EVENTS:,} events, {FACTS} facts, {ANCHORED} of them anchored"

    def of(kind: str, costs: dict[str, list[Cost]]) -> Iterator[Figure]:
        for version, each in costs.items():
            name = f"{kind}, {version}" if len(costs) > 1 else kind
            yield from percentiles(name, [cost.wall_s * 1000 for cost in each], "ms", note=note)
            processor = [cost.processor_s * 1000 for cost in each]
            yield percentiles(f"{name}, processor", processor, "ms", note=note)[0]

    for kind, costs in in_turns(versions, count=count):
        yield from of(kind, costs)
    with busy_cores():
        for kind, costs in in_turns(versions, count=count):
            yield from of(f"{kind}, every core busy", costs)


def fill(folder: str) -> None:
    """Fill the memory of the workspace at `folder`."""
    with Workspace.open(folder) as workspace:
        remember(workspace)


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
    workspace.memory.tidy()


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


def _prompt(folder: Path, at: int, session: str) -> dict[str, object]:
    members = {"prompt": f"{PROMPT} ({at})", "prompt_id": str(time.time_ns())}
    return _session(folder, session) | members


def _file(folder: Path, at: int) -> dict[str, object]:
    members = {"tool_name": "Read", "tool_input": {"file_path": f"{folder}/module_{at}.py"}}
    return _session(folder, "bench") | members


def _start(folder: Path, at: int) -> dict[str, object]:
    return _session(folder, f"bench-start-{at}-{time.time_ns()}") | {"source": "startup"}


@contextmanager
def silent_port() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        yield int(listening.getsockname()[1])


def backends_at(port: int) -> Mapping[str, str]:
    """Settings that name both backends at a port of this machine."""
    return {
        "memory.graphiti_url": f"http://127.0.0.1:{port}/mcp",
        "memory.graphiti_database": f"redis://127.0.0.1:{port}",
        "memory.redis_url": f"redis://127.0.0.1:{port}",
    }


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.hook_calls")
    parser.add_argument("folder", type=Path, help="a repository; its memory is made for this run")
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("--against", type=Path, help="the folder of another version's package")
    parser.add_argument("--backends", action="store_true", help="beside backends that fail")
    parser.add_argument("--calls", type=int, default=CALLS, help="calls of each kind")
    options = parser.parse_args()
    folder = options.folder.resolve()
    places: dict[str, tuple[Path, Mapping[str, str]]] = {"this": (PACKAGES, {})}
    if options.against is not None:
        places = {"other": (options.against.resolve(), {}), **places}
    results = Results("Hooks")
    with tempfile.TemporaryDirectory() as home, silent_port() as port:
        if options.backends:
            places = {
                "no backends": (PACKAGES, {}),
                "backends down": (PACKAGES, backends_at(1)),
                "backends hanging": (PACKAGES, backends_at(port)),
            }
        for name in places:
            (Path(home) / name).mkdir()
        versions = {
            name: Version(place, folder, f"{home}/{name}", settings)
            for name, (place, settings) in places.items()
        }
        results.add(figures(versions, count=options.calls))
    notes = [f"{folder.name}, {options.calls} calls of each kind, versions in turns"]
    results.write(options.out or default_folder() / "hooks.json", notes=notes)


if __name__ == "__main__":
    main()
