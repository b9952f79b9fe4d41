"""The arguments of the core as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codecairn.core.types.embedding import Spending

KINDS = (
    "function",
    "method",
    "class",
    "interface",
    "struct",
    "enum",
    "trait",
    "type",
    "module",
    "constant",
    "section",
    "block",
)
"""Normalised kinds of a chunk, as shown and as filtered by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How a store is opened. `writer` names this process to others that find the store locked."""

    root: Path
    store: Path
    embedder: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    read_only: bool
    writer: str
    user_ignore: Path | None
    outside: tuple[str, int] | None = None
    """The name and the dimensions of the space whose vectors are made outside."""
    scip: str = ""
    """The file of a SCIP index, relative to the root; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What one answer from outside brought: vectors (float32, little-endian) and failures by hash, and its cost."""

    spending: "Spending"
    vectors: Sequence[tuple[bytes, bytes]] = ()
    failures: Sequence[tuple[bytes, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOptions:
    """Which records may answer a question to the memory. The core reads the fields by name.

    Attributes:
        limit: How many at most.
        facts: Whether to return facts.
        events: Whether to return events.
        filter: The conditions on facts, by the names of the core's `FactFilter`.
        session: Only events of this session.
        since_ms: Only records since this time.
        until_ms: Only records at or before this time.
        least_evidence: The minimum evidence, from 0 to 1.
        is_overview: Whether hits should come from many sessions.
        prefers_new: Whether newer records rank higher.
        around_ms: A period, from and to, whose records rank higher.
    """

    limit: int
    facts: bool = True
    events: bool = True
    filter: Mapping[str, object]
    session: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    least_evidence: float
    is_overview: bool = False
    prefers_new: bool = False
    around_ms: tuple[int, int] | None = None
