"""Tasks with the lines that people marked as their context: ContextBench, of which nothing is kept here."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.public.issues import Issue, rows
from benches.public.swebench.data import changes
from codecairn.errors import UsageError

_FIELDS = (
    "instance_id",
    "original_inst_id",
    "repo",
    "base_commit",
    "problem_statement",
    "gold_context",
    "patch",
)
_ORIGIN = re.compile(r"(?:instance_)?(.+?)__(.+?)-(?:\d+$|[0-9a-f]{40})")
_CONTAINER = re.compile(r"^/(?:testbed|workspace/[^/]+)/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Issue):
    """An issue, with the lines that people marked as needed for its fix.

    Attributes:
        gold: The marked lines by path. A file that the tree lacks stays in, as in ContextBench's evaluation.
    """

    gold: dict[str, frozenset[int]]


def tasks(path: Path) -> Iterator[Task]:
    """The tasks of a file with one JSON object a line, its keys named as the columns of ContextBench's Parquet files.

    Raises:
        UsageError: If the file is missing, or a line lacks a field or has one that can't be read.
    """
    hint = "write each row of ContextBench's contextbench_verified*.parquet as a JSON object on a line of its own"
    for place, row in rows(path, _FIELDS, hint):
        try:
            gold = _gold(row["gold_context"])
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{place}: gold_context is no list of places",
                hint="each needs file, start_line and end_line; only the files contextbench_verified* have them so",
            ) from error
        yield Task(
            id=row["instance_id"],
            repository=_repository(row["repo"], row["original_inst_id"]),
            revision=row["base_commit"],
            text=row["problem_statement"],
            gold=gold,
            changed={name: lines for name, lines in changes(row["patch"]).items() if lines},
        )


def _gold(value: str | Sequence[dict[str, Any]]) -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for place in json.loads(value) if isinstance(value, str) else value:
        path = _relative(place["file"])
        lines = range(int(place["start_line"]), int(place["end_line"]) + 1)
        found[path] = found.get(path, frozenset()).union(lines)
    return found


def _relative(path: str) -> str:
    """A path below the repository: some are written as they were in the container of their task."""
    return _CONTAINER.sub("", path).lstrip("/").removeprefix("./")


def _repository(name: str, origin: str) -> str:
    """`OWNER/NAME`, which some rows have only in the id that they come from: `cli__cli-5973`."""
    found = None if "/" in name else _ORIGIN.match(origin)
    return f"{found[1]}/{found[2]}" if found else name
