"""Explains a memory: its author, its sources, its later versions, and why a query finds it."""

from codecairn.core.types.memory import AnchorStatus, Event, Fact, Why
from codecairn.errors import UsageError
from codecairn.memory.memory import Memory
from codecairn.memory.recall import MIN_EVIDENCE

_MAX_SHOWN = 20
_LOOKED_AT = 200


def why(memory: Memory, id_: str, *, query: str | None = None) -> Why:
    """Explain a fact or an event; with a query, also its score and place among the answers.

    Raises:
        UsageError: If there is no such fact or event.
    """
    (item,) = memory.get(id_)
    versions: tuple[Fact, ...] = ()
    sources: tuple[Event, ...] = ()
    standing = AnchorStatus()
    if isinstance(item, Fact):
        versions = memory.history(item.id)
        sources = tuple(each for seq in item.sources if (each := _event(memory, seq)) is not None)
        (standing,) = memory.standings(item)
    else:
        sources = (item,)
    rank, found = None, None
    if query is not None:
        answers = memory.recall(query, limit=_LOOKED_AT, with_private=item.is_private, evidence=0.0)
        for place, answer in enumerate(answers, start=1):
            if answer.id == item.id:
                found = answer
                rank = place if answer.evidence >= MIN_EVIDENCE else None
    return Why(
        id=item.id,
        versions=versions,
        sources=sources,
        standing=standing,
        shown=memory.engine().shown(item.id, limit=_MAX_SHOWN),
        rank=rank,
        found=found,
    )


def _event(memory: Memory, seq: int) -> Event | None:
    try:
        (event,) = memory.get(f"E{seq}")
    except UsageError:
        # It was purged.
        return None
    return event if isinstance(event, Event) else None
