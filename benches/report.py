"""One table of all runs: a row for each measure, a column for each run.

    python -m benches.report [--out FILE] [--json] [--only TEXT]

Reads every document of `benches/runs/*/*.json`. A run that measured one thing several times, at several commits or in several
rounds, shows each value with what tells it apart.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.results import RUNS

Measure = tuple[str, str]
"""A name and a unit: figures are compared only where both are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One figure of one run; `label` tells figures of one measure apart."""

    value: float
    label: str
    low: float | None = None
    high: float | None = None

    def text(self) -> str:
        """The value, its range and its label: `3.46 (3.28-3.85) f19280c`."""
        span = "" if self.low is None or self.high is None else f" ({self.low:g}-{self.high:g})"
        return f"{self.value:g}{span}" + (f" {self.label}" if self.label else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Every measure in the order of its first appearance, with its values by run."""

    runs: tuple[str, ...]
    measures: dict[Measure, dict[str, list[Value]]]


def main() -> None:
    """Read all runs, and print or write the table."""
    parser = argparse.ArgumentParser(prog="python -m benches.report", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--runs", type=Path, default=RUNS, help="the folder of all runs")
    parser.add_argument("--out", type=Path, help="write the table here instead of printing it")
    parser.add_argument("--json", action="store_true", help="print JSON in place of Markdown")
    parser.add_argument("--only", default="", help="only measures with this text in their names")
    options = parser.parse_args()
    found = compare(documents(options.runs), only=options.only)
    text = json.dumps(as_rows(found), indent=1) if options.json else "\n".join(table(found))
    if options.out:
        options.out.write_text(f"{text}\n", encoding="utf-8")
    else:
        print(text)


def documents(runs: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each document with the name of its run, in the order of runs and files."""
    for file in sorted(runs.glob("*/*.json")):
        yield file.parent.name, json.loads(file.read_text(encoding="utf-8"))


def compare(found: Iterable[tuple[str, dict[str, Any]]], *, only: str = "") -> Comparison:
    """Bring the figures of all documents together by measure and unit."""
    runs: dict[str, None] = {}
    measures: dict[Measure, dict[str, list[Value]]] = {}
    for run, document in found:
        for figure in document["figures"]:
            if only.lower() not in figure["measure"].lower():
                continue
            runs.setdefault(run)
            parts = (figure.get("commit", ""), figure.get("note", ""))
            value = Value(
                value=figure["value"],
                label=", ".join(part for part in parts if part),
                low=figure.get("min"),
                high=figure.get("max"),
            )
            key = figure["measure"], figure.get("unit", "")
            measures.setdefault(key, {}).setdefault(run, []).append(value)
    return Comparison(runs=tuple(runs), measures=measures)


def table(comparison: Comparison) -> Iterator[str]:
    """The comparison as a Markdown table."""
    yield f"| measure | unit | {' | '.join(comparison.runs)} |"
    yield f"|---|---|{'---|' * len(comparison.runs)}"
    for (name, unit), by_run in comparison.measures.items():
        cells = (_cell(by_run.get(run, [])) for run in comparison.runs)
        yield f"| {name} | {unit} | {' | '.join(cells)} |"


def as_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """The comparison for programs: one object for each value."""
    return [
        {"measure": name, "unit": unit, "run": run, "label": each.label, "value": each.value}
        for (name, unit), by_run in comparison.measures.items()
        for run, values in by_run.items()
        for each in values
    ]


def _cell(values: list[Value]) -> str:
    """The values of one cell; a label is shown only where several have to be distinguished."""
    if len(values) == 1:
        return Value(value=values[0].value, label="", low=values[0].low, high=values[0].high).text()
    return "; ".join(value.text() for value in values)


if __name__ == "__main__":
    main()
