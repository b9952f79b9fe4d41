"""Facts that a person should look at: contradicted, stale, or unconfirmed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import AnchorStatus, Fact
from codecairn.memory.conflicts import rivals

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

CONFIRMED = "confirmed"
"""The tag of a fact that a person has confirmed."""

_EXTRACTED = frozenset(("rule", "model"))
_NO_STATEMENTS = frozenset(("session-summary", "file-activity", "conversation"))
_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """A fact to look at.

    Attributes:
        fact: The fact.
        reason: "contradicts", of a fact that may contradict older ones; "stale", whose code has changed or is gone;
            "provisional", extracted by a rule or a model and unconfirmed.
        others: The facts that it may contradict.
        standing: What became of its code.
    """

    fact: Fact
    reason: str
    others: tuple[Fact, ...] = ()
    standing: AnchorStatus


def to_review(memory: "Memory", *, limit: int) -> tuple[ReviewItem, ...]:
    """The facts to look at: contradictions first, then the stale, then the provisional; each the newest first."""
    facts = memory.list(limit=_LOOKED_AT)
    standings = memory.standings(*facts)
    older = rivals(facts)
    items = [
        item
        for fact, standing in zip(facts, standings, strict=True)
        for item in _items(fact, standing, older.get(fact.id, ()))
    ]
    order = ("contradicts", "stale", "provisional")
    return tuple(sorted(items, key=lambda item: order.index(item.reason))[:limit])


def _items(fact: Fact, standing: AnchorStatus, others: tuple[Fact, ...]) -> Iterator[ReviewItem]:
    if others and CONFIRMED not in fact.tags:
        yield ReviewItem(fact=fact, reason="contradicts", others=others, standing=standing)
    elif standing.state == "changed" or (standing.is_stale and CONFIRMED not in fact.tags):
        yield ReviewItem(fact=fact, reason="stale", standing=standing)
    elif is_provisional(fact):
        yield ReviewItem(fact=fact, reason="provisional", standing=standing)


def is_provisional(fact: Fact) -> bool:
    """Whether a rule or a model drew a fact from a session, and no person has confirmed it."""
    is_statement = fact.maker in _EXTRACTED and fact.type not in _NO_STATEMENTS
    return is_statement and CONFIRMED not in fact.tags and not fact.is_pinned


def keep(memory: "Memory", item: ReviewItem) -> None:
    """A person confirms a fact, of its code as it is now."""
    fact = item.fact
    now = [looked.now for looked in item.standing.looked if looked.now is not None]
    if item.standing.is_stale and now:
        symbols = [f"{symbol.path}::{symbol.name}" for symbol in now]
        memory.add(fact.text, type=fact.type, scope=fact.scope, symbols=symbols)
    memory.update(fact.id, tags=[*fact.tags, CONFIRMED], reason="confirmed in a review")


def change(memory: "Memory", fact: Fact, text: str) -> None:
    """A person gives a fact other words."""
    memory.update(fact.id, text=text, tags=[*fact.tags, CONFIRMED], reason="changed in a review")


def replace_others(memory: "Memory", item: ReviewItem) -> None:
    """A person says that a fact ends those that it may contradict."""
    fact = item.fact
    supersedes = [other.id for other in item.others]
    memory.add(fact.text, type=fact.type, scope=fact.scope, supersedes=supersedes)


def end(memory: "Memory", fact: Fact) -> None:
    """A person ends a fact; it stays in its history."""
    memory.forget(fact.id, reason="ended in a review")
