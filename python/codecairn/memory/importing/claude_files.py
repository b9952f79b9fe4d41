"""Claude Code's memory files: `memory/*.md` below its folder for this project."""

import re
from pathlib import Path

from codecairn.errors import FileAccessError
from codecairn.memory.importing.markdown import head_of, notes
from codecairn.memory.importing.records import ForeignFact, Problem, Records, Scene

_TYPES = {
    "user": ("preference", "user"),
    "feedback": ("rule", "project"),
    "project": ("note", "project"),
    "reference": ("note", "project"),
}


def project_folder(home: Path, root: Path) -> Path:
    """Claude Code's folder for a project: the path with everything but letters and digits made a dash."""
    return home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root))


def usual_place(home: Path, root: Path) -> Path:
    """Where it keeps a project's memory files."""
    return project_folder(home, root) / "memory"


def read(place: Path, scene: Scene) -> Records:
    """Each file with a head is one statement; of the others, each entry is."""
    del scene
    files = [place] if place.is_file() else sorted(place.rglob("*.md"))
    if not files:
        raise FileAccessError(f"there are no memory files in `{place}`")
    for path in files:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as err:
            yield Problem(where=path.name, what=f"can't be read: {err.strerror or err}")
            continue
        yield from _facts(path, text)


def _facts(path: Path, text: str) -> Records:
    ts_ms = int(path.stat().st_mtime * 1000)
    fields, body = head_of(text)
    meta = {"from": "claude", "file": path.name}
    if fields:
        kind, scope = _TYPES.get(fields.get("type", "").lower(), ("note", "project"))
        said = body.strip() or fields.get("description", "")
        if not said:
            yield Problem(where=path.name, what="it has a head and no text")
            return
        yield ForeignFact(
            text=said,
            title=fields.get("description") or fields.get("name", ""),
            type=kind,
            where=path.name,
            scope=scope,
            ts_ms=ts_ms,
            meta=meta,
        )
        return
    for note in notes(body):
        yield ForeignFact(
            text=note.text,
            type=note.type,
            where=f"{path.name} line {note.line}",
            tags=(note.heading.lower(),) if note.heading else (),
            ts_ms=ts_ms,
            meta=meta,
        )
