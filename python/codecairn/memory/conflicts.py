"""Facts that may contradict each other: where both would be shown, the newer one is, with a mark."""

from collections.abc import Iterable, Mapping

from codecairn.core.memory_engine import conflicts
from codecairn.core.types.memory import Fact


def rivals(facts: Iterable[Fact]) -> dict[str, tuple[Fact, ...]]:
    """The older facts that each fact may contradict, among these, by id."""
    given = {fact.id: fact for fact in facts}
    found = conflicts(given.values()).rivals
    return {id_: tuple(given[other] for other in others) for id_, others in found.items()}


def shown_together(facts: Iterable[Fact]) -> tuple[list[Fact], Mapping[str, str]]:
    """The facts to show, and a mark for each of them that may contradict others, by id."""
    given = {fact.id: fact for fact in facts}
    found = conflicts(given.values())
    hidden = frozenset(found.hidden)
    return [fact for fact in given.values() if fact.id not in hidden], found.marks
