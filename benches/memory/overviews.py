"""How many of an overview's sessions are among the first five, for questions of our own on DevMemBench's sessions.

    python -m benches.memory.overviews DEVMEMBENCH [--out FILE]

`overviews.json` has questions that several sessions answer, with these. They were written together with the words for some of
the matters (`memory/matters.py`), before any of them was asked, and no word was changed for them since.
"""

import argparse
import json
from pathlib import Path

from benches.memory.conversations import devmembench
from benches.memory.devmembench import sessions
from benches.memory.replay import replayed
from benches.results import Figure, Results, default_folder

_QUESTIONS = Path(__file__).with_name("overviews.json")
_FIRST = 5


def main() -> None:
    """Ask each question, and print."""
    parser = argparse.ArgumentParser(prog="python -m benches.memory.overviews")
    parser.add_argument("devmembench", type=Path)
    parser.add_argument(
        "--out", type=Path, help="the file of the results (default: benches/runs/…/overviews.json)"
    )
    options = parser.parse_args()
    conversation = devmembench(options.devmembench)
    asked: dict[str, list[str]] = json.loads(_QUESTIONS.read_text(encoding="utf-8"))
    shares = []
    with replayed(conversation, with_summaries=True) as replay:
        for question, gold in asked.items():
            first = sessions(replay, question)[:_FIRST]
            shares.append(len({*first} & {*gold}) / len(gold))
            print(f"{shares[-1]:.2f} {question}")
    results = Results("Overviews")
    measure = f"memory: overviews, Recall@{_FIRST}"
    mean = sum(shares) / len(shares)
    results.add(Figure(measure=measure, value=mean, note=f"{len(shares)} questions"))
    results.write(options.out or default_folder() / "overviews.json")


if __name__ == "__main__":
    main()
