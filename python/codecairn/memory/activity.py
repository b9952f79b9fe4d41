"""The recent activity of a memory: events, facts that began and ended, injections, calls of models."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import Event, Fact, Injection
from codecairn.llm.cost_log import Cost
from codecairn.memory.excerpts import one_line, shortened
from codecairn.memory.extract.event_window import is_own

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

KINDS = ("event", "fact", "shown", "model")
"""What an activity may be about."""

_TITLE_TOKENS = 30
_SESSIONS = 50
_VERSIONS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """One thing that happened.

    Attributes:
        ts_ms: When.
        kind: One of `KINDS`.
        what: An event's category; "added", "changed" or "superseded" for a fact, and nothing of what is forgotten; where
            something was shown; what a model was asked for.
        id: The event or the fact, the session that was shown something, or the model.
        title: A few words.
        count: Items that were shown, or tokens that a model took and gave; 0 for events and facts.
    """

    ts_ms: int
    kind: str
    what: str
    id: str
    title: str
    count: int = 0


def lately(
    memory: "Memory",
    costs: Iterable[Cost],
    *,
    limit: int,
    kinds: Sequence[str] = (),
    with_private: bool = False,
) -> tuple[Activity, ...]:
    """The latest activities of a project, the newest first."""
    parts = {
        "event": lambda: _events(memory.events(limit=limit * 2, with_private=with_private)),
        "fact": lambda: _facts(_versions(memory, with_private=with_private)),
        "shown": lambda: _shown(_injections(memory)),
        "model": lambda: _calls(costs),
    }
    found = [each for kind in kinds or KINDS for each in parts[kind]()]
    found.sort(key=lambda each: each.ts_ms, reverse=True)
    return tuple(found[:limit])


def _events(events: Iterable[Event]) -> Iterator[Activity]:
    for event in events:
        if not is_own(event):
            yield Activity(
                ts_ms=event.ts_ms,
                kind="event",
                what=event.category,
                id=event.id,
                title=_title(event.title or event.body or event.command or event.path),
            )


def _versions(memory: "Memory", *, with_private: bool) -> Sequence[Fact]:
    return memory.list(limit=_VERSIONS, with_history=True, with_private=with_private)


def _facts(versions: Iterable[Fact]) -> Iterator[Activity]:
    for fact in versions:
        title = _title(fact.title or fact.text)
        made = "added" if fact.version == 1 else "changed"
        yield Activity(ts_ms=fact.recorded_ms, kind="fact", what=made, id=fact.id, title=title)
        ended_ms = fact.retracted_ms or fact.invalid_at_ms
        if fact.state == "superseded" and ended_ms is not None:
            yield Activity(ts_ms=ended_ms, kind="fact", what=fact.state, id=fact.id, title=title)


def _injections(memory: "Memory") -> Iterator[tuple[str, Injection]]:
    for session in memory.sessions(limit=_SESSIONS):
        for injection in memory.engine().injections(session.id):
            yield session.id, injection


def _shown(injections: Iterable[tuple[str, Injection]]) -> Iterator[Activity]:
    for session, injection in injections:
        if injection.items:
            yield Activity(
                ts_ms=injection.ts_ms,
                kind="shown",
                what=injection.placement,
                id=session,
                title=" ".join(item.id for item in injection.items),
                count=len(injection.items),
            )


def _calls(costs: Iterable[Cost]) -> Iterator[Activity]:
    for cost in costs:
        yield Activity(
            ts_ms=cost.ts_ms,
            kind="model",
            what=cost.purpose if cost.is_ok else f"{cost.purpose}, failed",
            id=f"{cost.provider}:{cost.model}",
            title=f"${cost.micro_usd / 1e6:.4f}",
            count=cost.tokens,
        )


def _title(text: str) -> str:
    return shortened(one_line(text), _TITLE_TOKENS)
