"""claude-mem: observations, summaries, prompts and directives of all projects in one database."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from codecairn.errors import UsageError
from codecairn.memory.extract.sections import of_answer
from codecairn.memory.importing.foreign_database import ForeignDatabase, foreign_database
from codecairn.memory.importing.records import (
    Foreign,
    ForeignEvent,
    ForeignFact,
    Problem,
    Records,
    Scene,
    bullets,
    known_type,
    moment,
)

TABLES = frozenset({"observations", "session_summaries"})

_TYPES = {
    "bugfix": "error-solution",
    "feature": "discovery",
    "refactor": "discovery",
    "change": "discovery",
    "preference": "preference",
}


def usual_place(home: Path) -> Path:
    """Where it keeps its database."""
    return home / ".claude-mem" / "claude-mem.db"


def read(place: Path, scene: Scene) -> Records:
    """What is known of this project, which goes by its folder's name there."""
    with foreign_database(place) as database:
        tables = database.tables()
        wanted = set(scene.of) or {scene.root.name, f"{scene.root.parent.name}/{scene.root.name}"}
        unknown = _unknown(place, database, wanted)
        if unknown and scene.of:
            raise UsageError(unknown, hint="name one of them with `--of`")
        if unknown:
            yield Problem(where=str(place), what=f"{unknown} (choose with `--of`)")
        for at, row in enumerate(database.rows("observations"), 1):
            if _project(row) & wanted:
                yield _observation(row, f"observations row {at}")
        for at, row in enumerate(database.rows("session_summaries"), 1):
            if _project(row) & wanted:
                yield _summary(row, f"session_summaries row {at}")
        if "directives" in tables:
            yield from _directives(database, wanted)
        if {"user_prompts", "sdk_sessions"} <= tables:
            yield from _prompts(database, wanted)


def _unknown(place: Path, database: ForeignDatabase, wanted: set[str]) -> str:
    """What to say if nothing is known of the project; empty if something is."""
    projects = {name for row in database.rows("observations") for name in _project(row)}
    if not projects or projects & wanted:
        return ""
    return (
        f"`{place}` knows no `{', '.join(sorted(wanted))}`, but {', '.join(sorted(projects)[:8])}"
    )


def _project(row: Mapping[str, Any]) -> set[str]:
    return {str(row[name]) for name in ("project", "merged_into_project") if row.get(name)}


def _observation(row: Mapping[str, Any], where: str) -> Foreign:
    parts = [
        str(row.get(name) or "").strip() for name in ("title", "subtitle", "narrative", "text")
    ]
    lines = list(dict.fromkeys(part for part in parts if part))
    lines += [f"- {fact}" for fact in bullets(row.get("facts"))]
    if not lines:
        return Problem(where=where, what="it has no text")
    files = bullets(row.get("files_modified")) + bullets(row.get("files_read"))
    return ForeignFact(
        text="\n".join(lines),
        title=parts[0],
        type=known_type(row.get("type"), aliases=_TYPES, default="note"),
        where=where,
        tags=tuple(bullets(row.get("concepts"))[:8]),
        ts_ms=moment(row.get("created_at_epoch") or row.get("created_at")),
        meta=_meta(row) | ({"files": " ".join(files[:20])} if files else {}),
    )


def _summary(row: Mapping[str, Any], where: str) -> Foreign:
    sections = of_answer([{**row, "title": row.get("request")}])
    if sections is None:
        return Problem(where=where, what="it has no text")
    notes = str(row.get("notes") or "").strip()
    return ForeignFact(
        text=sections.text() + (f"\n\n{notes}" if notes else ""),
        type="session-summary",
        where=where,
        subject=f"session {row.get('memory_session_id')} {row.get('prompt_number') or ''}".strip().lower(),
        predicate="summary",
        ts_ms=moment(row.get("created_at_epoch") or row.get("created_at")),
        meta=_meta(row),
    )


def _directives(database: ForeignDatabase, wanted: set[str]) -> Iterator[Foreign]:
    for at, row in enumerate(database.rows("directives"), 1):
        where = f"directives row {at}"
        is_global = row.get("scope") == "global"
        text = str(row.get("content") or "").strip()
        if row.get("status") != "active" or not (is_global or _project(row) & wanted):
            continue
        if not text:
            yield Problem(where=where, what="it has no text")
            continue
        yield ForeignFact(
            text=text,
            type="rule",
            where=where,
            scope="user" if is_global else "project",
            origin="user",
            ts_ms=moment(row.get("created_at_epoch")),
            meta=_meta(row),
        )


def _prompts(database: ForeignDatabase, wanted: set[str]) -> Iterator[Foreign]:
    here = {
        row.get("content_session_id")
        for row in database.rows("sdk_sessions")
        if _project(row) & wanted
    }
    for at, row in enumerate(database.rows("user_prompts"), 1):
        session = row.get("content_session_id")
        if session not in here:
            continue
        yield ForeignEvent(
            session=str(session),
            key=f"claude-mem/{session}/{row.get('prompt_number')}/{row.get('id')}",
            where=f"user_prompts row {at}",
            body=str(row.get("prompt_text") or ""),
            role="user",
            ts_ms=moment(row.get("created_at_epoch")),
            host="claude-code",
        )


def _meta(row: Mapping[str, Any]) -> dict[str, str]:
    return {"from": "claude-mem", "claude-mem": str(row.get("id") or "")}
