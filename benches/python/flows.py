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
from codecairn import Workspace

LONG_FILE_LINES = 2000
PARSER = Path(__file__).parents[2] / "target/release/examples/parse"
"""Parses a folder and does nothing else; `make bench` builds it."""
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: what was measured, and its figures in words."""

    what: str
    figure: str
    note: str = ""


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

    def run(self, *arguments: str) -> Run:
        """Run codecairn in the folder."""
        return measure(codecairn(*arguments), cwd=self.folder, environment=self.environment)

    def rows(self) -> Iterator[Row]:
        """Every flow, in order: each leaves what the next one needs."""
        yield from self._full_index()
        yield self._nothing_changed()
        yield self._line_inserted()
        yield from self._warm_queries()
        yield self._cold_search()

    def _full_index(self) -> Iterator[Row]:
        runs, alone = [], []
        # In turns: the machine's own speed may move from one minute to the next.
        for _ in range(self.repeats):
            shutil.rmtree(self.folder / ".codecairn", ignore_errors=True)
            runs.append(self.run("index", ".", "--json"))
            alone += [parsing_alone_s(self.folder)] if PARSER.exists() else []
        best = min(runs, key=lambda run: run.wall_s)
        report = json.loads(best.out)
        if alone:
            ratio = statistics.median(run.wall_s for run in runs) / statistics.median(alone)
            yield Row(
                what="parsing alone, all cores",
                figure=f"{statistics.median(alone):.3f} s",
                note=f"a full index takes {ratio:.2f} times that",
            )
        size = f"{report['files']:,} files, {report['chunks']:,} chunks, {report['size_bytes'] / 1e6:.1f} MB"
        processor = f"{best.processor_s:.2f} s of processor time"
        yield Row(
            what="full index, whole process", figure=_seconds(runs), note=f"{size}; {processor}"
        )
        yield Row(
            what="full index, peak resident memory",
            figure=f"{max(run.peak_bytes for run in runs) / 1e6:.0f} MB",
        )
        store = sum(
            path.stat().st_size
            for path in (self.folder / ".codecairn").rglob("*")
            if path.is_file()
        )
        yield Row(
            what="store on disk",
            figure=f"{store / 1e6:.1f} MB",
            note=f"{store / max(1, report['size_bytes']):.2f} times the source",
        )

    def _nothing_changed(self) -> Row:
        runs = [self.run("index", "--json") for _ in range(max(3, self.repeats))]
        return Row(what="index, nothing changed, whole process", figure=_seconds(runs))

    def _line_inserted(self) -> Row:
        file, lines = _long_file(self.folder)
        runs = []
        for number in range(max(3, self.repeats)):
            file.write_bytes(f"# line {number}\n".encode() + file.read_bytes())
            runs.append(self.run("index", "--json"))
        report = json.loads(runs[-1].out)
        note = f"{lines:,} lines; {report['new_chunks']} new chunks, {report['embedded']} embedded"
        return Row(
            what="index, one line inserted at a file's top", figure=_seconds(runs), note=note
        )

    def _warm_queries(self) -> Iterator[Row]:
        if hasattr(os, "sync"):
            os.sync()  # what indexing wrote would be on its way to the disk meanwhile
        with Workspace.open(self.folder) as workspace:
            asked = questions_of(self.folder, count=self.queries)
            for refresh, words in ((False, "off"), (True, "on")):

                def ask(query: str, *, refresh: bool = refresh) -> None:
                    workspace.search(query, refresh=refresh)

                times_ms = _times_ms(ask, asked)
                yield Row(
                    what=f"warm query in process, refresh {words}",
                    figure=f"p50 {percentile(times_ms, 50):.2f} ms, p95 {percentile(times_ms, 95):.2f} ms",
                    note=f"{len(times_ms)} queries",
                )

    def _cold_search(self) -> Row:
        runs = [
            self.run("search", query, "--json")
            for query in questions_of(self.folder, count=max(5, self.repeats))
        ]
        return Row(what="`codecairn search`, cold process", figure=_seconds(runs))


def parsing_alone_s(folder: Path) -> float:
    """How long parsing all files takes on all cores when nothing else is done, in seconds."""
    done = subprocess.run([PARSER, folder], capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["seconds"])


def import_rows(home: Path, *, repeats: int) -> Iterator[Row]:
    """How long imports take, beside an interpreter that imports nothing."""
    environment = {"CODECAIRN_HOME": str(home)}

    def median_ms(code: str) -> float:
        runs = [
            measure(python(code), cwd=home, environment=environment) for _ in range(max(9, repeats))
        ]
        return statistics.median(run.wall_s for run in runs) * 1000

    nothing_ms = median_ms("pass")
    for code in ("import codecairn", "from codecairn import Workspace"):
        yield Row(
            what=f"`{code}`",
            figure=f"{median_ms(code) - nothing_ms:.1f} ms",
            note=f"above an empty interpreter's {nothing_ms:.1f} ms",
        )


def _seconds(runs: list[Run]) -> str:
    walls = sorted(run.wall_s for run in runs)
    return f"{statistics.median(walls):.3f} s" + (
        f" ({walls[0]:.3f}-{walls[-1]:.3f})" if len(walls) > 1 else ""
    )


def _times_ms(ask: Callable[[str], None], queries: list[str]) -> list[float]:
    for query in queries[:3]:
        ask(query)
    times = []
    for query in queries:
        started = time.perf_counter()
        ask(query)
        times.append((time.perf_counter() - started) * 1000)
    return times


def percentile(values: list[float], percent: int) -> float:
    """The value below which `percent` of them are."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


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
