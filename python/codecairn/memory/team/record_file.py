"""The files of a team's memory: one record a line, so a union of the lines merges any two branches.

A record is identified by the hash of its content, so a statement has the same name on every machine, and duplicate lines count
once. Lines are never changed or removed: a withdrawn record gets a *tombstone*. The latest line of a record decides; in a tie
the tombstone does.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import Any

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import FACT_TYPES
from codecairn.errors import FileAccessError
from codecairn.memory.importing.records import Problem
from codecairn.paths.store import GITIGNORE
from codecairn.paths.workspace_files import (
    append_inside,
    open_inside,
    read_inside,
    replace_inside,
    require_without_links,
)

FOLDER = "memory"
"""The folder below `.codecairn/` that git sees."""

_ATTRIBUTES = ".gitattributes"
_MERGE = "*.jsonl merge=union text eol=lf\n"
MAX_FILES = 64
"""Files of a team's folder that are read: there is one for each type of fact."""

MAX_FILE_BYTES = 8 * 1024 * 1024
"""A larger file is not read; it would hold more than ten thousand statements."""

MAX_LINE_BYTES = 64 * 1024
"""A longer line is none: a fact has at most as many."""

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
        origin: Its origin at the user who shared it.
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
        """The hash of its content."""
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
    """The state of a team's folder, `.codecairn/memory` of a workspace; empty if there is none.

    The files come with the repository. Only regular ones within the bounds above are read, and none through a link: what is
    not read is among the problems.
    """
    latest: dict[str, tuple[int, Shared | None]] = {}
    problems: list[Problem] = []
    for path in _files(folder, problems):
        for number, line in enumerate(_lines(folder, path, problems), 1):
            if not line.strip():
                continue
            try:
                _require_short(line)
                for id_, at_ms, shared in _entries(line):
                    latest[id_] = _later(latest.get(id_), (at_ms, shared))
            except ValueError as err:
                problems.append(Problem(where=f"{path.name} line {number}", what=str(err)))
    shared_by_id = {id_: record for id_, (_, record) in latest.items() if record is not None}
    withdrawn = frozenset(id_ for id_, (_, record) in latest.items() if record is None)
    return State(shared=shared_by_id, withdrawn=withdrawn, problems=tuple(problems))


def _files(folder: Path, problems: list[Problem]) -> list[Path]:
    """The files of the folder, at most `MAX_FILES` of them."""
    try:
        require_without_links(_root(folder), folder)
        if not folder.is_dir():
            return []
        with os.scandir(folder) as entries:
            names = (entry.name for entry in entries if entry.name.endswith(".jsonl"))
            found = nsmallest(MAX_FILES + 1, names)
    except OSError as err:
        problems.append(Problem(where=folder.name, what=f"not read: {err.strerror or err}"))
        return []
    if len(found) > MAX_FILES:
        problems.append(Problem(where=folder.name, what=f"only {MAX_FILES} of its files are read"))
    return [folder / name for name in found[:MAX_FILES]]


def _lines(folder: Path, path: Path, problems: list[Problem]) -> list[str]:
    try:
        content = read_inside(_root(folder), path, max_bytes=MAX_FILE_BYTES, follow_links=False)
    except OSError as err:
        problems.append(Problem(where=path.name, what=f"not read: {err.strerror or err}"))
        return []
    return content.decode("utf-8", "replace").splitlines()


def _root(folder: Path) -> Path:
    """The root of the workspace that the folder belongs to."""
    return folder.parent.parent


def _require_short(line: str) -> None:
    if len(line) > MAX_LINE_BYTES:
        message = f"it has more than {MAX_LINE_BYTES:,} characters"
        raise ValueError(message)


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
    """The action of a line and the ids that it concerns."""
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
            if os.path.lexists(path) and not _ends_with_line(folder, path):
                text = "\n" + text
            append_inside(_root(folder), path, text.encode("utf-8", "replace"))
    except OSError as err:
        raise FileAccessError(f"can't write `{folder}`: {err.strerror or err}") from err


def _prepare(folder: Path) -> None:
    """The folder, with what makes git see it and merge it by taking the lines of both sides. No part of it is a link."""
    store, root = folder.parent, _root(folder)
    for path in (folder, store / ".gitignore", folder / _ATTRIBUTES):
        require_without_links(root, path)
    store.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)
    ignore = store / ".gitignore"
    rules = (
        read_inside(root, ignore, max_bytes=MAX_FILE_BYTES).decode("utf-8", "replace").splitlines()
        if ignore.exists()
        else []
    )
    missing = [rule for rule in GITIGNORE.splitlines() if rule not in rules]
    if missing:
        replace_inside(root, ignore, ("\n".join([*rules, *missing]) + "\n").encode("utf-8"))
    attributes = folder / _ATTRIBUTES
    if not attributes.exists():
        replace_inside(root, attributes, _MERGE.encode("utf-8"))


def _ends_with_line(folder: Path, path: Path) -> bool:
    """Whether a file is empty or ends with a line's end."""
    with open_inside(_root(folder), path, follow_links=False) as file:
        size = file.seek(0, os.SEEK_END)
        if not size:
            return True
        file.seek(size - 1)
        return file.read(1) == b"\n"
