"""Reports of work on a memory."""

from dataclasses import dataclass

from codecairn.core.types.embedding import EmbeddingEstimate


@dataclass(slots=True, kw_only=True)
class WorkReport:
    """What was read, and what came of it.

    Attributes:
        sessions: Sessions in which something was done.
        windows: Stretches of the log that a model read.
        facts: Facts that are new.
        learned: Facts that the project's own files gave, which are read the first time.
        dropped: Statements of models that were none, or rested on nothing.
        superseded: Older facts that new ones ended.
        summaries: Summaries that were made.
        declined: Questions that every model refused; what was asked about stays in the log.
        waiting: Sessions in which something is left to do: they were active just now, or the run ended before.
        input_tokens: Tokens that went to models.
        output_tokens: Tokens that came from them.
        micro_usd: Their price in millionths of a dollar, as far as it is known.
        is_busy: Whether another process is at work, so that nothing was done.
        obstacle: Why the run ended early; empty if it did not.
        embedded: Texts that got a vector of the memory's provider.
        to_embed: Texts that still wait for one.
        embedding_tokens: Tokens that the provider charged.
        embedding_micro_usd: Their price in millionths of a dollar, as far as it is known.
        embedding_obstacle: Why embedding ended early; empty if it did not.
    """

    sessions: int = 0
    windows: int = 0
    facts: int = 0
    learned: int = 0
    dropped: int = 0
    superseded: int = 0
    summaries: int = 0
    declined: int = 0
    waiting: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    micro_usd: int = 0
    is_busy: bool = False
    obstacle: str = ""
    embedded: int = 0
    to_embed: int = 0
    embedding_tokens: int = 0
    embedding_micro_usd: int = 0
    embedding_obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What waits in one session."""

    session: str
    title: str
    events: int
    windows: int
    tokens: int
    is_quiet: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPlan:
    """What work would do.

    Attributes:
        destinations: Where text would go, in order: (address, model); none without a model.
        due: Sessions with something to read, the newest first.
        tokens: Tokens that would go to models, estimated on the high side.
        micro_usd: What they would cost at most, in millionths of a dollar; `None` if the price is not known.
        embedding: What the memory's provider would embed; `None` without one.
    """

    destinations: tuple[tuple[str, str], ...]
    due: tuple[Due, ...]
    tokens: int
    micro_usd: int | None
    embedding: EmbeddingEstimate | None = None
