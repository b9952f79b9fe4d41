"""How the core opens a store, and the kinds of chunks that it knows."""

from pathlib import Path

from codecairn.core.light_dataclass import dataclass

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

CLASS_KINDS = frozenset(("class", "interface", "struct", "enum", "trait"))
"""Those of them that have members."""


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
    vector_method: str = "auto"
    """How the nearest vectors are found: auto, exact, sketch or hnsw."""
