"""How fast the memory records and recalls when it is large.

python -m benches.memory.recall [events] [facts]
"""

import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

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


def main() -> None:
    """Fill a memory, then ask it."""
    events, facts = (int(each) for each in (*sys.argv[1:3], "100000", "20000")[:2])
    lots = random.Random(SEED + 1)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CODECAIRN_HOME"] = str(Path(folder) / "home")
        root = Path(folder) / "workspace"
        root.mkdir()
        with Workspace.open(root) as workspace:
            seconds = fill(workspace.memory, events=events, facts=facts)
            size = workspace.memory.status().bytes
            print(
                f"filled with {events} events and {facts} facts in {seconds:.1f} s; {size / 1e6:.0f} MB"
            )
            for name, kinds in (
                ("facts and events", ()),
                ("facts", ("fact",)),
                ("events", ("event",)),
            ):
                times = []
                for _ in range(300):
                    question = " ".join(sentence(lots).split()[:6])
                    began = time.perf_counter()
                    workspace.memory.recall(question, kinds=kinds)
                    times.append((time.perf_counter() - began) * 1000)
                times.sort()
                print(
                    f"recall of {name}: p50 {statistics.median(times):.2f} ms, p95 {times[284]:.2f} ms"
                )
            times = []
            for number in range(300):
                began = time.perf_counter()
                workspace.memory.record("bench", sentence(lots), key=f"b{number}", role="assistant")
                times.append((time.perf_counter() - began) * 1000)
            times.sort()
            print(
                f"record: p50 {statistics.median(times):.2f} ms, p95 {times[284]:.2f} ms, most {times[-1]:.1f} ms"
            )


if __name__ == "__main__":
    main()
