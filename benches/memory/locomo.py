"""Turn-level recall on LoCoMo, without a model of language: ask a memory that recorded the conversation.

    python -m benches.memory.locomo LOCOMO10.json

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


def report(label: str, conversations: Sequence[Conversation]) -> None:
    """Print the recall over some conversations."""
    found: dict[str, list[float]] = defaultdict(list)
    times = []
    for conversation in conversations:
        each, took = recalls(conversation)
        times.append(took)
        for category, values in each.items():
            found[category].extend(values)
    counted = [value for category in COUNTED for value in found[category]]
    parts = [
        f"{name} {100 * statistics.mean(found[category]):.1f}"
        for category, name in CATEGORIES.items()
    ]
    print(
        f"{label}: recall@{TOP} {100 * statistics.mean(counted):.1f} over {len(counted)} questions of the categories "
        f"1 to 4; {', '.join(parts)}; {statistics.median(times):.1f} ms a question"
    )


def main() -> None:
    """Ask the conversations that were tuned on, and the others."""
    parser = argparse.ArgumentParser(prog="python -m benches.memory.locomo")
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", choices=("tuned", "held-out"))
    options = parser.parse_args()
    conversations = locomo(options.data)
    for label, is_tuned in (("tuned", True), ("held-out", False)):
        if options.only in (None, label):
            chosen = [each for at, each in enumerate(conversations) if (at in TUNED) is is_tuned]
            report(label, chosen)


if __name__ == "__main__":
    main()
