"""Records of other tools in one form before they are stored, and unreadable ones with their location."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeAlias

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import FACT_TYPES

MAX_TEXT_BYTES = 64 << 10
"""A fact longer than this is a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """For whom is read.

    Attributes:
        root: The workspace's root.
        home: The user's home folder.
        of: The names or tags that the other tool knows this project by; empty for the usual ones.
        now_ms: The time.
    """

    root: Path
    home: Path
    of: tuple[str, ...]
    now_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignFact:
    """A statement of another tool. `ended` means that it was no longer valid there; `ended_by` is the text that ended it."""

    text: str
    type: str
    where: str
    scope: str = "project"
    title: str = ""
    tags: tuple[str, ...] = ()
    subject: str = ""
    predicate: str = ""
    origin: str = "agent"
    ts_ms: int | None = None
    is_private: bool = False
    ended: bool = False
    meta: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """What it is called here: the same for the same content, wherever it comes from."""
        mark = json.dumps([self.type, self.scope, self.text.strip()], ensure_ascii=False)
        return "f" + hashlib.sha256(mark.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignEvent:
    """Something that another tool recorded. `key` is the same each time, so that it is taken in once."""

    session: str
    key: str
    where: str
    body: str
    role: str
    ts_ms: int | None = None
    host: str = ""
    model: str = ""
    tool: str = ""
    command: str = ""
    path: str = ""
    exit_code: int | None = None
    origin: str | None = None
    branch: str = ""
    is_private: bool = False
    parent_session: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An unreadable record: its location and the error."""

    where: str
    what: str


Foreign: TypeAlias = ForeignFact | ForeignEvent | Problem
Records: TypeAlias = Iterator[Foreign]


def known_type(name: object, *, aliases: Mapping[str, str], default: str) -> str:
    """One of our types for another tool's word."""
    plain = str(name or "").strip().lower().replace("_", "-").replace(" ", "-")
    plain = aliases.get(plain, plain)
    return plain if plain in FACT_TYPES else default


def moment(value: object) -> int | None:
    """Milliseconds since 1970 for what tools write: milliseconds, seconds, or a date; `None` for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        is_seconds = abs(value) < 1e11
        ms = int(value * 1000 if is_seconds else value)
        return ms if 0 < ms < 1e14 else None
    try:
        found = datetime.fromisoformat(str(value).strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    found = found if found.tzinfo is not None else found.replace(tzinfo=timezone.utc)
    return max(0, int(found.timestamp() * 1000))


def bullets(value: object) -> list[str]:
    """The entries of a JSON array of texts, or of a text with one; none of anything else."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [str(value)]
    if isinstance(value, list):
        return [str(each).strip() for each in value if str(each).strip()]
    return [value.strip()] if isinstance(value, str) and value.strip() else []
