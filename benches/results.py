"""Results of a bench: figures with units, printed as they are measured and kept as one JSON document for each run.

A document has a title, the date, the machine, the commit where it is known, and `figures`, which `benches.report` compares
between runs by their `measure`. Notes, commands and tables of one run alone are further keys.
"""

import json
import os
import platform
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

RUNS = Path(__file__).parent / "runs"
_LINE = 140
_DIGITS = 4
"""Significant digits of a value: a bench repeats to about two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured value, with the range over its repeats where there were several."""

    measure: str
    value: float
    unit: str = ""
    low: float | None = None
    high: float | None = None
    note: str = ""

    def text(self) -> str:
        """The value as people read it: `4.035 s (4.002-4.069)`."""
        unit = f" {self.unit}" if self.unit else ""
        span = "" if self.low is None or self.high is None else f" ({self.low:g}-{self.high:g})"
        return f"{self.value:,g}{unit}{span}"

    def rounded(self) -> "Figure":
        """The figure with as many digits as are kept."""
        low, high = (None if each is None else _rounded(each) for each in (self.low, self.high))
        return replace(self, value=_rounded(self.value), low=low, high=high)

    def row(self) -> dict[str, Any]:
        """The figure as a document has it; what is empty is left out."""
        row = {"measure": self.measure, "value": self.value, "unit": self.unit}
        row |= {"min": self.low, "max": self.high, "note": self.note}
        return {key: each for key, each in row.items() if each not in (None, "")}


def spread(measure: str, values: Iterable[float], unit: str, *, note: str = "") -> Figure:
    """The median of several values with their range."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    low, high = (ordered[0], ordered[-1]) if len(ordered) > 1 else (None, None)
    return Figure(measure=measure, value=median, unit=unit, low=low, high=high, note=note)


def percentiles(
    measure: str, values: Iterable[float], unit: str, *, note: str = ""
) -> list[Figure]:
    """The median and the 95th percentile, as two figures."""
    ordered = sorted(values)
    places = (("p50", 50), ("p95", 95))
    return [
        Figure(
            measure=f"{measure}, {name}",
            value=ordered[min(len(ordered) - 1, len(ordered) * percent // 100)],
            unit=unit,
            note=note,
        )
        for name, percent in places
    ]


class Results:
    """The figures of one run: `add` prints each as a row of a Markdown table, `write` keeps all of them."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.figures: list[Figure] = []

    def add(self, figures: Figure | Iterable[Figure], *, subject: str = "") -> None:
        """Print figures and keep them; `subject` is put before their measures, as in `stdlib: full index`."""
        if not self.figures:
            print(f"{' '.join(str(each) for each in head(self.title).values())}\n")
            print("| measure | value | note |\n|---|---|---|")
        for figure in [figures] if isinstance(figures, Figure) else figures:
            named = f"{subject}: {figure.measure}" if subject else figure.measure
            kept = replace(figure.rounded(), measure=named)
            self.figures.append(kept)
            print(f"| {kept.measure} | {kept.text()} | {kept.note} |", flush=True)

    def write(self, file: Path, **more: object) -> None:
        """Write the document; `more` are further keys, such as `notes` and `tables`."""
        rows = [figure.row() for figure in self.figures]
        save(file, head(self.title) | {"figures": rows} | more)
        print(f"\nwritten: {file}", flush=True)


def head(title: str) -> dict[str, str]:
    """What every document begins with."""
    return {
        "title": title,
        "date": datetime.now(timezone.utc).date().isoformat(),
        "machine": f"{_model()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}",
        "commit": commit(),
    }


def save(file: Path, document: dict[str, Any]) -> None:
    """Write a document, with the folder that it lies in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{_json(document)}\n", encoding="utf-8")


def default_folder() -> Path:
    """The folder of today's runs on this machine."""
    day = datetime.now(timezone.utc).date().isoformat()
    known = re.search(r"epyc|xeon|ryzen|core|neoverse|arm64|aarch64", _model().lower())
    return RUNS / f"{day}-{known.group() if known else platform.machine()}-{os.cpu_count()}core"


def commit() -> str:
    """The commit that is checked out, short; `unknown` outside of a repository."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def _model() -> str:
    """The processor's name where Linux shows it, else its architecture."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1] if found else platform.machine()


def _json(value: object, indent: int = 0) -> str:
    """JSON with each value on one line where it fits, so that a figure is a line of a difference."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= _LINE or not isinstance(value, dict | list):
        return line
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_json(each, indent + 1)}" for key, each in value.items()]
    else:
        parts = [_json(each, indent + 1) for each in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    space = "\n" + " " * (indent + 1)
    return begin + space + f",{space}".join(parts) + "\n" + " " * indent + end


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
