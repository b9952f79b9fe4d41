"""Writes statements as facts, with the origin, branch and time of their sources, and never more trusted than the least of them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from codecairn.core.types.memory import ORIGINS, Added, Event
from codecairn.memory.extract.model_answer import Statement
from codecairn.memory.extract.watermark import SUMMARISED, Receipt, Removed

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

_AGENT = ORIGINS.index("agent")


def keep(memory: "Memory", session: str, receipt: Receipt) -> list[Added]:
    """Keep a receipt's statements; returns the outcome of each, in order, without those that must not come again.

    Raises:
        Removed: If something was forgotten or purged since the receipt was read.
    """
    kept = []
    for statement in receipt.statements:
        sources = _sources(memory, session, statement)
        added = memory.engine().add(_fact(statement, sources, session, receipt))
        if added.id:
            kept.append(added)
        elif memory.engine().removals() != receipt.removals:
            raise Removed
    return kept


def origin_of(events: Sequence[Event]) -> str:
    """Where a statement of a model comes from: from the least trusted of its sources, and at best from an agent."""
    ranks = [ORIGINS.index(event.origin) for event in events]
    return ORIGINS[min([_AGENT, *ranks])]


def _sources(memory: "Memory", session: str, statement: Statement) -> list[Event]:
    """The events it rests on. After an import their numbers mean others, which are not of this session."""
    found = [memory.engine().event(f"E{number}") for number in statement.sources]
    return [event for event in found if event is not None and event.session == session]


def _fact(
    statement: Statement, sources: Sequence[Event], session: str, receipt: Receipt
) -> Mapping[str, object]:
    newest = max(sources, key=lambda event: event.seq, default=None)
    is_summary = receipt.hook == SUMMARISED
    fact: dict[str, object] = {
        "text": statement.text,
        "type": statement.type,
        "subject": statement.subject,
        "predicate": statement.predicate,
        "tags": ["summary"] if is_summary else ["extracted"],
        "origin": origin_of(sources),
        "maker": "model" if receipt.model else "rule",
        "confidence": statement.confidence,
        "session": session,
        "sources": [event.seq for event in sources],
        "meta": {"model": receipt.model} if receipt.model else {},
        "scope": "project",
        "removals": receipt.removals,
    }
    if newest is not None:
        fact |= {
            "branch": newest.branch,
            "commit": newest.commit,
            "valid_from_ms": newest.ts_ms,
        }
    return fact
