"""codex-mem: events and observations of one project's sessions."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codecairn.memory.importing.foreign_database import foreign_database
from codecairn.memory.importing.records import (
    ForeignEvent,
    ForeignFact,
    Problem,
    Records,
    Scene,
    known_type,
    moment,
)

TABLES = frozenset({"events", "observations", "sessions"})

_TYPES = {
    "investigation": "discovery",
    "learning": "learned-pattern",
    "completed-work": "discovery",
    "next-step": "task",
    "summary": "session-summary",
}
_ROLES = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}


def usual_place(root: Path) -> Path:
    """Where it keeps a project's database."""
    return root / ".codex_mem" / "codex_mem.sqlite3"


def read(place: Path, scene: Scene) -> Records:
    """Events and observations; those of other projects only if they are named."""
    with foreign_database(place) as database:
        for at, row in enumerate(database.rows("observations"), 1):
            if _is_wanted(row, scene):
                yield _fact(row, f"observations row {at}")
        for at, row in enumerate(database.rows("events"), 1):
            if _is_wanted(row, scene):
                yield _event(row, f"events row {at}")


def _is_wanted(row: Mapping[str, Any], scene: Scene) -> bool:
    return not scene.of or row.get("project") in scene.of


def _fact(row: Mapping[str, Any], where: str) -> ForeignFact | Problem:
    body, title = str(row.get("body") or "").strip(), str(row.get("title") or "").strip()
    if not body and not title:
        return Problem(where=where, what="it has no text")
    return ForeignFact(
        text=body or title,
        title=title,
        type=known_type(row.get("observation_type"), aliases=_TYPES, default="note"),
        where=where,
        ts_ms=moment(row.get("created_at")),
        is_private=_is_private(row),
        meta={"from": "codex-mem", "codex-mem": f"O{row.get('id')}"},
    )


def _event(row: Mapping[str, Any], where: str) -> ForeignEvent | Problem:
    session = str(row.get("session_id") or "").strip()
    if not session:
        return Problem(where=where, what="it names no session")
    text = str(row.get("content") or row.get("title") or "")
    exit_code = _metadata(row).get("exit_code")
    return ForeignEvent(
        session=session,
        key=f"codex-mem/{row.get('project')}/{row.get('id')}/{row.get('created_at')}",
        where=where,
        body=text,
        role=_ROLES.get(str(row.get("role")), "system"),
        ts_ms=moment(row.get("created_at")),
        host="codex",
        tool=str(row.get("tool_name") or ""),
        path=str(row.get("file_path") or ""),
        exit_code=exit_code if isinstance(exit_code, int) else None,
        is_private=_is_private(row),
    )


def _metadata(row: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        found = json.loads(row.get("metadata_json") or "{}")
    except (ValueError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_private(row: Mapping[str, Any]) -> bool:
    privacy = _metadata(row).get("privacy")
    return isinstance(privacy, dict) and privacy.get("visibility") == "private"
