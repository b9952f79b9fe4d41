"""Stores imported records: facts by the hash of their content, events by their key, so a second import adds nothing."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from codecairn.errors import UsageError
from codecairn.memory.importing.records import (
    MAX_TEXT_BYTES,
    ForeignEvent,
    ForeignFact,
    Problem,
)

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

_AT_ONCE = 200
_PROGRESS_EVERY = 2000


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """What an import brought.

    Attributes:
        source: Whose memory it was.
        place: Where it lay.
        facts: Facts that are new.
        events: Events that are new.
        skipped: Records that were there already, or may not be kept.
        types: Facts that were read, by type.
        problems: Records that could not be taken in, each with its place and what is wrong with it.
        is_dry_run: Whether nothing was written: then `facts` and `events` would be.
    """

    source: str
    place: str
    facts: int = 0
    events: int = 0
    skipped: int = 0
    types: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    is_dry_run: bool = False


class Taker:
    """Takes records in. What was taken in stays, wherever it is broken off."""

    def __init__(
        self,
        memory: "Memory",
        report: ImportReport,
        *,
        now_ms: int,
        notify: Callable[[str], None],
    ) -> None:
        self._memory = memory
        self._report = report
        self._now_ms = now_ms
        self._notify = notify
        self._facts: list[ForeignFact] = []
        self._seen: set[str] = set()
        held = memory.list(with_private=True, with_history=True, limit=10_000)
        self._held_ids = {fact.id for fact in held}
        live = (fact for fact in held if fact.state == "live")
        self._held = {(fact.type, fact.scope, fact.text) for fact in live}

    def take(self, records: Iterable[ForeignFact | ForeignEvent | Problem]) -> None:
        """Take in what can be taken in, and put the rest down as problems."""
        types: Counter[str] = Counter()
        for at, record in enumerate(records, 1):
            if isinstance(record, Problem):
                self._report.problems.append(record)
            elif isinstance(record, ForeignFact):
                types[record.type] += 1
                self._take_fact(record)
            else:
                self._take_event(record)
            if at % _PROGRESS_EVERY == 0:
                self._notify(f"{at:,} records read")
        self._flush()
        self._report.types = dict(sorted(types.items()))

    def _take_fact(self, fact: ForeignFact) -> None:
        if len(fact.text.encode("utf-8", "surrogatepass")) > MAX_TEXT_BYTES:
            what = f"it has more than {MAX_TEXT_BYTES >> 10} kB"
            self._report.problems.append(Problem(where=fact.where, what=what))
        elif fact.id in self._seen or (fact.type, fact.scope, fact.text.strip()) in self._held:
            self._report.skipped += 1
        else:
            self._seen.add(fact.id)
            self._facts.append(fact)
            if len(self._facts) >= _AT_ONCE:
                self._flush()

    def _flush(self) -> None:
        facts, self._facts = self._facts, []
        if not facts:
            return
        if self._report.is_dry_run:
            new = [fact for fact in facts if fact.id not in self._held_ids]
            self._report.facts += len(new)
            self._report.skipped += len(facts) - len(new)
            return
        document = {
            "schema": "codecairn-memory-v1",
            "facts": [as_fact(fact, now_ms=self._now_ms) for fact in facts],
        }
        taken = self._memory.engine().import_json(json.dumps(document, ensure_ascii=False))
        self._report.facts += taken.facts
        self._report.skipped += taken.skipped

    def _take_event(self, event: ForeignEvent) -> None:
        if self._report.is_dry_run:
            self._report.events += 1
            return
        try:
            recorded = self._memory.engine().record(_event(event))
        except UsageError as err:
            self._report.problems.append(Problem(where=event.where, what=err.message))
            return
        is_new = recorded.seq is not None or recorded.is_waiting
        self._report.events += is_new
        self._report.skipped += not is_new


def _event(event: ForeignEvent) -> dict[str, object]:
    fields: dict[str, object] = {
        "session": event.session,
        "key": event.key,
        "hook": "import",
        "body": event.body,
        "role": event.role,
        "host": event.host,
        "model": event.model,
        "tool": event.tool,
        "command": event.command,
        "path": event.path,
        "exit_code": event.exit_code,
        "branch": event.branch,
        "parent_session": event.parent_session,
        "privacy_tags": ["private"] if event.is_private else [],
        "ts_ms": event.ts_ms,
    }
    return fields | ({"origin": event.origin} if event.origin else {})


def as_fact(fact: ForeignFact, *, now_ms: int) -> dict[str, object]:
    """A foreign fact in the form in which memories are exported and taken in."""
    since = fact.ts_ms if fact.ts_ms is not None else now_ms
    return {
        "id": fact.id,
        "version": 1,
        "project": "",
        "scope": fact.scope,
        "type": fact.type,
        "title": fact.title,
        "text": fact.text,
        "tags": list(dict.fromkeys(("imported", *fact.tags))),
        "subject": fact.subject,
        "predicate": fact.predicate,
        "origin": fact.origin,
        "maker": "import",
        "confidence": 0.8,
        "is_pinned": False,
        "is_private": fact.is_private,
        "state": "superseded" if fact.ended else "live",
        "branch": "",
        "commit": "",
        "valid_from_ms": since,
        "invalid_at_ms": now_ms if fact.ended else None,
        "superseded_by": None,
        "recorded_ms": now_ms,
        "retracted_ms": None,
        "expires_ms": None,
        "reason": "it no longer held where it came from" if fact.ended else "",
        "sources": [],
        "meta": dict(fact.meta),
    }
