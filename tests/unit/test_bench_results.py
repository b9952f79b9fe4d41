"""Results of benches are data: documents with figures, and one table that compares runs."""

import json
from pathlib import Path

import pytest

from benches.report import as_rows, compare, documents, table
from benches.results import RUNS, Figure, Results, percentiles, spread

FILES = sorted(RUNS.glob("*/*.json"))


def test_figures_are_written_and_compared(tmp_path: Path) -> None:
    for run, seconds in (("monday", [1.0, 3.0, 2.0]), ("friday", [4.00049])):
        results = Results("Speed")
        results.add(spread("full index", seconds, "s"), subject="cobra")
        results.add(percentiles("query", range(1, 101), "ms", note="100 queries"))
        results.write(tmp_path / run / "speed.json", notes=["quiet"])
    written = json.loads((tmp_path / "monday" / "speed.json").read_text())
    assert {"title", "date", "machine", "commit", "figures", "notes"} == {*written}
    assert written["figures"][0] == {
        "measure": "cobra: full index", "value": 2.0, "unit": "s", "min": 1.0, "max": 3.0,
    }  # fmt: skip
    found = compare(documents(tmp_path))
    assert [*table(found)] == [
        "| measure | unit | friday | monday |",
        "|---|---|---|---|",
        "| cobra: full index | s | 4 | 2 (1-3) |",
        "| query, p50 | ms | 51 | 51 |",
        "| query, p95 | ms | 96 | 96 |",
    ]
    assert [row["run"] for row in as_rows(found)][:2] == ["friday", "monday"]


def test_several_values_of_a_run_are_told_apart_and_units_are_not_mixed() -> None:
    figures = [
        {"measure": "full index", "value": 3.46, "unit": "s", "commit": "f19280c"},
        {"measure": "full index", "value": 4.19, "unit": "s", "commit": "7c01b5d", "note": "cold"},
        {"measure": "full index", "value": 170, "unit": "MB"},
    ]
    rows = [*table(compare([("monday", {"figures": figures})]))][2:]
    assert rows == [
        "| full index | s | 3.46 f19280c; 4.19 7c01b5d, cold |",
        "| full index | MB | 170 |",
    ]
    assert [*table(compare([("monday", {"figures": figures})], only="query"))][2:] == []


def test_a_figure_reads_as_people_write_it() -> None:
    figure = Figure(measure="full index", value=1234.5678, unit="s", low=1.00004, high=2.0)
    assert figure.rounded().text() == "1,235 s (1-2)"
    assert Figure(measure="kills", value=500).text() == "500"


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_every_document_of_the_runs_can_be_compared(file: Path) -> None:
    document = json.loads(file.read_text(encoding="utf-8"))
    assert document["title"]
    assert file.parent.name.startswith(document["date"])
    assert document["machine"]
    assert document["figures"]
    for figure in document["figures"]:
        assert {*figure} <= {"measure", "value", "unit", "min", "max", "commit", "note"}
        assert figure["measure"]
        assert isinstance(figure["value"], int | float)


def test_results_are_kept_as_data_alone() -> None:
    assert FILES
    assert {path.suffix for path in RUNS.rglob("*") if path.is_file()} <= {".json", ".png"}
