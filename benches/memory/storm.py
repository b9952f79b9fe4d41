"""Many processes record at once, and some are killed in the middle: is what was acknowledged kept?

python -m benches.memory.storm [processes] [events] [kills] [OUT.json]
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.memory.floor import floor_ms, load, share
from benches.results import Figure, Results, default_folder
from codecairn import Workspace

SEED = 7
_LONG_MS = 250
_LISTENS_EVERY = 0.01
_PIPE = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a storm left.

    Attributes:
        acknowledged: Events that were acknowledged to a process.
        lost: Those of them that are not in the log.
        doubled: Events that are in the log more than once.
        disordered: Sessions whose events are not in the order in which they were recorded.
        killed: Processes that were killed.
        failures: What processes that were not killed printed as they failed.
        latencies_ms: How long each acknowledgement took, ascending.
        waited: Acknowledged events that went through the spool.
    """

    acknowledged: int
    lost: tuple[str, ...]
    doubled: tuple[str, ...]
    disordered: tuple[str, ...]
    killed: int
    failures: tuple[str, ...]
    latencies_ms: tuple[float, ...]
    waited: int

    def percentile(self, share: float) -> float:
        """The latency that this share of the writes did not exceed, in milliseconds."""
        return self.latencies_ms[
            min(int(len(self.latencies_ms) * share), len(self.latencies_ms) - 1)
        ]


def storm(root: Path, *, processes: int, events: int, kills: int) -> Outcome:
    """Let `processes` record `events` each; `kills` of them die at a random one."""
    lots = random.Random(SEED)
    dying = {index: lots.randrange(events) for index in lots.sample(range(processes), kills)}
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "benches.memory.writer", str(root), f"s{index}", str(events)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        )
        for index in range(processes)
    ]
    for writer in writers:
        _line(writer)
    for writer in writers:
        if writer.stdin is not None:
            writer.stdin.write("go\n")
            writer.stdin.flush()
    told = _listen(writers, dying, events=events)
    failures = []
    for index, writer in enumerate(writers):
        error = writer.stderr.read() if writer.stderr is not None else ""
        if writer.wait() != 0 and index not in dying:
            failures.append(error.strip().splitlines()[-1] if error.strip() else f"s{index} failed")
        for stream in (writer.stdout, writer.stderr):
            if stream is not None:
                stream.close()
    return _judge(root, told, killed=len(dying), failures=failures)


def _line(writer: "subprocess.Popen[str]") -> str:
    return writer.stdout.readline() if writer.stdout is not None else ""


def _listen(
    writers: "Sequence[subprocess.Popen[str]]", dying: Mapping[int, int], *, events: int
) -> list[list[str]]:
    """The acknowledged events of each process; one is killed when as much is heard of it as it is to live.

    Listens now and then, and lets none end before all are done: whoever wakes at each word, or ends, takes from the
    writers the processors that they are measured on.
    """
    heard = [b"" for _ in writers]
    pipes = [writer.stdout.fileno() for writer in writers if writer.stdout is not None]
    for pipe in pipes:
        os.set_blocking(pipe, False)
    speaking = set(range(len(writers)))
    writing = set(speaking)
    while speaking:
        time.sleep(_LISTENS_EVERY)
        for index in list(speaking):
            words = _new_words(pipes[index])
            if words is None:
                continue
            heard[index] += words
            told = heard[index].count(b"\n")
            if index in dying and told > dying[index]:
                writers[index].kill()
            if not words:
                speaking.remove(index)
            if not words or told >= events:
                writing.discard(index)
        if not writing:
            _let_end(writers)
    # The incomplete last line of a killed process is no acknowledgement.
    return [each.decode().split("\n")[:-1] for each in heard]


def _new_words(pipe: int) -> bytes | None:
    try:
        return os.read(pipe, _PIPE)
    except BlockingIOError:
        return None


def _let_end(writers: "Sequence[subprocess.Popen[str]]") -> None:
    for writer in writers:
        if writer.stdin is not None:
            writer.stdin.close()


def _judge(
    root: Path, told: Sequence[Sequence[str]], *, killed: int, failures: Sequence[str]
) -> Outcome:
    rows = [line.split() for lines in told for line in lines]
    acknowledged = [row[0] for row in rows]
    with Workspace.open(root) as workspace:
        document = json.loads(workspace.memory.export())
    keys = [event["key"] for event in document["events"]]
    by_session: dict[str, list[int]] = {}
    for key in keys:
        name, _, number = key.partition("-")
        by_session.setdefault(name, []).append(int(number))
    return Outcome(
        acknowledged=len(acknowledged),
        lost=tuple(sorted(set(acknowledged) - set(keys))),
        doubled=tuple(sorted(key for key in set(keys) if keys.count(key) > 1))
        if len(set(keys)) < len(keys)
        else (),
        disordered=tuple(
            name for name, numbers in by_session.items() if numbers != sorted(numbers)
        ),
        killed=killed,
        failures=tuple(failures),
        latencies_ms=tuple(sorted(float(row[1]) for row in rows)),
        waited=sum(row[2] == "1" for row in rows),
    )


def main() -> None:
    """Run one storm in a folder of its own, after a writer that is alone; print and write what they left."""
    processes, events, kills = (int(each) for each in (*sys.argv[1:4], "20", "200", "5")[:3])
    results = Results("Writers of a memory")
    notes = [f"load before: {load()}"]
    for count, killed in ((1, 0), (processes, kills)):
        outcome, floor = _measured(processes=count, events=events, kills=killed)
        writers = f"{count} writer{'s' if count > 1 else ''}"
        results.add(_figures(f"memory: {writers}", outcome, floor))
        notes += outcome.failures
    file = Path(sys.argv[4]) if sys.argv[4:] else default_folder() / "memory-writers.json"
    results.write(file, notes=[*notes, f"load after: {load()}"])


def _measured(*, processes: int, events: int, kills: int) -> tuple[Outcome, list[float]]:
    """What one storm left, and how long an append and a sync alone took before and after it."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CODECAIRN_HOME"] = str(Path(folder) / "home")
        root = Path(folder) / "workspace"
        root.mkdir()
        floor = floor_ms(Path(folder), processes=processes, writes=events)
        outcome = storm(root, processes=processes, events=events, kills=kills)
        return outcome, sorted(floor + floor_ms(root, processes=processes, writes=events))


def _figures(subject: str, outcome: Outcome, floor: list[float]) -> list[Figure]:
    over = sum(latency > _LONG_MS for latency in outcome.latencies_ms)
    counts = {
        "killed": outcome.killed,
        "acknowledged": outcome.acknowledged,
        "lost": len(outcome.lost),
        "stored twice": len(outcome.doubled),
        "sessions out of order": len(outcome.disordered),
        "failures": len(outcome.failures),
        "through the spool": outcome.waited,
        f"over {_LONG_MS} ms": over,
    }
    times_ms = {
        "p50": outcome.percentile(0.5),
        "p95": outcome.percentile(0.95),
        "p99": outcome.percentile(0.99),
        "most": outcome.latencies_ms[-1],
        "append and sync alone, p50": share(floor, 0.5),
        "append and sync alone, p95": share(floor, 0.95),
        "append and sync alone, most": floor[-1],
    }
    return [
        *(Figure(measure=f"{subject}, {name}", value=count) for name, count in counts.items()),
        *(
            Figure(measure=f"{subject}, {name}", value=time_ms, unit="ms")
            for name, time_ms in times_ms.items()
        ),
    ]


if __name__ == "__main__":
    main()
