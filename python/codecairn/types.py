"""What operations return: plain frozen data, without a reference to the store it came from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from codecairn.origins import BaseState, Blame

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


OBSTACLES = ("read-only", "disk-full")
"""What may keep a store from taking in changes, beside another process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """One feature's part in a hit's score."""

    feature: str
    value: float
    part: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One place in the code. `path` is relative to the root with `/`; lines are 1-based and inclusive.

    `text` is what was indexed, with the lines of context that were asked for; it begins at
    `context_start_line`, which equals `start_line` without context. `base` names the knowledge base, or the one of
    several workspaces, that holds it: then `path` is absolute unless it lies below the root. `blame` is there if asked for.
    """

    path: str
    start_line: int
    end_line: int
    kind: str
    name: str
    language: str
    score: float
    text: str
    context_start_line: int
    breadcrumb: str = ""
    contributions: tuple[Contribution, ...] = ()
    base: str = ""
    blame: Blame | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult(Sequence[Hit]):
    """Hits, best first, and how fresh they are. Behaves as a sequence of its hits.

    Attributes:
        query: What was asked.
        branch: The git branch searched, `@<sha>` when detached, empty without git.
        hits: The hits, best first.
        stale: Paths of hits whose file changed or vanished since it was indexed.
        unchecked: How many files may have changed without having been looked at; `None` if nobody looked.
        locked: Whether another process was writing, so that changes could not be taken in.
        obstacle: Why the store could not be written, so that changes could not be taken in: "read-only" or
            "disk-full"; empty if nothing was in the way.
        notes: What else to know about how the hits were found, such as a provider that did not answer.
    """

    query: str
    branch: str
    hits: tuple[Hit, ...]
    stale: tuple[str, ...] = ()
    unchecked: int | None = None
    locked: bool = False
    obstacle: str = ""
    notes: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What one run of indexing did; `files` and `chunks` are totals of the branch afterwards.

    `parsed` are the texts that had to be parsed: what an earlier run had stored is not, even if that run was broken off.
    """

    branch: str
    files: int
    added: int
    modified: int
    removed: int
    renamed: int
    unchanged: int
    parsed: int
    chunks: int
    new_chunks: int
    embedded: int
    pending: int
    skipped: int
    size_bytes: int
    seconds: float
    diagnostics: int
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
class Freshness:
    """How far a refresh came.

    Attributes:
        state: "fresh", "partial" (the budget ran out), "locked", "read-only" or "disk-full".
        changed: Files that were brought up to date.
        unchecked: Files known to have changed but not indexed yet, or not looked at.
        seconds: How long it took.
    """

    state: str
    changed: int
    unchecked: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageShare:
    """How much of a branch is in one language."""

    language: str
    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of a workspace's index; `spending` is what was paid so far, by vector space or reranker."""

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
    store_bytes: int
    segments: int
    embedder: str
    dimensions: int
    indexed_at_ns: int
    indexing: str
    notes: tuple[str, ...]
    embedding: "EmbeddingStatus | None" = None
    spending: "tuple[tuple[str, Spending], ...]" = ()
    knowledge: tuple[BaseState, ...] = ()

    @property
    def spent(self) -> "Spending":
        """What was paid to providers and rerankers in all."""
        return total_of(self.spending)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What was paid: answered requests, texts sent, tokens charged, millionths of a US dollar."""

    requests: int = 0
    texts: int = 0
    tokens: int = 0
    micro_usd: int = 0

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(
            requests=self.requests + other.requests,
            texts=self.texts + other.texts,
            tokens=self.tokens + other.tokens,
            micro_usd=self.micro_usd + other.micro_usd,
        )

    @property
    def usd(self) -> float:
        """The cost in US dollars."""
        return self.micro_usd / 1_000_000


NOTHING_SPENT = Spending()
"""What costs nothing."""


def total_of(spending: "Sequence[tuple[str, Spending]]") -> Spending:
    """What was paid in all."""
    return sum((spent for _, spent in spending), NOTHING_SPENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideState:
    """How far the vectors of a provider have come.

    Attributes:
        texts: Texts of the branch that have their vector or wait for it.
        pending: Those that wait, the failed ones included.
        failures: Why texts could not be embedded, a line each.
        is_active: Whether searches use these vectors; before, they use the built-in model's.
    """

    texts: int
    pending: int
    failures: tuple[str, ...]
    is_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingReport:
    """What a provider was asked for by one run of indexing.

    Attributes:
        space: The vector space: provider, model, prompts and dimensions.
        destination: Where texts were sent.
        embedded: Texts that got their vector in this run.
        failed: Texts that could not be embedded; they are tried again by the next run.
        pending: Texts that still wait, the failed ones included.
        spending: What this run has cost.
        stopped: Why the run ended before all texts were done: "budget", "busy" (another process is embedding),
            "provider"; empty if it did not.
        detail: The reason in words, and what to do.
    """

    space: str
    destination: str
    embedded: int = 0
    failed: int = 0
    pending: int = 0
    spending: Spending = NOTHING_SPENT
    stopped: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingEstimate:
    """What embedding outside would take; `usd` is `None` where the price is not known."""

    space: str
    destination: str
    texts: int
    tokens: int
    usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderEstimate:
    """What a provider's own model would take for the texts that are new, by its list price and limits.

    Attributes:
        usd: What it would cost.
        seconds: How long it would take at least, as requests are spaced.
    """

    provider: str
    model: str
    usd: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingStatus:
    """Who embeds outside, how far that has come, and what it may still cost; 0 stands for no budget."""

    space: str
    destination: str
    state: OutsideState
    max_tokens: int
    max_usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A file that is not indexed, and why."""

    path: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something wrong with a store."""

    code: str
    detail: str
    repaired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GarbageReport:
    """What nothing refers to any more: removed, or counted when asked to look only.

    Attributes:
        branches: Branches that git no longer has.
        worktrees: Worktrees whose folder is gone; what was known of their files is forgotten.
        blobs: Contents that no branch has.
        chunks: Chunks that no content has.
        vectors: Stored vectors, which are those of providers, of texts that no chunk has.
        files: Derived files that are no longer used.
        copies: Copies of shared stores whose workspace is gone or that nobody has used for long.
        size_bytes: What all that takes on disk.
    """

    branches: int
    worktrees: int
    blobs: int
    chunks: int
    vectors: int
    files: int
    copies: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language that files are recognised as."""

    id: str
    name: str
    has_grammar: bool
