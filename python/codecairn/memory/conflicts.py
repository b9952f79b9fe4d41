"""Facts that may contradict each other: the newest one is shown, with a mark."""

from collections.abc import Iterable
from dataclasses import replace

from codecairn.core.types.memory import Fact

MAY_CONTRADICT = "may_contradict"
"""The member of a fact's `meta` that names the older facts, separated by commas; the core writes it."""

_INSTEAD_OF = "instead_of"


def newest(facts: Iterable[Fact]) -> list[Fact]:
    """The facts without those that a newer one among them may contradict; the newer one is marked, see `conflict`."""
    known = {fact.id: fact for fact in facts}
    older: set[str] = set()
    shown = dict(known)
    for fact in known.values():
        rivals = [id_ for id_ in _rivals(fact) if id_ in known]
        if rivals:
            older.update(rivals)
            meta = dict(fact.meta) | {_INSTEAD_OF: ", ".join(rivals)}
            shown[fact.id] = replace(fact, meta=meta)
    return [fact for id_, fact in shown.items() if id_ not in older]


def conflict(fact: Fact) -> str:
    """What to say of a fact that `newest` put before others; empty for all that it did not."""
    instead = fact.meta.get(_INSTEAD_OF, "")
    return f"differs from {instead}" if instead else ""


def _rivals(fact: Fact) -> list[str]:
    return [id_ for id_ in fact.meta.get(MAY_CONTRADICT, "").split(", ") if id_]
