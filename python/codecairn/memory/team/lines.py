"""The team's files: one record a line, which any two branches can be merged by taking the lines of both.

A record goes by the hash of its content, so the same statement has the same name on every machine, and a line that
comes twice counts once. Nothing is ever changed or removed: what is taken back gets a *tombstone*. Of a statement's
lines the latest decides, and at the same moment the tombstone.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codecairn.errors import FileAccessError
from codecairn.memory.importing.records import Problem
from codecairn.paths.store import GITIGNORE
from codecairn.records import FACT_TYPES

FOLDER = "memory"
"""The folder below `.codecairn/` that git sees."""

_ATTRIBUTES = ".gitattributes"
_MERGE = "*.jsonl merge=union text eol=lf\n"
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A statement that a team shares.

    Attributes:
        text: The statement.
        type: What sort it is.
        title: A few words.
        tags: Words to find it by.
        subject: What it is about; see `Fact`.
        predicate: See `subject`.
        origin: Where it comes from, as whoever shared it knows.
        valid_from_ms: Since when it holds.
        at_ms: When it was shared.
        replaces: Ids of shared statements whose place it takes.
    """

    text: str
    type: str
    title: str = ""
    tags: tuple[str, ...] = ()
    subject: str = ""
    predicate: str = ""
    origin: str = "agent"
    valid_from_ms: int = 0
    at_ms: int = 0
    replaces: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The hash of what it says."""
        said = [self.type, self.text, self.subject, self.predicate]
        mark = json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return hashlib.sha256(mark).hexdigest()[:20]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What the files say: statements that are shared, ids of those that were taken back, and lines that are none."""

    shared: Mapping[str, Shared]
    withdrawn: frozenset[str]
    problems: tuple[Problem, ...]


def read(folder: Path) -> State:
    """The state of a team's folder; empty if there is none.

    Raises:
        FileAccessError: If a file can't be read.
    """
    latest: dict[str, tuple[int, Shared | None]] = {}
    problems: list[Problem] = []
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
        for number, line in enumerate(_text(path).splitlines(), 1):
            if not line.strip():
                continue
            try:
                for id_, at_ms, shared in _entries(line):
                    latest[id_] = _later(latest.get(id_), (at_ms, shared))
            except ValueError as err:
                problems.append(Problem(where=f"{path.name} line {number}", what=str(err)))
    shared_by_id = {id_: record for id_, (_, record) in latest.items() if record is not None}
    withdrawn = frozenset(id_ for id_, (_, record) in latest.items() if record is None)
    return State(shared=shared_by_id, withdrawn=withdrawn, problems=tuple(problems))


def share(folder: Path, records: Sequence[Shared]) -> None:
    """Add statements.

    Raises:
        FileAccessError: If the files can't be written.
    """
    lines: dict[str, list[Mapping[str, object]]] = {}
    for record in records:
        lines.setdefault(record.type, []).append(_document(record))
    _append(folder, lines)


def withdraw(folder: Path, records: Iterable[Shared], *, at_ms: int) -> None:
    """Add tombstones.

    Raises:
        FileAccessError: If the files can't be written.
    """
    lines: dict[str, list[Mapping[str, object]]] = {}
    for record in records:
        # A clock that runs behind must not let the statement outlive its tombstone.
        tombstone = {"tombstone": record.id, "at_ms": max(at_ms, record.at_ms)}
        lines.setdefault(record.type, []).append(tombstone)
    _append(folder, lines)


def _later(
    known: tuple[int, Shared | None] | None, found: tuple[int, Shared | None]
) -> tuple[int, Shared | None]:
    if known is None or found[0] > known[0]:
        return found
    return found if found[0] == known[0] and found[1] is None else known


def _entries(line: str) -> list[tuple[str, int, Shared | None]]:
    """What a line says of which ids."""
    if line.startswith(_CONFLICT):
        message = "a mark of a merge that was not finished"
        raise ValueError(message)
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as err:
        message = "it is no JSON"
        raise ValueError(message) from err
    if not isinstance(row, dict):
        message = "it is no object"
        raise ValueError(message)  # noqa: TRY004 - as the other lines that are none
    at_ms = row.get("at_ms")
    at_ms = at_ms if isinstance(at_ms, int) and at_ms > 0 else 0
    if isinstance(row.get("tombstone"), str):
        return [(row["tombstone"], at_ms, None)]
    record = _record(row, at_ms)
    if row.get("id") != record.id:
        message = f"its id is not the hash of what it says, which is `{record.id}`: a line is never changed"
        raise ValueError(message)
    return [(record.id, at_ms, record), *((old, at_ms, None) for old in record.replaces)]


def _record(row: Mapping[str, Any], at_ms: int) -> Shared:
    text, kind = row.get("text"), row.get("type")
    if not isinstance(text, str) or not text.strip():
        message = "it has no text"
        raise ValueError(message)
    if kind not in FACT_TYPES:
        message = f"its type is `{kind}`, which is none"
        raise ValueError(message)
    since = row.get("valid_from_ms")
    return Shared(
        text=text,
        type=kind,
        title=str(row.get("title") or ""),
        tags=_texts(row.get("tags")),
        subject=str(row.get("subject") or ""),
        predicate=str(row.get("predicate") or ""),
        origin=str(row.get("origin") or "agent"),
        valid_from_ms=since if isinstance(since, int) and since > 0 else at_ms,
        at_ms=at_ms,
        replaces=_texts(row.get("replaces")),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _document(record: Shared) -> Mapping[str, object]:
    """What is empty is left out: lines are read by people in reviews."""
    row: dict[str, object] = {"id": record.id, "type": record.type, "text": record.text}
    optional: Mapping[str, object] = {
        "title": record.title,
        "tags": list(record.tags),
        "subject": record.subject,
        "predicate": record.predicate,
        "replaces": list(record.replaces),
    }
    row |= {name: value for name, value in optional.items() if value}
    return row | {
        "origin": record.origin,
        "valid_from_ms": record.valid_from_ms,
        "at_ms": record.at_ms,
    }


def _append(folder: Path, lines: Mapping[str, Sequence[Mapping[str, object]]]) -> None:
    try:
        _prepare(folder)
        for name, rows in lines.items():
            path = folder / f"{name}.jsonl"
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            with path.open("ab") as file:
                if file.tell() and not path.read_bytes().endswith(b"\n"):
                    text = "\n" + text
                file.write(text.encode("utf-8", "replace"))
                file.flush()
                os.fsync(file.fileno())
    except OSError as err:
        raise FileAccessError(f"can't write `{folder}`: {err.strerror or err}") from err


def _prepare(folder: Path) -> None:
    """The folder, with what makes git see it and merge it by taking the lines of both sides."""
    store = folder.parent
    store.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)
    ignore = store / ".gitignore"
    rules = ignore.read_text(encoding="utf-8").splitlines() if ignore.exists() else []
    missing = [rule for rule in GITIGNORE.splitlines() if rule not in rules]
    if missing:
        ignore.write_text("\n".join([*rules, *missing]) + "\n", encoding="utf-8")
    attributes = folder / _ATTRIBUTES
    if not attributes.exists():
        attributes.write_text(_MERGE, encoding="utf-8")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as err:
        raise FileAccessError(f"can't read `{path}`: {err.strerror or err}") from err
