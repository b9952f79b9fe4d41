"""Measure whole flows on folders of source code; print the figures and write them to `speed.json`.

    python -m benches.python FOLDER [FOLDER ...] [--out FILE]

Each folder is copied first and never written. Install a release build before: `pip install .`, or
`maturin develop --profile release`.
"""

import argparse
import os
import shutil
import tempfile
from itertools import chain
from pathlib import Path

from benches.python.flows import Bench, import_figures
from benches.python.switching import switch_figures
from benches.results import Results, default_folder


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        prog="python -m benches.python", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument(
        "--repeats", type=int, default=5, help="how often each flow is run (default 5)"
    )
    parser.add_argument(
        "--queries", type=int, default=300, help="how many warm queries (default 300)"
    )
    parser.add_argument(
        "--out", type=Path, help="the file of the results (default: benches/runs/…/speed.json)"
    )
    options = parser.parse_args()
    results = Results("Speed of whole flows")
    with tempfile.TemporaryDirectory(prefix="codecairn-bench-") as temporary:
        home = Path(temporary) / "home"
        home.mkdir()
        os.environ["CODECAIRN_HOME"] = str(home)
        results.add(import_figures(home, repeats=options.repeats), subject="imports")
        for folder in options.folders:
            copy = Path(temporary) / folder.resolve().name
            shutil.copytree(
                folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".codecairn", ".git")
            )
            (copy / ".codecairn.toml").touch()
            bench = Bench(folder=copy, home=home, repeats=options.repeats, queries=options.queries)
            measured = chain(bench.figures(), switch_figures(bench))
            results.add(measured, subject=folder.resolve().name)
            shutil.rmtree(copy)
    results.write(options.out or default_folder() / "speed.json")


if __name__ == "__main__":
    main()
