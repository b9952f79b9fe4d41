"""How fast the memory records, recalls and makes contexts when it is large.

python -m benches.memory.recall [events] [facts] [questions]
"""

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benches.memory.floor import load, share
from codecairn import Workspace
from codecairn.memory.memory import Memory

SEED = 11
_SUBJECTS = [
    "cache",
    "session",
    "token",
    "invoice",
    "queue",
    "broker",
    "webhook",
    "index",
    "parser",
    "scheduler",
    "migration",
    "deployment",
    "login",
    "payment",
    "retry",
    "timeout",
    "socket",
    "thread",
    "ferry",
    "report",
    "export",
    "import",
    "filter",
    "ranking",
    "vector",
    "chunk",
    "embedding",
    "catalog",
    "branch",
]
_VERBS = [
    "verify",
    "refresh",
    "drop",
    "rebuild",
    "retry",
    "cancel",
    "merge",
    "split",
    "lock",
    "release",
    "encode",
    "decode",
    "route",
    "flush",
    "warm",
]
_WORDS = 4000


def sentence(lots: random.Random) -> str:
    """A remark of the kind that fills a session: frequent words, and rare ones."""
    rare = [f"{lots.choice(_SUBJECTS)}{int(lots.paretovariate(0.6)) % _WORDS}" for _ in range(6)]
    frequent = [lots.choice(_SUBJECTS) for _ in range(8)]
    words = [
        *rare,
        *frequent,
        lots.choice(_VERBS),
        lots.choice(_VERBS),
        "the",
        "before",
        "after",
        "we",
    ]
    lots.shuffle(words)
    return " ".join(words)


def fill(memory: Memory, *, events: int, facts: int) -> float:
    """Bring in events and facts as an import does; seconds taken."""
    import json

    lots = random.Random(SEED)
    began = time.perf_counter()
    now_ms = 1_790_000_000_000
    exported = json.loads(memory.export())
    memory.record("s0", "template", key="template", role="assistant")
    memory.add("template")
    template = json.loads(memory.export())
    event, fact = template["events"][0], template["facts"][0]
    for start in range(0, events, 5000):
        exported["events"] = [
            event
            | {
                "key": f"k{number}",
                "session": f"s{number // 200}",
                "body": sentence(lots),
                "ts_ms": now_ms + number,
            }
            for number in range(start, min(start + 5000, events))
        ]
        memory.import_(json.dumps(exported))
    exported["events"] = []
    for start in range(0, facts, 5000):
        exported["facts"] = [
            fact | {"id": f"x{number:08d}", "title": "", "text": sentence(lots)}
            for number in range(start, min(start + 5000, facts))
        ]
        memory.import_(json.dumps(exported))
    memory.tidy()
    return time.perf_counter() - began


def measured(rounds: int, work: Callable[[int], object]) -> str:
    """Calls of `work`, one after another: wall time at the median and at p95, and processor time a call."""
    times = []
    processor_s = time.process_time()
    for number in range(rounds):
        began = time.perf_counter()
        work(number)
        times.append((time.perf_counter() - began) * 1000)
    processor_ms = (time.process_time() - processor_s) * 1000 / rounds
    return (
        f"p50 {statistics.median(times):.2f} ms, p95 {share(sorted(times), 0.95):.2f} ms, "
        f"most {max(times):.1f} ms; {processor_ms:.2f} ms of the processor each"
    )


def _recalled(
    memory: Memory, question: Callable[[], str], kinds: tuple[str, ...], _number: int
) -> object:
    return memory.recall(question(), kinds=kinds)


def main() -> None:
    """Fill a memory, then ask it, have contexts made for prompts, and record."""
    events, facts, rounds = (int(each) for each in (*sys.argv[1:4], "100000", "20000", "300")[:3])
    lots = random.Random(SEED + 1)

    def question() -> str:
        return " ".join(sentence(lots).split()[:6])

    with tempfile.TemporaryDirectory() as folder:
        os.environ["CODECAIRN_HOME"] = str(Path(folder) / "home")
        root = Path(folder) / "workspace"
        root.mkdir()
        with Workspace.open(root) as workspace:
            memory = workspace.memory
            seconds = fill(memory, events=events, facts=facts)
            size = memory.status().bytes
            print(
                f"filled with {events} events and {facts} facts in {seconds:.1f} s; {size / 1e6:.0f} MB; load {load()}"
            )
            memory.recall(question())
            for name, kinds in (
                ("facts and events", ()),
                ("facts", ("fact",)),
                ("events", ("event",)),
            ):
                told = measured(rounds, partial(_recalled, memory, question, kinds))
                print(f"recall of {name}: {told}")
            memory.context("asked", part="static")
            print(
                f"context for a prompt: {measured(rounds, lambda _: memory.context('asked', question()))}"
            )
            print(
                f"context at a session's start: "
                f"{measured(20, lambda number: memory.context(f'new-{number}', part='static'))}"
            )
            told = measured(
                rounds,
                lambda number: memory.record(
                    "bench", sentence(lots), key=f"b{number}", role="assistant"
                ),
            )
            print(f"record: {told}; load {load()}")


if __name__ == "__main__":
    main()
