"""What a big repository costs: one full index, its store by parts, then what follows from day to day.

python -m benches.python.big FOLDER --home SCRATCH

The folder is indexed where it lies, with its store in SCRATCH; one of its files gets a line more and is put back.
Wall time means little on a machine that does other work, so each row tells processor time too.
"""

import argparse
import json
import os
import random
import sqlite3  # noqa: TID251 - looks at a store that nobody has open, to tell which table takes the room
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benches.python.flows import PARSER, Row, percentile, questions_of
from benches.python.processes import Run, codecairn, measure
from benches.python.watching import memory_of
from codecairn import Workspace

if TYPE_CHECKING:
    from typing_extensions import Self

_FILES_ASKED_ABOUT = 400
_TABLES_SHOWN = 6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benches.python.big")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--home", type=Path, required=True, help="a scratch folder for the store")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--no-parse", action="store_true", help="leave out parsing alone")
    options = parser.parse_args()
    environment = {"CODECAIRN_HOME": str(options.home), "CODECAIRN_SCOPE": "global"}
    os.environ.update(environment)
    print("| what | figure | note |\n|---|---|---|", flush=True)
    for row in _rows(options.folder, environment, options.queries, parses=not options.no_parse):
        print(f"| {row.what} | {row.figure} | {row.note} |", flush=True)


def _rows(
    folder: Path, environment: dict[str, str], queries: int, *, parses: bool
) -> Iterator[Row]:
    def run(*arguments: str) -> Run:
        return measure(codecairn(*arguments), cwd=folder, environment=environment)

    if parses:
        yield _parsing(folder, environment)
    full = run("index", ".", "--json")
    report = json.loads(full.out)
    said = f"{report['files']:,} files, {report['chunks']:,} chunks, {report['size_bytes'] / 1e6:,.0f} MB"
    yield Row(what="full index, whole process", figure=_cost(full), note=said)
    yield Row(what="full index, peak resident memory", figure=f"{full.peak_bytes / 1e6:,.0f} MB")
    status = json.loads(run("status", "--json").out)
    yield Row(what="indexed coarsely", figure=f"{status['coarse']:,} files")
    yield from _store_rows(Path(status["store"]), report["size_bytes"])
    unchanged = [run("index", "--json") for _ in range(3)]
    yield Row(what="index, nothing changed", figure=_costs(unchanged))
    with _LineMore(folder) as line:
        changed = []
        for _ in range(3):
            line.write()
            changed.append(run("index", "--json"))
        yield Row(what="index, one file changed", figure=_costs(changed), note=str(line.path))
        yield _watched(folder, line)
    asked = questions_of(folder, count=queries, max_files=_FILES_ASKED_ABOUT)
    yield from _warm(folder, asked)
    for arguments, note in ((["--no-refresh"], "refresh off"), ([], "refresh on")):
        cold = [run("search", query, "--json", *arguments) for query in asked[:5]]
        yield Row(what="`codecairn search`, cold process", figure=_costs(cold), note=note)


def _parsing(folder: Path, environment: dict[str, str]) -> Row:
    alone = measure([str(PARSER), str(folder)], cwd=folder, environment=environment)
    said = json.loads(alone.out)
    figure = f"{said['seconds']:.1f} s, {said['processor_s']:.1f} s of processor time"
    return Row(what="parsing alone, all cores", figure=figure, note=f"{said['files']:,} files")


def _store_rows(store: Path, size_bytes: int) -> Iterator[Row]:
    parts: dict[str, int] = {}
    for path in store.rglob("*"):
        if path.is_file():
            name = path.name.partition("-")[0] if path.parent.name == "segments" else path.name
            name = "view" if path.parent.name == "views" else name
            parts[name] = parts.get(name, 0) + path.stat().st_size
    total = sum(parts.values())
    said = ", ".join(
        f"{name} {size / 1e6:,.0f}" for name, size in sorted(parts.items()) if size > 1e6
    )
    yield Row(
        what="store on disk",
        figure=f"{total / 1e6:,.0f} MB, {total / size_bytes:.2f} times the source",
        note=f"MB: {said}",
    )
    with sqlite3.connect(f"file:{store / 'index.db'}?mode=ro", uri=True) as database:
        tables = database.execute(
            "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT ?",
            (_TABLES_SHOWN,),
        ).fetchall()
    shown = ", ".join(f"{name} {size / 1e6:,.0f}" for name, size in tables)
    yield Row(what="largest tables of the database", figure=f"MB: {shown}")


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


def _watched(folder: Path, line: _LineMore) -> Row:
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
        said = memory_of(watch.pid)
        watch.terminate()
    return Row(
        what="one file changed, named by the watcher",
        figure=f"{statistics.median(times):.3f} s ({min(times):.3f}-{max(times):.3f})",
        note=f"the watch afterwards: {said}",
    )


def _warm(folder: Path, asked: list[str]) -> Iterator[Row]:
    with Workspace.open(folder) as workspace:
        started = time.perf_counter()
        workspace.search(asked[0], refresh=False)
        yield Row(what="first query of a process", figure=f"{time.perf_counter() - started:.3f} s")
        walls, processor = [], []
        for query in random.Random(3).sample(asked, len(asked)):
            started, cpu = time.perf_counter(), time.process_time()
            workspace.search(query, refresh=False)
            walls.append((time.perf_counter() - started) * 1000)
            processor.append((time.process_time() - cpu) * 1000)
    yield Row(
        what="warm query in process, refresh off",
        figure=f"p50 {percentile(walls, 50):.1f} ms, p95 {percentile(walls, 95):.1f} ms",
        note=f"{len(walls)} queries; processor time p50 {percentile(processor, 50):.1f} ms",
    )


def _cost(run: Run) -> str:
    return f"{run.wall_s:.2f} s, {run.processor_s:.2f} s of processor time"


def _costs(runs: list[Run]) -> str:
    wall, cpu = (
        statistics.median(values)
        for values in zip(*((r.wall_s, r.processor_s) for r in runs), strict=True)
    )
    least = min(run.processor_s for run in runs)
    return f"{wall:.2f} s, {cpu:.2f} s of processor time (least {least:.2f})"


if __name__ == "__main__":
    main()
