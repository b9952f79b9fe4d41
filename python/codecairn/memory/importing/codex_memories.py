"""Codex's own memories: `MEMORY.md`, summaries of rollouts, and notes that a user asked it to keep."""

from collections.abc import Iterator
from pathlib import Path

from codecairn.errors import FileAccessError
from codecairn.memory.importing.markdown import Note, head_of, notes, sections
from codecairn.memory.importing.records import ForeignFact, Problem, Records, Scene

_NOTES = "extensions/ad_hoc/notes"
_SUMMARIES = "rollout_summaries"


def usual_place(home: Path) -> Path:
    """Where it keeps them."""
    return home / ".codex" / "memories"


def read(place: Path, scene: Scene) -> Records:
    """What concerns this project by its path or name, and the person's own notes, which concern all."""
    files = [place] if place.is_file() else sorted(place.rglob("*.md"))
    if not files:
        raise FileAccessError(f"there are no memories in `{place}`")
    marks = scene.of or (str(scene.root), str(scene.root.resolve()))
    passed_over = 0
    for path in files:
        name = path.name if place.is_file() else path.relative_to(place).as_posix()
        if name == "raw_memories.md":
            continue  # what the others were made from
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
            ts_ms = int(path.stat().st_mtime * 1000)
        except OSError as err:
            yield Problem(where=name, what=f"can't be read: {err.strerror or err}")
            continue
        for part, fact in _parts(name, text, ts_ms):
            if part is None or _concerns(part, marks):
                yield fact
            else:
                passed_over += 1
    if passed_over:
        what = f"{passed_over} entries do not name this project and were passed over (choose with `--of`)"
        yield Problem(where=str(place), what=what)


def _parts(name: str, text: str, ts_ms: int) -> Iterator[tuple[str | None, ForeignFact]]:
    """The facts of a file, each with the text that must name the project; `None` where it concerns all."""
    whole = Note(text=text.strip(), heading="", line=1)
    if name.startswith(_NOTES):
        said = head_of(text)[1].strip()
        if said:
            note = Note(text=said, heading="", line=1)
            yield None, _fact(name, note, ts_ms, kind="note", scope="user")
    elif name.startswith(_SUMMARIES):
        yield text, _fact(name, whole, ts_ms, kind="session-summary")
    else:
        for section in sections(head_of(text)[1]):
            part = f"# {section.heading}\n{section.text}"
            for note in notes(part):
                placed = Note(
                    text=note.text, heading=note.heading, line=section.line + note.line - 1
                )
                yield part, _fact(name, placed, ts_ms, kind=placed.type)


def _concerns(text: str, marks: tuple[str, ...]) -> bool:
    return any(mark in text for mark in marks)


def _fact(name: str, note: Note, ts_ms: int, *, kind: str, scope: str = "project") -> ForeignFact:
    return ForeignFact(
        text=note.text,
        type=kind,
        where=f"{name} line {note.line}",
        scope=scope,
        subject=f"rollout {name}".lower() if kind == "session-summary" else "",
        predicate="summary" if kind == "session-summary" else "",
        ts_ms=ts_ms,
        meta={"from": "codex", "file": name},
    )
