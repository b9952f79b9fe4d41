"""What was shown to agents, as the core tells it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A version of something that was shown to an agent."""

    id: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """What was shown to an agent at once.

    Attributes:
        placement: "static", "volatile" or "compaction".
        hash: The hash of its text.
        items: What it showed.
        tokens: About how many tokens it had.
        seq: The last event of the log when it was made.
        ts_ms: When.
    """

    placement: str
    hash: str
    items: tuple[Shown, ...]
    tokens: int
    seq: int
    ts_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptText:
    """A text that an agent is given again byte for byte; attributes as in `Injection`."""

    body: str
    items: tuple[Shown, ...]
    seq: int
    ts_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What an agent still has of what it was shown in a session.

    Attributes:
        items: Ids with their versions, since its context was last compacted.
        lost_seq: The last event of the log when that was; 0 if it never was.
    """

    items: frozenset[tuple[str, int]]
    lost_seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """One time that something was shown to an agent.

    Attributes:
        session: Its session.
        seq: The last event of the log then.
        placement: "static", "volatile" or "compaction".
        ts_ms: When.
    """

    session: str
    seq: int
    placement: str
    ts_ms: int
