"""Turn-level recall on LoCoMo, without a model of language: ask a memory that recorded the conversation.

    python -m benches.memory.locomo LOCOMO10.json [--out FILE]

Recall@10 is the share of a question's evidence among the first ten events, averaged over questions. The weights were
fitted on the conversations 0, 2, 4, 6 and 8 (`benches.memory.fit`); the others were not looked at.
"""

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from benches.memory.conversations import Conversation, locomo
from benches.memory.replay import replayed
from benches.results import Figure, Results, default_folder

TUNED = (0, 2, 4, 6, 8)
CATEGORIES = {
    "1": "multi-hop",
    "2": "temporal",
    "3": "open-domain",
    "4": "single-hop",
    "5": "adversarial",
}
COUNTED = ("1", "2", "3", "4")
TOP = 10


def recalls(conversation: Conversation, *, top: int = TOP) -> tuple[dict[str, list[float]], float]:
    """The recall of each question, by category; and the median milliseconds of an answer."""
    found: dict[str, list[float]] = defaultdict(list)
    times = []
    with replayed(conversation) as replay:
        for question in conversation.questions:
            began = time.perf_counter()
            hits = replay.memory.recall(question.text, limit=top, kinds=("event",), evidence=0)
            times.append((time.perf_counter() - began) * 1000)
            keys = {replay.keys[hit.id] for hit in hits}
            found[question.category].append(len(question.gold & keys) / len(question.gold))
    return found, statistics.median(times)


def report(label: str, conversations: Sequence[Conversation]) -> list[Figure]:
    """The recall over some conversations, in percent, of all counted questions and by category."""
    found: dict[str, list[float]] = defaultdict(list)
    times = []
    for conversation in conversations:
        each, took = recalls(conversation)
        times.append(took)
        for category, values in each.items():
            found[category].extend(values)
    counted = [value for category in COUNTED for value in found[category]]
    measure = f"memory: LoCoMo recall@{TOP}, {label}"
    note = f"{len(counted)} questions of the categories 1 to 4"
    return [
        Figure(measure=measure, value=100 * statistics.mean(counted), note=note),
        *(
            Figure(measure=f"{measure}, {name}", value=100 * statistics.mean(found[category]))
            for category, name in CATEGORIES.items()
        ),
        Figure(measure=f"{measure}, time a question", value=statistics.median(times), unit="ms"),
    ]


def main() -> None:
    """Ask the conversations that were tuned on, and the others."""
    parser = argparse.ArgumentParser(prog="python -m benches.memory.locomo")
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", choices=("tuned", "held-out"))
    parser.add_argument(
        "--out", type=Path, help="the file of the results (default: benches/runs/…/locomo.json)"
    )
    options = parser.parse_args()
    conversations = locomo(options.data)
    results = Results("Recall on LoCoMo")
    for label, name, is_tuned in (("tuned", "tuned on", True), ("held-out", "held out", False)):
        if options.only in (None, label):
            chosen = [each for at, each in enumerate(conversations) if (at in TUNED) is is_tuned]
            results.add(report(name, chosen))
    results.write(options.out or default_folder() / "locomo.json")


if __name__ == "__main__":
    main()
