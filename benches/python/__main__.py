"""Measure whole flows on folders of source code, and print a table.

    python -m benches.python FOLDER [FOLDER ...]

Each folder is copied first and never written. Install a release build before: `pip install .`, or
`maturin develop --profile release`.
"""

import argparse
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path

from benches.python.flows import Bench, Row, import_rows
from benches.python.switching import switch_rows


def main() -> None:
    """Measure and print."""
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
    options = parser.parse_args()
    print(_heading())
    with tempfile.TemporaryDirectory(prefix="codecairn-bench-") as temporary:
        home = Path(temporary) / "home"
        home.mkdir()
        os.environ["CODECAIRN_HOME"] = str(home)
        _print_table("imports", import_rows(home, repeats=options.repeats))
        for folder in options.folders:
            copy = Path(temporary) / folder.resolve().name
            shutil.copytree(
                folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".codecairn", ".git")
            )
            (copy / ".codecairn.toml").touch()
            bench = Bench(folder=copy, home=home, repeats=options.repeats, queries=options.queries)
            _print_table(folder.resolve().name, chain(bench.rows(), switch_rows(bench)))
            shutil.rmtree(copy)


def _heading() -> str:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    day = datetime.now(timezone.utc).date().isoformat()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"
    return f"{day}, {machine}, Python {platform.python_version()}, commit {commit or 'unknown'}"


def _print_table(title: str, rows: Iterable[Row]) -> None:
    print(f"\n### {title}\n\n| what | figure | note |\n|---|---|---|", flush=True)
    for row in rows:
        print(f"| {row.what} | {row.figure} | {row.note} |", flush=True)


if __name__ == "__main__":
    main()
