"""Measure the methods of vector search by size; print the figures and write them to `vectors.json`.

    cargo build --release --package codecairn-benches --example vector_methods
    python -m benches.python.vectors [SIZE ...] [--graph-up-to SIZE] [--out FILE]

A graph of a million vectors takes minutes to build, on one core; five million vectors take 1.5 GB of disk without one.
"""

import argparse
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benches.results import Figure, Results, default_folder

PROGRAM = Path(__file__).parents[2] / "target/release/examples/vector_methods"
SIZES = (100_000, 300_000, 1_000_000, 2_000_000, 5_000_000)
NOTE = (
    "256 dimensions, as the built-in model has. Vectors: a mixture of Gaussians, one for 50 vectors on average and some larger,"
    " in topics of 40; variances fall with the dimension. 100 queries from the same mixture with more noise, 400 results wanted,"
    " as a search of the engine does. A query's time is the best of three; a graph's build time is the processor's, on one thread."
)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        prog="python -m benches.python.vectors", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help="numbers of vectors")
    parser.add_argument(
        "--graph-up-to", type=int, default=1_000_000, help="the greatest size to build a graph of"
    )
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument(
        "--out", type=Path, help="the file of the results (default: benches/runs/…/vectors.json)"
    )
    options = parser.parse_args()
    results = Results("Methods of vector search")
    command = [options.program, *options.sizes, "--graph-up-to", options.graph_up_to]
    for figure in figures([str(part) for part in command]):
        results.add(figure, subject="vectors")
    results.write(options.out or default_folder() / "vectors.json", notes=[NOTE])


def figures(command: list[str]) -> Iterator[Figure]:
    """The figures that the program prints, as they come."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as running:
        assert running.stdout is not None
        for line in running.stdout:
            row = json.loads(line)
            measure = f"{row['count']:,}, {row['measure']}"
            yield Figure(measure=measure, value=row["value"], unit=row["unit"])
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)


if __name__ == "__main__":
    main()
