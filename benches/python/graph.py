"""Measure what the code graph costs, and how fast it answers.

    python -m benches.python.graph FOLDER [--out FILE]

Measures processor time, which other work on the machine disturbs least, and wall time. The folder is copied, not written. Build before:
`maturin develop --profile release` and `cargo build --release --package codecairn-benches --example graph`.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benches.results import Figure, Results, default_folder, percentiles, spread
from codecairn import Workspace
from codecairn.core.types.graph import Definition

COST = Path(__file__).parents[2] / "target/release/examples/graph"
"""Times extraction with and without what the graph asks for, the index and the whole graph."""
_CHANGED_FILES = 50
_LINES_A_FILE = 5
_SYMBOLS = 200
_SUFFIXES = frozenset((".py", ".ts", ".js", ".go", ".rs", ".java", ".c", ".cpp", ".cs", ".rb"))


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.graph")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--repeats", type=int, default=7, help="how often each is asked (default 7)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="the file of the results (default: benches/runs/…/graph-speed.json)",
    )
    options = parser.parse_args()
    results = Results("Speed of the code graph")
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="codecairn-bench-") as temporary:
        os.environ["CODECAIRN_HOME"] = f"{temporary}/home"
        copy = Path(temporary) / "copy"
        ignore = shutil.ignore_patterns(".codecairn", ".git", "__pycache__")
        shutil.copytree(options.folder, copy, symlinks=True, ignore=ignore)
        results.add(_cost_figures(copy), subject="graph")
        results.add(_answer_figures(copy, repeats=options.repeats), subject="graph")
    notes = [f"load at the start: {load:.1f}"]
    results.write(options.out or default_folder() / "graph-speed.json", notes=notes)


def _cost_figures(folder: Path) -> Iterator[Figure]:
    if not COST.exists():
        return
    done = subprocess.run([COST, folder], capture_output=True, check=True, text=True)
    told = json.loads(done.stdout)
    yield Figure(
        measure="extraction for the graph, added to an index without it",
        value=told["extraction_share"] * 100,
        unit="%",
        note=f"{told['extract_full_s'] - told['extract_bare_s']:.2f} s more to extract and "
        f"{told['pack_full_s'] - told['pack_bare_s']:.2f} s more to pack, of an index of {told['index_s']:.2f} s",
    )
    yield Figure(
        measure="extraction and resolution of all, added to an index without them",
        value=told["share"] * 100,
        unit="%",
        note=f"{told['resolve_s']:.2f} s to resolve; wall {told['index_wall_s']:.2f} s and "
        f"{told['resolve_wall_s']:.2f} s",
    )


def _answer_figures(folder: Path, *, repeats: int) -> Iterator[Figure]:
    _git(folder, "init", "--quiet")
    _git(folder, "add", "--all")
    _git(
        folder,
        "-c",
        "user.name=bench",
        "-c",
        "user.email=bench@example.com",
        "commit",
        "-qm",
        "all",
    )
    changed = _change(folder)
    with Workspace.open(folder) as workspace:
        workspace.index()
        graph = workspace.graph
        yield from _asked("impact, the first of a process", graph.impact, repeats=1)
        found = graph.impact()
        yield from _asked(
            f"impact of {changed} changed files, warm",
            graph.impact,
            repeats=repeats,
            note=f"{len(found.touched):,} symbols touched, {len(found.dependents):,} dependents",
        )
        symbols = [each.definition for each in graph.hubs(limit=10**6).hubs]
        drawn = random.Random(1).sample(symbols, min(_SYMBOLS, len(symbols)))
        times_ms = [_callers_ms(workspace, symbol) for symbol in drawn]
        note = f"{len(times_ms)} symbols"
        yield from percentiles("callers of a symbol", times_ms, "ms", note=note)


def _callers_ms(workspace: Workspace, symbol: Definition) -> float:
    engine = workspace.graph.engine(refresh=False)
    started_s = time.perf_counter()
    engine.uses_of([symbol])
    return (time.perf_counter() - started_s) * 1000


def _asked(
    measure: str, ask: Callable[[], object], *, repeats: int, note: str = ""
) -> Iterator[Figure]:
    wall_ms, processor_ms = [], []
    for _ in range(repeats):
        before, children = time.process_time(), _children_s()
        started_s = time.perf_counter()
        ask()
        wall_ms.append((time.perf_counter() - started_s) * 1000)
        processor_ms.append((time.process_time() - before + _children_s() - children) * 1000)
    yield spread(measure, wall_ms, "ms", note=note)
    yield spread(f"{measure}, processor time", processor_ms, "ms")


def _children_s() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _change(folder: Path) -> int:
    """Change some lines of some files, the same in each run."""
    draw = random.Random(1)
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in _SUFFIXES and path.stat().st_size > 3000 and "test" not in str(path)
    ]
    chosen = draw.sample(files, min(_CHANGED_FILES, len(files)))
    for path in chosen:
        lines = path.read_bytes().split(b"\n")
        for at in draw.sample(range(len(lines)), min(_LINES_A_FILE, len(lines))):
            lines[at] += b" "
        path.write_bytes(b"\n".join(lines))
    return len(chosen)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


if __name__ == "__main__":
    main()
