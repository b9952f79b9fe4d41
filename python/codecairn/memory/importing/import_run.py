"""Runs one import, from a source's name or a file to a report."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.errors import UsageError
from codecairn.memory.importing import json_records
from codecairn.memory.importing.ingestion import ImportReport, Taker
from codecairn.memory.importing.records import Scene
from codecairn.memory.importing.sources import SOURCES, detected, place_of
from codecairn.paths import user

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

_OWN_SCHEMA = "codecairn-memory-v1"
_STDIN = "standard input"


def import_from(
    memory: "Memory",
    scene: Scene,
    *,
    place: str | None,
    source: str | None,
    text: str | None,
    dry_run: bool,
    notify: Callable[[str], None],
) -> ImportReport:
    """See `Maintenance.import_from`."""
    if source is not None and source not in SOURCES:
        raise UsageError(f"unknown source `{source}`", hint=f"one of {', '.join(SOURCES)}")
    if text is None and place is None and source is None:
        raise UsageError(
            "say what to import", hint="a file or folder, or `--from` with a tool's name"
        )
    path = None if text is not None else _path(place, source, scene)
    kind = source or ("json" if path is None else detected(path))
    report = ImportReport(
        source=kind, place=_STDIN if path is None else str(path), is_dry_run=dry_run
    )
    if kind == "json":
        text = text if text is not None or path is None else json_records.text_of(path)
        assert text is not None
        if _is_own(text):
            report.source = "codecairn"
            _take_own(memory, text, report)
            return report
    taker = Taker(memory, report, now_ms=scene.now_ms, notify=notify)
    if path is None or kind == "json":
        assert text is not None
        taker.take(json_records.records(text, name=_STDIN if path is None else path.name))
    else:
        taker.take(SOURCES[kind].read(path, scene))
    return report


def _path(place: str | None, source: str | None, scene: Scene) -> Path:
    if place is not None:
        return user.expanded(Path(place))
    assert source is not None
    return place_of(source, scene)


def _is_own(text: str) -> bool:
    """Whether it is an export of `memory export`, by its first entry, the name of the format."""
    return _OWN_SCHEMA in text[:200]


def _take_own(memory: "Memory", text: str, report: ImportReport) -> None:
    if not report.is_dry_run:
        taken = memory.import_(text)
        report.facts, report.events, report.skipped = taken.facts, taken.events, taken.skipped
        return
    try:
        document = json.loads(text)
        report.facts, report.events = len(document["facts"]), len(document["events"])
    except (ValueError, KeyError, TypeError, RecursionError) as err:
        raise UsageError(f"this is no exported memory: {err}") from err
