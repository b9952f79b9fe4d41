"""Whole flows on one folder, each as its users meet it."""

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benches.python.processes import Run, codecairn, measure, python
from benches.results import Figure, percentiles, spread
from codecairn import Workspace

LONG_FILE_LINES = 2000
PARSER = Path(__file__).parents[2] / "target/release/examples/parse"
"""Parses a folder and does nothing else; `make bench` builds it."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A copy of a folder, a home folder for codecairn, and how often to repeat."""

    folder: Path
    home: Path
    repeats: int
    queries: int

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every process measured."""
        return {"CODECAIRN_HOME": str(self.home)}

    @property
    def _stores(self) -> Path:
        """Where the processes measured keep their stores: the data folder, for this folder alone."""
        return self.home / "data" / "stores"

    def run(self, *arguments: str) -> Run:
        """Run codecairn in the folder."""
        return measure(codecairn(*arguments), cwd=self.folder, environment=self.environment)

    def figures(self) -> Iterator[Figure]:
        """Every flow, in order: each leaves what the next one needs."""
        yield from self._full_index()
        yield self._nothing_changed()
        yield self._line_inserted()
        yield from self._warm_queries()
        yield self._cold_search()

    def _full_index(self) -> Iterator[Figure]:
        runs, alone = [], []
        # In turns: the machine's own speed may move from one minute to the next.
        for _ in range(self.repeats):
            shutil.rmtree(self._stores, ignore_errors=True)
            runs.append(self.run("index", ".", "--json"))
            alone += [parsing_alone_s(self.folder)] if PARSER.exists() else []
        best = min(runs, key=lambda run: run.wall_s)
        report = json.loads(best.out)
        if alone:
            ratio = statistics.median(run.wall_s for run in runs) / statistics.median(alone)
            yield spread("parsing alone", alone, "s")
            yield Figure(measure="full index, times parsing alone", value=ratio, unit="times")
        size = f"{report['files']:,} files, {report['chunks']:,} chunks, {report['size_bytes'] / 1e6:.1f} MB"
        yield walls("full index", runs, note=size)
        yield Figure(measure="full index, processor time", value=best.processor_s, unit="s")
        peak_mb = max(run.peak_bytes for run in runs) / 1e6
        yield Figure(measure="full index, peak memory", value=peak_mb, unit="MB")
        store = sum(path.stat().st_size for path in self._stores.rglob("*") if path.is_file())
        times = f"{store / max(1, report['size_bytes']):.2f} times the source"
        yield Figure(measure="store on disk", value=store / 1e6, unit="MB", note=times)

    def _nothing_changed(self) -> Figure:
        runs = [self.run("index", "--json") for _ in range(max(3, self.repeats))]
        return walls("index, nothing changed", runs)

    def _line_inserted(self) -> Figure:
        file, lines = _long_file(self.folder)
        runs = []
        for number in range(max(3, self.repeats)):
            file.write_bytes(f"# line {number}\n".encode() + file.read_bytes())
            runs.append(self.run("index", "--json"))
        report = json.loads(runs[-1].out)
        note = f"{lines:,} lines; {report['new_chunks']} new chunks, {report['embedded']} embedded"
        return walls("index, one line inserted", runs, note=note)

    def _warm_queries(self) -> Iterator[Figure]:
        if hasattr(os, "sync"):
            os.sync()  # what indexing wrote would be on its way to the disk meanwhile
        with Workspace.open(self.folder) as workspace:
            asked = questions_of(self.folder, count=self.queries)
            for refresh, words in ((False, "off"), (True, "on")):

                def ask(query: str, *, refresh: bool = refresh) -> None:
                    workspace.search(query, refresh=refresh)

                times_ms = _times_ms(ask, asked)
                note = f"{len(times_ms)} queries"
                yield from percentiles(f"warm query, refresh {words}", times_ms, "ms", note=note)

    def _cold_search(self) -> Figure:
        runs = [
            self.run("search", query, "--json")
            for query in questions_of(self.folder, count=max(5, self.repeats))
        ]
        return walls("cold codecairn search", runs)


def parsing_alone_s(folder: Path) -> float:
    """How long parsing all files takes on all cores when nothing else is done, in seconds."""
    done = subprocess.run([PARSER, folder], capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["seconds"])


def import_figures(home: Path, *, repeats: int) -> Iterator[Figure]:
    """How long imports take, above an interpreter that imports nothing."""
    environment = {"CODECAIRN_HOME": str(home)}

    def median_ms(code: str) -> float:
        runs = [
            measure(python(code), cwd=home, environment=environment) for _ in range(max(9, repeats))
        ]
        return statistics.median(run.wall_s for run in runs) * 1000

    nothing_ms = median_ms("pass")
    for code in ("import codecairn", "from codecairn import Workspace"):
        above_ms = median_ms(code) - nothing_ms
        note = f"above an empty interpreter's {nothing_ms:.1f} ms"
        yield Figure(measure=code, value=above_ms, unit="ms", note=note)


def walls(measure: str, runs: list[Run], *, note: str = "") -> Figure:
    """The wall time of whole processes."""
    return spread(measure, (run.wall_s for run in runs), "s", note=note)


def _times_ms(ask: Callable[[str], None], queries: list[str]) -> list[float]:
    for query in queries[:3]:
        ask(query)
    times = []
    for query in queries:
        started = time.perf_counter()
        ask(query)
        times.append((time.perf_counter() - started) * 1000)
    return times


def _long_file(folder: Path) -> tuple[Path, int]:
    """The Python file whose length is nearest to `LONG_FILE_LINES`, else any source file; and its length."""
    found = sorted(folder.rglob("*.py")) or sorted(_sources(folder))
    lengths = [(abs(path.read_bytes().count(b"\n") - LONG_FILE_LINES), path) for path in found]
    _, file = min(lengths)
    return file, file.read_bytes().count(b"\n")


def _sources(folder: Path) -> Iterator[Path]:
    suffixes = {
        ".c",
        ".cc",
        ".cpp",
        ".go",
        ".h",
        ".java",
        ".js",
        ".kt",
        ".php",
        ".py",
        ".rb",
        ".rs",
        ".ts",
    }
    for path in folder.rglob("*"):
        if path.suffix in suffixes and path.is_file() and ".codecairn" not in path.parts:
            yield path


def questions_of(folder: Path, *, count: int, max_files: int | None = None) -> list[str]:
    """Questions made of the folder's own words: an identifier, or three to six words of one line; always the same."""
    chance = random.Random(7)
    files = sorted(_sources(folder))
    if max_files is not None and len(files) > max_files:
        files = sorted(chance.sample(files, max_files))
    questions: list[str] = []
    while len(questions) < count:
        file = chance.choice(files)
        line = chance.choice(
            file.read_text(encoding="utf-8", errors="replace").splitlines() or [""]
        )
        words = _WORD.findall(line)
        if len(words) >= 3:
            questions.append(chance.choice(words) if chance.random() < 0.3 else " ".join(words[:6]))
    return questions
