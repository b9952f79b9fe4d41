"""Facts that may contradict each other: where both would be shown, the newer one is, with a mark."""

from collections.abc import Iterable, Mapping

from codecairn.core.types.memory import ORIGINS, Fact

MAY_CONTRADICT = "may_contradict"
"""The member of a fact's `meta` with the ids of older facts, separated by commas. The core writes it, but so may whoever
writes a fact or a packet: see `shown_together`."""


def rivals(fact: Fact, among: Mapping[str, Fact]) -> list[Fact]:
    """The older facts of the same type and scope, of those given by id, that a fact may contradict."""
    named = fact.meta.get(MAY_CONTRADICT, "").split(", ")
    found = (among[id_] for id_ in named if id_ in among and id_ != fact.id)
    return [each for each in found if (each.type, each.scope) == (fact.type, fact.scope)]


def shown_together(facts: Iterable[Fact]) -> tuple[list[Fact], dict[str, str]]:
    """The facts to show, and a mark for each of them that may contradict others, by id.

    An older fact is left out, unless it is pinned or of an origin that is trusted more: an agent, a repository or a packet
    hides nothing that a person said.
    """
    given = {fact.id: fact for fact in facts}
    hidden: set[str] = set()
    marks: dict[str, str] = {}
    for fact in given.values():
        older = [each for each in rivals(fact, given) if each.id not in hidden]
        if older and fact.id not in hidden:
            marks[fact.id] = f"differs from {', '.join(each.id for each in older)}"
            hidden.update(each.id for each in older if _may_hide(fact, each))
    return [fact for fact in given.values() if fact.id not in hidden], marks


def _may_hide(newer: Fact, older: Fact) -> bool:
    return not older.is_pinned and ORIGINS.index(newer.origin) >= ORIGINS.index(older.origin)
