"""What it costs here to append a record to a file and have it on the disk: nothing that keeps its word is faster.

python -m benches.memory.floor [processes] [writes] [OUT.json]
"""

import multiprocessing
import os
import sys
import tempfile
import time
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from benches.results import Figure, Results, default_folder

_RECORD_BYTES = 1200
"""About what one event of the storm takes."""


def floor_ms(folder: Path, *, processes: int, writes: int) -> list[float]:
    """How long each write took, ascending: `processes` at once, each into a file of its own, synced each time."""
    context = multiprocessing.get_context("spawn")
    answers: Queue[list[float]] = context.Queue()
    together = context.Barrier(processes)
    writers = [
        context.Process(
            target=_write, args=(str(folder / f"floor{index}"), writes, together, answers)
        )
        for index in range(processes)
    ]
    for writer in writers:
        writer.start()
    times = [each for _ in writers for each in answers.get()]
    for writer in writers:
        writer.join()
    return sorted(times)


def _write(path: str, writes: int, together: Barrier, answers: "Queue[list[float]]") -> None:
    record = b"x" * _RECORD_BYTES
    sync = getattr(os, "fdatasync", os.fsync)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    times = []
    together.wait()
    for _ in range(writes):
        began = time.perf_counter()
        os.write(file, record)
        sync(file)
        times.append((time.perf_counter() - began) * 1000)
    os.close(file)
    answers.put(times)


def share(times: list[float], part: float) -> float:
    """The time that this part of the writes did not exceed."""
    return times[min(int(len(times) * part), len(times) - 1)]


def load() -> str:
    """How busy the machine was over the last minute, where that is known."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def main() -> None:
    """Measure one process alone, and many at once."""
    results = Results("The cost of an append and a sync")
    processes, writes = (int(each) for each in (*sys.argv[1:3], "20", "200")[:2])
    for count in (1, processes):
        with tempfile.TemporaryDirectory() as folder:
            times = floor_ms(Path(folder), processes=count, writes=writes)
        parts = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "most": 1.0}
        results.add(
            Figure(
                measure=f"append and sync, {count} at once, {name}",
                value=share(times, part),
                unit="ms",
                note=f"{writes} writes each",
            )
            for name, part in parts.items()
        )
    file = Path(sys.argv[3]) if sys.argv[3:] else default_folder() / "append-and-sync.json"
    results.write(file)


if __name__ == "__main__":
    main()
