"""Estimate, report and status of remote embedding."""

from collections.abc import Sequence

from codecairn.core.light_dataclass import dataclass


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
class Delivery:
    """What one answer from outside brought: vectors (float32, little-endian) and failures by hash, and its cost."""

    spending: Spending
    vectors: Sequence[tuple[bytes, bytes]] = ()
    failures: Sequence[tuple[bytes, str]] = ()


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
    """The remote embedder, its progress and its remaining budget; 0 means no budget."""

    space: str
    destination: str
    state: OutsideState
    max_tokens: int
    max_usd: float
