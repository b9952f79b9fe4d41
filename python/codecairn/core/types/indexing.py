"""Reports of indexing, and the preview of it."""

from typing import TYPE_CHECKING

from codecairn.core.light_dataclass import dataclass

if TYPE_CHECKING:
    from codecairn.core.types.embedding import EmbeddingEstimate, EmbeddingReport, ProviderEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """A file that is indexed by lines alone, as parsing it ended a process; with the name of the signal."""

    path: str
    signal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What one run of indexing did; `files` and `chunks` are totals of the branch afterwards.

    `parsed` are the texts that had to be parsed: what an earlier run had stored is not, even if that run was broken off.
    `reused` are those for which what another store had read was taken; `rejected` were parsed because that did not fit.
    `crashed` are files of the branch, of a run over all files; of one over some paths it is empty.
    """

    branch: str
    files: int
    added: int
    modified: int
    removed: int
    renamed: int
    unchanged: int
    parsed: int
    reused: int = 0
    rejected: int = 0
    chunks: int
    new_chunks: int
    embedded: int
    pending: int
    skipped: int
    size_bytes: int
    seconds: float
    diagnostics: int
    crashed: "tuple[Crash, ...]" = ()
    embedding: "EmbeddingReport | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPreview:
    """What indexing would do; nothing was written.

    Attributes:
        tokens: Tokens of the texts to embed, estimated at four bytes each.
        seconds: How long indexing would take here, estimated from how long looking ahead took.
        embedding: What the configured provider's part would be; `None` without one.
        providers: What having the texts embedded would take elsewhere.
    """

    branch: str
    added: tuple[str, ...]
    modified: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    size_bytes: int
    chunks: int
    texts: int
    tokens: int
    seconds: float = 0.0
    embedding: "EmbeddingEstimate | None" = None
    providers: tuple["ProviderEstimate", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A file that is not indexed, and why."""

    path: str
    reason: str
    detail: str
