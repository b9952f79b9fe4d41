"""JSON and JSON lines of other tools: objects with a text, under any of the usual keys."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from codecairn.core.types.memory import ORIGINS, SCOPES
from codecairn.errors import FileAccessError, UsageError
from codecairn.memory.importing.records import (
    Foreign,
    ForeignFact,
    Problem,
    Records,
    Scene,
    known_type,
    moment,
)
from codecairn.paths.named_entry import require_no_device

_FORM = "give what `codecairn memory export` writes, or JSON or JSON lines of records with a text"

_LISTS = ("facts", "memories", "results", "data", "items", "notes", "records", "entities")
_TEXTS = ("text", "memory", "content", "fact", "body", "note", "description", "observation")
_TYPES = {
    "bug": "error-solution",
    "feature": "task",
    "chore": "task",
    "epic": "task",
    "issue": "task",
}
_DATES = (
    "valid_from_ms",
    "created_ms",
    "created_at",
    "createdAt",
    "timestamp",
    "date",
    "updated_at",
)


def read(place: Path, scene: Scene) -> Records:
    """The records of a file."""
    del scene
    yield from records(text_of(place), name=place.name)


def text_of(place: Path) -> str:
    """A file's text.

    Raises:
        FileAccessError: If it can't be read.
        UsageError: If it is not UTF-8.
    """
    require_no_device(place)
    try:
        return place.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as err:
        raise UsageError(f"`{place}` is not UTF-8", hint=_FORM) from err
    except OSError as err:
        raise FileAccessError(f"can't read `{place}`: {err.strerror or err}") from err


def records(text: str, *, name: str) -> Records:
    """The records of a document, or of one a line."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as err:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise UsageError(f"`{name}` is no JSON: {err}", hint=_FORM) from err
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield _of_line(line, f"{name} line {number}")
        return
    rows = _rows(document)
    if rows is None:
        known = ", ".join(_LISTS)
        raise UsageError(f"`{name}` holds no list of records", hint=f"an array, or one of {known}")
    for at, row in enumerate(rows, 1):
        yield _of_row(row, f"{name} record {at}")


def _rows(document: object) -> Sequence[object] | None:
    if isinstance(document, list):
        return document
    if isinstance(document, dict):
        for key in _LISTS:
            if isinstance(document.get(key), list):
                found: list[object] = document[key]
                return found
        return [document] if _text(document) else None
    return None


def _of_line(line: str, where: str) -> Foreign:
    try:
        return _of_row(json.loads(line), where)
    except (ValueError, RecursionError) as err:
        return Problem(where=where, what=f"it is no JSON: {err}")


def _of_row(row: object, where: str) -> Foreign:
    if isinstance(row, str) and row.strip():
        return ForeignFact(text=row, type="note", where=where, meta={"from": "json"})
    if not isinstance(row, dict):
        return Problem(where=where, what="it is neither an object nor a text")
    text = _text(row)
    if not text:
        return Problem(where=where, what=f"it has no text (looked for {', '.join(_TEXTS)})")
    metadata = row.get("metadata") if isinstance(row.get("metadata"), dict) else {}
    assert isinstance(metadata, dict)
    title = str(row.get("title") or row.get("name") or "")
    scope = str(row.get("scope") or "project").lower()
    origin = str(row.get("origin") or "agent").lower()
    date = next((row[name] for name in _DATES if row.get(name)), None)
    tags = row.get("tags") or row.get("labels") or ()
    return ForeignFact(
        text=text if not title or title in text or "title" not in row else f"{title}: {text}",
        title=title,
        type=known_type(
            row.get("type") or row.get("issue_type") or metadata.get("type") or row.get("category"),
            aliases=_TYPES,
            default="note",
        ),
        where=where,
        scope=scope if scope in {"user", "project"} and scope in SCOPES else "project",
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
        origin=origin if origin in ORIGINS else "agent",
        ts_ms=moment(date),
        ended=str(row.get("status") or row.get("state") or "").lower()
        in {"superseded", "closed", "deleted", "tombstone"},
        meta={"from": "json"},
    )


def _text(row: Mapping[str, Any]) -> str:
    for name in _TEXTS:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    title = row.get("title")
    return title.strip() if isinstance(title, str) else ""
