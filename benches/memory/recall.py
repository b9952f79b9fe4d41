"""How fast the memory records, recalls and makes contexts when it is large.

python -m benches.memory.recall [events] [facts] [questions] [OUT.json]
"""

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benches.memory.floor import load
from benches.results import Figure, Results, default_folder, percentiles
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


def measured(measure: str, rounds: int, work: Callable[[int], object]) -> list[Figure]:
    """Calls of `work`, one after another: wall time at the median and at p95, and processor time a call."""
    times_ms = []
    processor_s = time.process_time()
    for number in range(rounds):
        began = time.perf_counter()
        work(number)
        times_ms.append((time.perf_counter() - began) * 1000)
    processor_ms = (time.process_time() - processor_s) * 1000 / rounds
    return [
        *percentiles(measure, times_ms, "ms"),
        Figure(measure=f"{measure}, most", value=max(times_ms), unit="ms"),
        Figure(measure=f"{measure}, processor time", value=processor_ms, unit="ms"),
    ]


def _recalled(
    memory: Memory, question: Callable[[], str], kinds: tuple[str, ...], _number: int
) -> object:
    return memory.recall(question(), kinds=kinds)


def main() -> None:
    """Fill a memory, ask it, have contexts made for prompts, and record; print and write the figures."""
    events, facts, rounds = (int(each) for each in (*sys.argv[1:4], "100000", "20000", "300")[:3])
    lots = random.Random(SEED + 1)
    results = Results("A large memory")

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
            notes = [f"{events} events and {facts} facts; load {load()}"]
            results.add(Figure(measure="memory: filling", value=seconds, unit="s"))
            results.add(Figure(measure="memory: size on disk", value=size / 1e6, unit="MB"))
            memory.recall(question())
            for name, kinds in (
                ("facts and events", ()),
                ("facts", ("fact",)),
                ("events", ("event",)),
            ):
                recalled = partial(_recalled, memory, question, kinds)
                results.add(measured(f"memory: recall of {name}", rounds, recalled))
            memory.context("asked", part="static")
            results.add(
                measured(
                    "memory: context for a prompt",
                    rounds,
                    lambda _: memory.context("asked", question()),
                )
            )
            results.add(
                measured(
                    "memory: context at a session's start",
                    20,
                    lambda number: memory.context(f"new-{number}", part="static"),
                )
            )
            results.add(
                measured(
                    "memory: record, one process",
                    rounds,
                    lambda number: memory.record(
                        "bench", sentence(lots), key=f"b{number}", role="assistant"
                    ),
                )
            )
    file = Path(sys.argv[4]) if sys.argv[4:] else default_folder() / "memory-recall.json"
    results.write(file, notes=notes)


if __name__ == "__main__":
    main()
