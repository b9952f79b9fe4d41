"""The status of an index."""

from typing import TYPE_CHECKING

from codecairn.core.light_dataclass import dataclass

if TYPE_CHECKING:
    from codecairn.core.types.embedding import EmbeddingStatus, Spending
    from codecairn.core.types.indexing import Crash
    from codecairn.core.types.memory import MemoryEmbeddingStatus
    from codecairn.core.types.provenance import BaseState


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageShare:
    """How much of a branch is in one language."""

    language: str
    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of a workspace's index.

    Attributes:
        unparsed: Files that were cut by lines, all of them or in part, because parsing them would take too much time or
            memory; paths.
        crashed: Files that were cut by lines because parsing them ended a process.
        lossy: Files with a region that cannot be parsed, where definitions may be missing; paths.
        spending: What was paid so far, by vector space or reranker.
        memory_embedding: The provider that embeds the memory, and how far it has come; `None` without one.
        outgoing: What the settings have sent from this machine, a sentence each; empty by default.
        vector_method: How the nearest vectors are found, as the settings have it; a note says where that is not done.
    """

    root: str
    store: str
    branch: str
    head: str
    format: int
    generation: int
    files: int
    blobs: int
    chunks: int
    texts: int
    vectors: int
    pending: int
    symbols: int
    branches: tuple[tuple[str, int], ...]
    languages: tuple[LanguageShare, ...]
    skipped: tuple[tuple[str, int], ...]
    coarse: int
    unparsed: tuple[str, ...]
    crashed: "tuple[Crash, ...]" = ()
    store_bytes: int
    segments: int
    embedder: str
    dimensions: int
    indexed_at_ns: int
    indexing: str
    notes: tuple[str, ...]
    lossy: tuple[str, ...] = ()
    embedding: "EmbeddingStatus | None" = None
    spending: "tuple[tuple[str, Spending], ...]" = ()
    knowledge: "tuple[BaseState, ...]" = ()
    outgoing: tuple[str, ...] = ()
    memory_embedding: "MemoryEmbeddingStatus | None" = None
    vector_method: str = "auto"

    @property
    def spent(self) -> "Spending":
        """What was paid to providers and rerankers in all."""
        from codecairn.core.types.embedding import total_of

        return total_of(self.spending)


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language that files are recognised as."""

    id: str
    name: str
    has_grammar: bool
