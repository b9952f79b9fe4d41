"""LoCoMo without a model of language: recall of turns, and statements in a block.

    python -m benches.public.locomo LOCOMO10.json [--system NAME ...] [--part choose judge] [--out FILE]

The file is `data/locomo10.json` of https://github.com/snap-research/locomo; nothing is fetched. The memory's weights were fitted
on five of the ten conversations, which are *choose*. Questions of the category "adversarial" are left out: each has turns that
it misquotes. `conversation_scores` defines the measures.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from benches.memory.conversations import Conversation, locomo
from benches.memory.locomo import CATEGORIES, COUNTED, TUNED
from benches.public.conversation_scores import score
from benches.public.memory_systems import add_option
from benches.public.parts import PARTS
from benches.public.probes import Probe
from benches.results import Results, default_folder


def conversations(path: Path) -> Iterator[tuple[Conversation, tuple[Probe, ...]]]:
    """The ten conversations with the questions of the counted categories whose evidence is there."""
    for row in locomo(path):
        known = {turn.key for turn in row.turns}
        asked = (each for each in row.questions if each.category in COUNTED and each.gold <= known)
        yield (
            row,
            tuple(
                Probe(
                    text=each.text,
                    category=CATEGORIES[each.category],
                    sides=(each.gold,),
                    statements=(each.answer,),
                )
                for each in asked
            ),
        )


def part_of(name: str) -> str:
    """The half of a conversation: those that the weights were fitted on are *choose*."""
    return PARTS[int(name.rpartition("-")[2]) not in TUNED]


def main() -> None:
    """Ask, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benches.public.locomo")
    parser.add_argument("data", type=Path, help="locomo10.json")
    add_option(parser)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--out", type=Path, help="default: benches/runs/…/public-locomo.json")
    options = parser.parse_args()
    results = Results("LoCoMo: conversations of friends, without a model")
    results.add(score("LoCoMo", conversations(options.data), part_of, options.part, options.system))
    results.write(options.out or default_folder() / "public-locomo.json")


if __name__ == "__main__":
    main()
