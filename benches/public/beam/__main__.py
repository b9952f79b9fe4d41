"""BEAM without a model of language: recall of turns, statements in a block, and abstention.

    python -m benches.public.beam MIRROR [--size 128K 500K] [--system NAME ...]
                                [--part choose judge] [--out FILE]

MIRROR is a clone of https://github.com/mohammadtavakoli78/BEAM, bare or not; nothing is fetched. Each conversation is
recorded as a host would, and asked about on the day after it. `conversation_scores` defines the measures.
"""

import argparse
from pathlib import Path

from benches.public.beam.data import ADDRESS, REVISION, SIZES, conversations
from benches.public.conversation_scores import score
from benches.public.memory_systems import add_option
from benches.public.mirrors import Mirror
from benches.public.parts import PARTS, part_of
from benches.results import Results, default_folder


def main() -> None:
    """Ask, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benches.public.beam")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--size", nargs="+", choices=tuple(SIZES), default=list(SIZES))
    add_option(parser)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--out", type=Path, help="default: benches/runs/…/public-beam.json")
    options = parser.parse_args()
    mirror = Mirror(options.mirror, REVISION, ADDRESS)
    results = Results("BEAM: long conversations, without a model")
    for size in options.size:
        results.add(
            score(
                f"BEAM {size}", conversations(mirror, size), part_of, options.part, options.system
            )
        )
    results.write(options.out or default_folder() / "public-beam.json", revision=REVISION)


if __name__ == "__main__":
    main()
