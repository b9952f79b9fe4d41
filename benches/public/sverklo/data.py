"""The board's own records: a row for each answer that it scored, and the tasks with their truth."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codecairn.errors import UsageError

CLASSES = {
    "P1": "definitions",
    "P2": "references",
    "P4": "file dependencies",
    "P5": "dead code",
}
_TOLERANCES = {"P1": 3, "P2": 2}
"""Lines that an answer may be off by; in them the truth itself should show the name."""
_EXTENSIONS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs")
"""The board compares paths of JavaScript without these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One scored answer."""

    task: str
    category: str
    repository: str
    system: str
    metrics: Mapping[str, Any]

    def metric(self, name: str) -> float:
        """One of the board's metrics."""
        return float(self.metrics[name])


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A question with its truth, about the files below `root`."""

    id: str
    category: str
    query: str
    expected: Mapping[str, Any]
    root: Path


def rows(path: Path) -> Iterator[Row]:
    """The scored answers of a run, `raw.jsonl`.

    Raises:
        UsageError: If the file is missing, or a line is not such a row.
    """
    if not path.is_file():
        raise UsageError(f"{path} is no file", hint="the board writes it at the end of a run")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line:
            continue
        try:
            row = json.loads(line)
            yield Row(
                task=row["task_id"],
                category=row["category"],
                repository=row["dataset"],
                system=row["baseline"],
                metrics=row["metrics"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}:{number}: no row of the board: {error!r}") from None


def tasks(text: str) -> Iterator[Task]:
    """The tasks that `tasks.ts` prints.

    Raises:
        UsageError: If the text is damaged.
    """
    try:
        for each in json.loads(text):
            yield Task(
                id=each["id"],
                category=each["category"],
                query=each["query"],
                expected=each["expected"],
                root=Path(each["root"]),
            )
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"these are no tasks of the board: {error!r}") from None


def holds(task: Task) -> bool:
    """Whether the truth can be met in these files.

    Places are there and show the name within the tolerance, and files that are named exist. A place or a file that the truth
    lacks is not seen, nor is a wrong name of dead code.
    """
    if "locations" in task.expected:
        places = task.expected["locations"]
        reach = _TOLERANCES[task.category]
        return bool(places) and all(
            _shows(task.root / each["file"], each["line"], reach, task.query) for each in places
        )
    named: Sequence[str] = [
        path for key in ("imports", "importers") for path in task.expected.get(key, ())
    ]
    asked = [task.query] if task.query else []
    return all(_exists(task.root, path) for path in (*asked, *named))


def _shows(path: Path, line: int, reach: int, name: str) -> bool:
    if not path.is_file():
        return False
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    shown = "\n".join(lines[max(line - 1 - reach, 0) : line + reach])
    return bool(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", shown))


def _exists(root: Path, path: str) -> bool:
    return any((root / f"{path}{extension}").is_file() for extension in _EXTENSIONS)
