"""Reads and writes reports, and compares two of them."""

import json
from collections.abc import Mapping
from pathlib import Path

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import FileAccessError, UsageError
from codecairn.evaluation.questions import read_json
from codecairn.evaluation.runner import FORMAT, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A question whose first correct result has another rank in the second report; 0 for none among the best ten."""

    id: str
    query: str
    before: int
    after: int

    @property
    def is_better(self) -> bool:
        """Whether it moved up."""
        return self.after != 0 and (self.before == 0 or self.after < self.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two reports.

    Attributes:
        metrics: Each figure that both have: before, after.
        moved: Questions that both have and whose rank differs.
        only_before: Ids of questions that the first alone has.
        only_after: Those that the second alone has.
    """

    metrics: Mapping[str, tuple[float, float]]
    moved: tuple[Moved, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]


def write_report(report: Report, file: Path) -> None:
    """Write a report.

    Raises:
        FileAccessError: If it can't be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as err:
        raise FileAccessError(f"can't write `{file}`: {err.strerror or err}") from err


def read_report(file: Path) -> Report:
    """A report from a file.

    Raises:
        FileAccessError: If it can't be read.
        UsageError: If it is no report, or one of a newer form.
    """
    found = read_json(file)
    if not isinstance(found, dict) or not isinstance(found.get("metrics"), dict):
        raise UsageError(
            f"`{file}` is no report", hint="`codecairn eval run --output FILE` makes one"
        )
    if found.get("format") != FORMAT:
        raise UsageError(
            f"`{file}` has format {found.get('format')}, and {FORMAT} is known here",
            hint="create it again with `codecairn eval run`",
        )
    return found


def compared(before: Report, after: Report) -> Comparison:
    """What differs between two reports."""
    old = {str(row["id"]): row for row in before["results"]}
    new = {str(row["id"]): row for row in after["results"]}
    moved = [
        Moved(id=id_, query=str(row["query"]), before=int(old[id_]["rank"]), after=int(row["rank"]))
        for id_, row in new.items()
        if id_ in old and old[id_]["rank"] != row["rank"]
    ]
    return Comparison(
        metrics={
            name: (float(value), float(after["metrics"][name]))
            for name, value in before["metrics"].items()
            if name in after["metrics"]
        },
        moved=tuple(moved),
        only_before=tuple(id_ for id_ in old if id_ not in new),
        only_after=tuple(id_ for id_ in new if id_ not in old),
    )
