"""Writes the tables of `docs/explanation/first-hour.md` from the newest runs of `benches.newcomer`.

    python -m benches.newcomer.page [--check]

A run folder has two documents for each way, `newcomer-wheel-before.json` and `newcomer-wheel-after.json`, or one of them.
"""

import json
from pathlib import Path
from typing import Any

from benches.pages import rewrite, table
from benches.results import RUNS

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "first-hour.md"
_WAYS = ("wheel", "source")
_MOMENTS = ("before", "after")

Document = dict[str, Any]
Cells = dict[tuple[str, ...], str]
"""The cells of one column by the names of their rows."""


def main() -> None:
    """Rewrite the page, or check it."""
    rewrite({PAGE: parts()}, prog="python -m benches.newcomer.page", description=__doc__)


def parts(runs: Path = RUNS) -> dict[str, str]:
    """The generated parts of the page, by name."""
    made = {}
    for way in _WAYS:
        documents = _newest(runs, way)
        made[f"{way} figures"] = _figures(documents)
        made[f"{way} steps"] = _steps(documents)
    made["failures"] = _failures(_newest(runs, "wheel"))
    return made


def _newest(runs: Path, way: str) -> list[Document]:
    """The documents of one way in the newest folder that has any, the earlier moment first."""
    folders = sorted({file.parent for file in runs.glob(f"*/newcomer-{way}-*.json")})
    if not folders:
        return []
    files = [folders[-1] / f"newcomer-{way}-{moment}.json" for moment in _MOMENTS]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]


def _figures(documents: list[Document]) -> str:
    cells: list[Cells] = [
        {
            (figure["measure"].partition(": ")[2],): f"{figure['value']:g} {figure.get('unit', '')}"
            for figure in document["figures"]
        }
        for document in documents
    ]
    machines = sorted({f"{each['machine']}; {each['subject']}" for each in documents})
    loads = " and ".join(f"{each['load']:g}" for each in documents)
    note = f"{'; '.join(machines)}. Load of the machine in the last 15 minutes: {loads}."
    return f"{_grid(documents, ['figure'], cells)}\n\n{note}"


def _steps(documents: list[Document]) -> str:
    cells: list[Cells] = [
        {
            (step["phase"], step["name"]): f"{step['seconds']:.1f} s, {_lines(step['lines'])}"
            + (f", exit {step['exit_code']}" if step["exit_code"] else "")
            for step in document["steps"]
            if step["phase"] != "mistakes"
        }
        for document in documents
    ]
    return _grid(documents, ["part", "step"], cells)


def _failures(documents: list[Document]) -> str:
    """What each deliberate mistake is answered with: its exit code, and whether a remedy is named."""
    cells: list[Cells] = [
        {
            (f"`{step['command'].removeprefix('codecairn ')}`",): f"exit {step['exit_code']}"
            + ("" if step["is_expected"] else " (unexpected)")
            + (", a remedy" if step["has_remedy"] else ", **no remedy**")
            for step in document["steps"]
            if step["phase"] == "mistakes"
        }
        for document in documents
    ]
    return _grid(documents, ["mistake"], cells)


def _grid(documents: list[Document], names: list[str], cells: list[Cells]) -> str:
    """One column for each document; a row that a document lacks is `-` there."""
    keys = dict.fromkeys(key for each in cells for key in each)
    columns = [*names, *(f"`{document['commit']}`" for document in documents)]
    return table(columns, [[*key, *(each.get(key, "-").strip() for each in cells)] for key in keys])


def _lines(count: int) -> str:
    return f"{count} line" if count == 1 else f"{count} lines"


if __name__ == "__main__":
    main()
