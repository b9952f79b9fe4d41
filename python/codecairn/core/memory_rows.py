"""Makes the records of the memory from the JSON that the core gives."""

import dataclasses
import functools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar, cast

from codecairn.core.types.memory import Event, Fact, Recalled
from codecairn.core.types.outbox import OutboxRow
from codecairn.core.types.projects import Project, ProjectFolder

_Record = TypeVar("_Record")


def recalled_of(row: dict[str, Any]) -> Recalled:
    """The found fact or event of a row."""
    fact, event = row["fact"], row["event"]
    return Recalled(
        **row
        | {
            "fact": record_of(Fact, fact) if fact else None,
            "event": record_of(Event, event) if event else None,
        }
    )


@functools.cache
def _fields_of(record: Hashable) -> frozenset[str]:
    return frozenset(field.name for field in dataclasses.fields(cast("Any", record)))


def record_of(record: type[_Record], row: Mapping[str, Any]) -> _Record:
    """The record of a row; fields that it does not know are left out."""
    known = _fields_of(cast("Hashable", record))
    return record(
        **{
            name: tuple(value) if value.__class__ is list else value
            for name, value in row.items()
            if name in known
        }
    )


def project_of(row: Mapping[str, Any]) -> Project:
    """The project of a row, with its folders."""
    return record_of(Project, {**row, "folders": records_of(ProjectFolder, row["folders"])})


def outbox_rows_of(rows: Sequence[Mapping[str, Any]]) -> tuple[OutboxRow, ...]:
    """The rows of an outbox, with their events."""
    return tuple(
        record_of(
            OutboxRow, {**row, "event": record_of(Event, row["event"]) if row["event"] else None}
        )
        for row in rows
    )


def records_of(record: type[_Record], rows: Sequence[Mapping[str, Any]]) -> tuple[_Record, ...]:
    """The records of rows."""
    return tuple(record_of(record, row) for row in rows)
