"""Finds which of one's own facts an incoming statement of a team may contradict: by the memory's own judge, without ending any.

Facts that may speak of the same are put into a scratch memory as a person's statements, which nothing but a person ends, and the
incoming one is added to them. What the judge would have ended, or doubts, it names instead. The scratch memory lies in a folder of
mode 0700 in the user's data folder, and is removed. Cost: a recall and an addition for each statement, some milliseconds.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.recall_options import RecallOptions
from codecairn.core.types.memory import Fact
from codecairn.errors import UsageError
from codecairn.memory.recall import MIN_EVIDENCE
from codecairn.memory.team.record_file import Shared
from codecairn.paths import user
from codecairn.team.membership import FOLDER

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

_CANDIDATES = 20
_MAX_CHARS = 1_000
_SINGLETONS = frozenset({"progress", "active-context"})
"""Types of which one holds at a time: each would contradict the one before."""


def conflicts_with(
    memory: "Memory", statements: Mapping[str, Shared]
) -> Mapping[str, Sequence[str]]:
    """The ids of one's own facts that each statement may contradict; statements by the id that they get here."""
    candidates = {id_: _candidates(memory, each) for id_, each in statements.items()}
    compared = {id_: found for id_, found in candidates.items() if found}
    if not compared:
        return {}
    user.make_data_folder()
    base = user.data_folder() / FOLDER
    base.mkdir(mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="compare-", dir=base) as folder:
        options = replace(memory.engine().options, path=Path(folder) / "memory.db", spool=None)
        scratch = MemoryEngine(options)
        try:
            return _judged(scratch, statements, compared)
        finally:
            scratch.close()


def _judged(
    scratch: MemoryEngine,
    statements: Mapping[str, Shared],
    candidates: Mapping[str, Sequence[Fact]],
) -> Mapping[str, Sequence[str]]:
    own: dict[str, str] = {}
    for fact in {fact.id: fact for found in candidates.values() for fact in found}.values():
        added = scratch.add(
            {
                "text": fact.text,
                "type": fact.type,
                "subject": fact.subject,
                "predicate": fact.predicate,
                "origin": "user",
                "maker": "add",
                "confidence": 1.0,
                "valid_from_ms": 1,
            }
        )
        own.setdefault(added.id, fact.id)
    found: dict[str, Sequence[str]] = {}
    for id_ in candidates:
        statement = statements[id_]
        added = scratch.add(
            {
                "text": statement.text,
                "type": statement.type,
                "subject": statement.subject,
                "predicate": statement.predicate,
                "origin": "agent",
                "maker": "import",
                "confidence": 0.8,
            }
        )
        named = [own[each] for each in added.may_contradict if each in own]
        if named:
            found[id_] = named
    return found


def _candidates(memory: "Memory", statement: Shared) -> Sequence[Fact]:
    """Facts of the same type in this project that may speak of the same."""
    if statement.type in _SINGLETONS:
        return ()
    wanted = RecallOptions(
        limit=_CANDIDATES,
        events=False,
        filter={"types": [statement.type], "scopes": ["project"], "with_private": True},
        least_evidence=MIN_EVIDENCE,
    )
    try:
        found = memory.engine().recall(statement.text[:_MAX_CHARS], wanted)
    except UsageError:
        return ()  # a text without words
    facts = [each.fact for each in found if each.fact is not None]
    return [fact for fact in facts if fact.state == "live"]
