"""Finds the older facts that new ones contradict: one request for all of them, and only offered ids count."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from codecairn.core.light_dataclass import dataclass
from codecairn.core.recall_options import RecallOptions
from codecairn.core.types.memory import Fact
from codecairn.llm.chain import Chain, Unreadable
from codecairn.llm.provider import Reply
from codecairn.memory.extract import prompts
from codecairn.memory.extract.model_answer import objects_in, says_nothing
from codecairn.memory.recall import MIN_EVIDENCE

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

MAX_CANDIDATES = 25
_FOR_EACH = 5
_MAX_CHARS = 400

NEVER_COMPARED = frozenset(
    {"session-summary", "progress", "active-context", "conversation", "file-activity"}
)
"""Types that end by themselves, or never."""

_LABEL = re.compile(r"[NC]\d{1,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """An older fact that no longer holds."""

    old: str
    new: str
    reason: str


def resolve(memory: "Memory", chain: Chain, new_ids: Sequence[str]) -> list[Ended]:
    """End what the new facts contradict; returns what was ended.

    What is pinned, and what a person said, is never even shown: only they can take it back.

    Raises:
        ProviderError: If no model could be asked.
        BudgetExhausted: If it may cost too much.
    """
    new = [fact for fact in _facts(memory, new_ids) if fact.type not in NEVER_COMPARED]
    offered = {fact.id: candidates(memory, fact) for fact in new}
    old = list({each.id: each for found in offered.values() for each in found}.values())
    old = [fact for fact in old if fact.id not in offered][:MAX_CANDIDATES]
    if not old:
        return []
    new_labels = {f"N{at}": fact for at, fact in enumerate(new, 1)}
    old_labels = {f"C{at}": fact for at, fact in enumerate(old, 1)}
    ended, _ = chain.ask(
        prompts.contradiction(_lines(new_labels), _lines(old_labels)),
        purpose="contradiction",
        read=lambda reply: _ended(reply, new_labels, old_labels),
    )
    return [each for each in ended if _was_offered(each, offered) and _end(memory, each)]


def candidates(memory: "Memory", fact: Fact) -> list[Fact]:
    """Older facts that a new one may end: similar, of the same scope, not by a person, not pinned."""
    # The fact is no question: a time in it narrows nothing.
    wanted = RecallOptions(
        limit=4 * _FOR_EACH, events=False, filter={}, least_evidence=MIN_EVIDENCE
    )
    found = memory.engine().recall(fact.text[:1000], wanted)
    alike = [each.fact for each in found if each.fact is not None]
    return [each for each in alike if _may_end(fact, each)][:_FOR_EACH]


def _may_end(new: Fact, old: Fact) -> bool:
    is_guarded = old.is_pinned or old.origin == "user" or old.type in NEVER_COMPARED
    is_same_place = (old.scope, old.project) == (new.scope, new.project)
    return not is_guarded and is_same_place and old.id != new.id and old.state == "live"


def _facts(memory: "Memory", ids: Sequence[str]) -> list[Fact]:
    return [
        each
        for each in memory.get(*dict.fromkeys(ids))
        if isinstance(each, Fact) and each.state == "live"
    ]


def _lines(labels: dict[str, Fact]) -> str:
    return "\n".join(
        f"{label} ({fact.type}): {' '.join(fact.text.split())[:_MAX_CHARS]}"
        for label, fact in labels.items()
    )


def _ended(reply: Reply, new: dict[str, Fact], old: dict[str, Fact]) -> list[Ended]:
    rows = [row for row in objects_in(reply.text) if "old" in row]
    if not rows and not says_nothing(reply.text):
        raise Unreadable("no list of ended statements in " + repr(reply.text[:80]))
    found: dict[str, Ended] = {}
    for row in rows:
        old_fact, new_fact = old.get(_label(row.get("old"))), new.get(_label(row.get("new")))
        if old_fact is not None and new_fact is not None:
            reason = " ".join(str(row.get("reason") or "").split())[:200]
            ended = Ended(old=old_fact.id, new=new_fact.id, reason=reason)
            found.setdefault(old_fact.id, ended)
    return list(found.values())


def _label(value: object) -> str:
    match = _LABEL.search(str(value))
    return match[0] if match else ""


def _was_offered(ended: Ended, offered: dict[str, list[Fact]]) -> bool:
    return any(fact.id == ended.old for fact in offered.get(ended.new, ()))


def _end(memory: "Memory", ended: Ended) -> bool:
    return bool(memory.engine().supersede(ended.new, [ended.old], reason=ended.reason))
