"""Exchanges facts between a user's memory and the team's files: promote, demote, synchronise."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.core.types.memory import Fact
from codecairn.errors import UsageError
from codecairn.memory.importing.ingestion import as_fact
from codecairn.memory.importing.records import Problem
from codecairn.memory.repository_statements import TEAM
from codecairn.memory.team import record_file
from codecairn.memory.team.record_file import Shared, State
from codecairn.memory.team.shareable import (
    foreign_fact,
    marks_of,
    plain,
    record_of,
    require_shareable,
)

if TYPE_CHECKING:
    from codecairn.memory.memory import Memory

_MARK = TEAM


@dataclass(slots=True, kw_only=True)
class TeamReport:
    """What became of a team's memory.

    Attributes:
        folder: Where it lies.
        shared: Statements that are shared.
        added: Facts that came in from it.
        ended: Facts that were hidden here because the team took them back.
        promoted: Ids of facts that were shared just now.
        demoted: Ids of facts that are no longer shared.
        problems: Lines that are none, each with its place and what is wrong with it.
        is_dry_run: Whether nothing was written.
    """

    folder: str
    shared: int = 0
    added: int = 0
    ended: int = 0
    promoted: tuple[str, ...] = ()
    demoted: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = field(default=())
    is_dry_run: bool = False


class Team:
    """The team's memory of one workspace."""

    def __init__(self, memory: "Memory", root: Path, *, now_ms: int) -> None:
        self._memory = memory
        self._folder = root / ".codecairn" / record_file.FOLDER
        self._now_ms = now_ms

    def promote(self, ids: Sequence[str]) -> TeamReport:
        """Share facts; they are found by `git status` then, and reviewed like code.

        Raises:
            UsageError: If one may not be shared: private, the user's own, of one session or branch, or no longer held.
            FileAccessError: If the files can't be written.
        """
        facts = [self._fact(id_) for id_ in ids]
        for fact in facts:
            require_shareable(fact)
        state = record_file.read(self._folder)
        records = [self._shared(fact, state) for fact in facts]
        new = [record for record in records if record.id not in state.shared]
        if new:
            record_file.share(self._folder, new)
        return self._report(promoted=tuple(fact.id for fact in facts))

    def demote(self, ids: Sequence[str]) -> TeamReport:
        """Take shared facts back; here they go on holding.

        Raises:
            UsageError: If one is not shared.
            FileAccessError: If the files can't be written.
        """
        state = record_file.read(self._folder)
        facts = [self._fact(id_) for id_ in ids]
        records = []
        for fact in facts:
            record = _same(fact, state)
            if record is None:
                raise UsageError(f"`{fact.id}` is not shared", hint="see `codecairn memory team`")
            records.append(record)
        record_file.withdraw(self._folder, records, at_ms=self._now_ms)
        return self._report(demoted=tuple(fact.id for fact in facts))

    def take_in(self, *, dry_run: bool = False) -> TeamReport:
        """Bring this memory up to what the team shares.

        What comes in is trusted as a file of the repository is, whatever it says of itself, and holds in this project only.
        """
        state = record_file.read(self._folder)
        held = self._memory.list(with_history=True, with_private=True, limit=10_000)
        marks = {mark for fact in held for mark in marks_of(fact)}
        new = [record for id_, record in state.shared.items() if id_ not in marks]
        ended = [
            fact
            for fact in held
            if fact.state == "live"
            and not fact.is_pinned
            and fact.meta.get(_MARK) in state.withdrawn
        ]
        added = len(new)
        if not dry_run:
            added = self._take(new)
            for fact in ended:
                self._memory.withdraw(fact.id, reason="the team took it back")
        return self._report(added=added, ended=len(ended), is_dry_run=dry_run)

    def _take(self, records: Sequence[Shared]) -> int:
        if not records:
            return 0
        facts = [
            as_fact(foreign_fact(record), now_ms=self._now_ms) | {"id": _id(record)}
            for record in records
        ]
        document = {"schema": "codecairn-memory-v1", "facts": facts}
        return self._memory.engine().import_json(json.dumps(document, ensure_ascii=False)).facts

    def _fact(self, id_: str) -> Fact:
        (found,) = self._memory.get(id_)
        if not isinstance(found, Fact):
            raise UsageError(f"`{id_}` is an event; only facts are shared")
        return found

    def _shared(self, fact: Fact, state: State) -> Shared:
        """The fact as it leaves; it takes the place of what was shared of its older versions."""
        record = replace(
            record_of(fact),
            title=plain(fact.title),
            tags=tuple(plain(tag) for tag in fact.tags if tag not in {"imported", _MARK}),
            origin=fact.origin,
            valid_from_ms=fact.valid_from_ms,
            at_ms=self._now_ms,
        )
        versions = self._memory.history(fact.id)
        older = {mark for version in versions for mark in marks_of(version)}
        return replace(record, replaces=tuple(sorted((older & set(state.shared)) - {record.id})))

    def _report(self, **counts: object) -> TeamReport:
        state = record_file.read(self._folder)
        report = TeamReport(
            folder=str(self._folder), shared=len(state.shared), problems=state.problems
        )
        for name, value in counts.items():
            setattr(report, name, value)
        return report


def _same(fact: Fact, state: State) -> Shared | None:
    """The shared statement of a fact."""
    return next((state.shared[mark] for mark in marks_of(fact) if mark in state.shared), None)


def _id(record: Shared) -> str:
    """What a shared statement is called here. One that is shared again after it was taken back is another."""
    mark = f"{record.id}/{record.at_ms}".encode()
    return "f" + hashlib.sha256(mark).hexdigest()[:16]
