"""What a big repository costs: one full index, its store by parts, then what follows from day to day.

python -m benches.python.big FOLDER --home SCRATCH [--subject linux] [--out FILE]

The folder is indexed where it lies, with its store in SCRATCH; one of its files gets a line more and is put back.
Wall time means little on a machine that does other work, so processor time is measured too.
"""

import argparse
import json
import os
import random
import sqlite3  # noqa: TID251 - looks at a store that nobody has open, to tell which table takes the room
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benches.python.flows import PARSER, questions_of, walls
from benches.python.processes import Run, codecairn, measure
from benches.python.watching import resident_mb
from benches.results import Figure, Results, default_folder, percentiles, spread
from codecairn import Workspace

if TYPE_CHECKING:
    from typing_extensions import Self

_FILES_ASKED_ABOUT = 400
_TABLES_SHOWN = 6


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.big")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--home", type=Path, required=True, help="a scratch folder for the store")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--no-parse", action="store_true", help="leave out parsing alone")
    parser.add_argument("--subject", default="linux", help="what the measures are named after")
    parser.add_argument(
        "--out", type=Path, help="the file of the results (default: benches/runs/…/big.json)"
    )
    options = parser.parse_args()
    environment = {"CODECAIRN_HOME": str(options.home), "CODECAIRN_SCOPE": "global"}
    os.environ.update(environment)
    results = Results("A big repository")
    parses = not options.no_parse
    measured = _figures(options.folder, environment, options.queries, parses=parses)
    results.add(measured, subject=options.subject)
    results.write(options.out or default_folder() / "big.json")


def _figures(
    folder: Path, environment: dict[str, str], queries: int, *, parses: bool
) -> Iterator[Figure]:
    def run(*arguments: str) -> Run:
        return measure(codecairn(*arguments), cwd=folder, environment=environment)

    if parses:
        yield from _parsing(folder, environment)
    full = run("index", ".", "--json")
    report = json.loads(full.out)
    said = f"{report['files']:,} files, {report['chunks']:,} chunks, {report['size_bytes'] / 1e6:,.0f} MB"
    yield from _costs("full index", [full], note=said)
    yield Figure(measure="full index, peak memory", value=full.peak_bytes / 1e6, unit="MB")
    status = json.loads(run("status", "--json").out)
    yield Figure(measure="indexed coarsely", value=status["coarse"], unit="files")
    yield from _store_figures(Path(status["store"]), report["size_bytes"])
    unchanged = [run("index", "--json") for _ in range(3)]
    yield from _costs("index, nothing changed", unchanged)
    with _LineMore(folder) as line:
        changed = []
        for _ in range(3):
            line.write()
            changed.append(run("index", "--json"))
        yield from _costs("index, one file changed", changed, note=str(line.path))
        yield from _watched(folder, line)
    asked = questions_of(folder, count=queries, max_files=_FILES_ASKED_ABOUT)
    yield from _warm(folder, asked)
    for arguments, refresh in ((["--no-refresh"], "off"), ([], "on")):
        cold = [run("search", query, "--json", *arguments) for query in asked[:5]]
        yield from _costs(f"cold codecairn search, refresh {refresh}", cold)


def _parsing(folder: Path, environment: dict[str, str]) -> Iterator[Figure]:
    alone = measure([str(PARSER), str(folder)], cwd=folder, environment=environment)
    said = json.loads(alone.out)
    note = f"{said['files']:,} files"
    yield Figure(measure="parsing alone", value=said["seconds"], unit="s", note=note)
    yield Figure(measure="parsing alone, processor time", value=said["processor_s"], unit="s")


def _store_figures(store: Path, size_bytes: int) -> Iterator[Figure]:
    parts: dict[str, int] = {}
    for path in store.rglob("*"):
        if path.is_file():
            name = path.name.partition("-")[0] if path.parent.name == "segments" else path.name
            name = "view" if path.parent.name == "views" else name
            parts[name] = parts.get(name, 0) + path.stat().st_size
    total = sum(parts.values())
    times = f"{total / size_bytes:.2f} times the source"
    yield Figure(measure="store on disk", value=total / 1e6, unit="MB", note=times)
    for name, size in sorted(parts.items()):
        if size > 1e6:
            yield Figure(measure=f"store on disk, {name}", value=size / 1e6, unit="MB")
    with sqlite3.connect(f"file:{store / 'index.db'}?mode=ro", uri=True) as database:
        tables = database.execute(
            "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT ?",
            (_TABLES_SHOWN,),
        ).fetchall()
    for name, size in tables:
        yield Figure(measure=f"store on disk, table {name}", value=size / 1e6, unit="MB")


class _LineMore:
    """A file of the folder that gets a line more, and is put back in the end."""

    def __init__(self, folder: Path) -> None:
        sources = sorted([*folder.rglob("*.c"), *folder.rglob("*.py")])
        self._file = sources[len(sources) // 2]
        self._before = self._file.read_bytes()
        self._stat = self._file.stat()
        self._count = 0
        self.path = self._file.relative_to(folder)

    def write(self) -> None:
        """Put one line more at the top."""
        self._count += 1
        self._file.write_bytes(f"/* line {self._count} */\n".encode() + self._file.read_bytes())

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.write_bytes(self._before)
        os.utime(self._file, ns=(self._stat.st_atime_ns, self._stat.st_mtime_ns))


def _watched(folder: Path, line: _LineMore) -> Iterator[Figure]:
    """How long indexing takes once a watch knows which file changed, and what the watch needs."""
    command = codecairn("watch", "--jsonl", "--quiet")
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE) as watch:
        assert watch.stdout is not None
        watch.stdout.readline()
        time.sleep(2)
        times = []
        for _ in range(5):
            line.write()
            times.append(json.loads(watch.stdout.readline())["seconds"])
        resident = resident_mb(watch.pid)
        watch.terminate()
    yield spread("one file changed, named by the watcher", times, "s")
    yield Figure(measure="watcher, resident memory", value=resident, unit="MB")


def _warm(folder: Path, asked: list[str]) -> Iterator[Figure]:
    with Workspace.open(folder) as workspace:
        started = time.perf_counter()
        workspace.search(asked[0], refresh=False)
        first_s = time.perf_counter() - started
        yield Figure(measure="first query of a process", value=first_s, unit="s")
        wall_ms, processor_ms = [], []
        for query in random.Random(3).sample(asked, len(asked)):
            started, cpu = time.perf_counter(), time.process_time()
            workspace.search(query, refresh=False)
            wall_ms.append((time.perf_counter() - started) * 1000)
            processor_ms.append((time.process_time() - cpu) * 1000)
    name = "warm query, refresh off"
    yield from percentiles(name, wall_ms, "ms", note=f"{len(wall_ms)} queries")
    yield from percentiles(f"{name}, processor time", processor_ms, "ms")


def _costs(measure: str, runs: list[Run], *, note: str = "") -> Iterator[Figure]:
    """Wall time and processor time of whole processes."""
    yield walls(measure, runs, note=note)
    yield spread(f"{measure}, processor time", (run.processor_s for run in runs), "s")


if __name__ == "__main__":
    main()
