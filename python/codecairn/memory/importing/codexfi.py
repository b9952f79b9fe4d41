"""codexfi: one table of memories, by tags of users and projects."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codecairn.errors import UsageError
from codecairn.memory.importing.foreign_database import foreign_database
from codecairn.memory.importing.records import (
    ForeignFact,
    Problem,
    Records,
    Scene,
    known_type,
    moment,
)

TABLES = frozenset({"memories"})


def usual_place(home: Path) -> Path:
    """Where it keeps its database."""
    return home / ".codexfi" / "store" / "store.db"


def read(place: Path, scene: Scene) -> Records:
    """Memories of the user and of this project; what was superseded comes as what no longer holds."""
    with foreign_database(place) as database:
        rows = list(database.rows("memories"))
    tags = {str(row.get("user_id") or "") for row in rows}
    wanted = set(scene.of) or {tag for tag in tags if tag.endswith(_project_marks(scene.root))}
    if scene.of and not wanted & tags:
        raise UsageError(f"`{place}` knows no `{', '.join(scene.of)}`", hint=_known(place, tags))
    names = {tag: "user" for tag in tags if "_user_" in tag} | dict.fromkeys(
        wanted & tags, "project"
    )
    for at, row in enumerate(rows, 1):
        where = f"memories row {at}"
        scope = names.get(str(row.get("user_id") or ""))
        text = row.get("memory")
        if scope is None:
            continue
        if not isinstance(text, str) or not text.strip():
            yield Problem(where=where, what="it has no text")
            continue
        yield ForeignFact(
            text=text,
            type=known_type(
                row.get("type") or _type_in(row), aliases={}, default="learned-pattern"
            ),
            where=where,
            scope=scope,
            ts_ms=moment(row.get("created_at")),
            ended=bool(row.get("superseded_by")),
            meta={"from": "codexfi", "codexfi": str(row.get("id") or "")},
        )
    if not wanted & tags:
        others = [tag for tag in sorted(tags) if "_project_" in tag]
        if others:
            what = f"no memories of this project; others are {', '.join(others[:5])} (choose with `--of`)"
            yield Problem(where=str(place), what=what)


def _project_marks(root: Path) -> tuple[str, ...]:
    """The ends of the tags that it may know this folder by."""
    texts = {str(root), str(root.resolve())}
    return tuple(
        f"_project_{hashlib.sha256(text.encode()).hexdigest()[:16]}" for text in sorted(texts)
    )


def _type_in(row: Mapping[str, Any]) -> object:
    try:
        metadata = json.loads(row.get("metadata_json") or "{}")
    except (ValueError, TypeError, RecursionError):
        return ""
    return metadata.get("type") if isinstance(metadata, dict) else ""


def _known(place: Path, tags: set[str]) -> str:
    names = place.parent.parent / "names.json"
    try:
        document = json.loads(names.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        document = {}
    document = document if isinstance(document, dict) else {}
    shown = [f"{tag} ({document[tag]})" if tag in document else tag for tag in sorted(tags)]
    return f"it knows {', '.join(shown[:8])}" if shown else "it is empty"
