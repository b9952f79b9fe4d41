"""A team's memory beside one's own: promotes facts into the database, and keeps an offline copy of what others promoted.

The copy is facts of one's own memory, which are found together with it, also while the database is away. What came in is
trusted as a file of the repository at most, is quoted with its author, and ends nothing: where it may contradict a fact of one's own,
both are kept and marked.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codecairn.clock import Clock, SystemClock
from codecairn.core.types.memory import Fact
from codecairn.errors import CodecairnError, UsageError
from codecairn.memory.importing.ingestion import as_fact
from codecairn.memory.importing.records import Problem
from codecairn.memory.repository_statements import TEAM, TEAM_AUTHOR
from codecairn.memory.team.record_file import Shared
from codecairn.memory.team.shareable import (
    foreign_fact,
    marks_of,
    plain,
    record_of,
    require_shareable,
)
from codecairn.objects.grant import Grant
from codecairn.team.administration import team_connection
from codecairn.team.fact_conflicts import conflicts_with
from codecairn.team.fact_log import FactState, append, read_log
from codecairn.team.fact_record import ASSERTED, ENDED, ERASED, FactRecord
from codecairn.team.membership import Membership, TeamRepository, save
from codecairn.team.project import team_repository

if TYPE_CHECKING:
    from psycopg import Connection

    from codecairn.memory.memory import Memory

TEAM_ID, TEAM_REPOSITORY = "team_id", "team_repository"
"""The names, in a fact's `meta`, of the ids of the team and of the repository in its database that it came from."""

_MAX_HELD = 100_000
_OWN_TAGS = frozenset({"imported", TEAM})


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamConflict:
    """A fact of the team that may contradict facts of one's own; both hold on, and are shown with a mark."""

    id: str
    text: str
    author: str
    own: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class TeamMemoryReport:
    """What became of a team's memory.

    Attributes:
        team: The team's name.
        team_id: Its id.
        repository: The repository's name.
        shared: Statements that hold in the team.
        added: Facts that came in.
        ended: Facts that were hidden here, because their authors ended them.
        erased: Facts that were removed for good here, because their authors erased them.
        promoted: Ids of facts that were promoted just now.
        withdrawn: Ids of facts that were ended or erased in the team just now.
        conflicts: Facts that came in and may contradict facts of one's own.
        problems: Records that were refused, each with its place and the reason.
        is_dry_run: Whether nothing was written.
    """

    team: str
    team_id: str
    repository: str
    shared: int = 0
    added: int = 0
    ended: int = 0
    erased: int = 0
    promoted: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    conflicts: tuple[TeamConflict, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_dry_run: bool = False


class TeamMemory:
    """The memory that a team has of one repository, beside a workspace's own.

    Args:
        memory: The workspace's memory.
        membership: The member.
        connection: A connection of the member in autocommit mode.
        repository: The repository.
        now_ms: The time.
    """

    def __init__(
        self,
        memory: "Memory",
        membership: Membership,
        connection: "Connection[tuple[Any, ...]]",
        repository: TeamRepository,
        *,
        now_ms: int,
    ) -> None:
        self._memory = memory
        self._membership = membership
        self._connection = connection
        self._repository = repository
        self._now_ms = now_ms

    def sync(self, *, dry_run: bool = False) -> TeamMemoryReport:
        """Bring the offline copy up to what holds in the team.

        A fact that is pinned here goes on holding here when its author ends it. What its author erases is removed here in any case,
        but no copy of what another author said.

        Raises:
            RemoteUnavailable: If the database does not answer; the copy stays as it is.
        """
        state = self._state(dry_run=dry_run)
        held = self._held()
        marks = {mark for fact in held for mark in marks_of(fact)}
        new = {id_: records for id_, records in state.live.items() if id_ not in marks}
        copies = [fact for fact in held if self._is_from_here(fact)]
        gone = [
            fact
            for fact in copies
            if fact.state == "live" and not fact.is_pinned and fact.meta.get(TEAM) not in state.live
        ]
        erased = [fact for fact in copies if _origin(fact) in state.erased]
        ended = [fact for fact in gone if _origin(fact) not in state.erased]
        statements = {self._id(records): records for records in new.values()}
        conflicts = conflicts_with(
            self._memory,
            {id_: _statement(records) for id_, records in statements.items()},
        )
        report = self._report(
            state,
            added=len(new),
            ended=len(ended),
            erased=len({fact.id for fact in erased}),
            conflicts=tuple(
                TeamConflict(
                    id=id_,
                    text=_statement(statements[id_]).text,
                    author=statements[id_][0].author,
                    own=tuple(own),
                )
                for id_, own in conflicts.items()
            ),
            is_dry_run=dry_run,
        )
        if not dry_run:
            report.added = self._take(statements, conflicts)
            for fact in ended:
                author = fact.meta.get(TEAM_AUTHOR, "the team")
                self._memory.withdraw(fact.id, reason=f"{author} ended it in the team")
            ids = sorted({fact.id for fact in erased})
            if ids:
                self._memory.purge_records(*ids)
        return report

    def promote(self, ids: Sequence[str]) -> TeamMemoryReport:
        """Assert facts of one's own in the team, redacted once more; a newer version takes the place of the older one.

        Raises:
            UsageError: If one may not be shared: private, the user's own, of one session or branch, no longer held, or
                of others.
            RemoteRefused: If the member may only read.
            RemoteUnavailable: If the database does not answer.
        """
        facts = [self._fact(id_) for id_ in ids]
        for fact in facts:
            require_shareable(fact)
            if fact.meta.get(TEAM_AUTHOR):
                raise UsageError(
                    f"`{fact.id}` can't be promoted: `{fact.meta[TEAM_AUTHOR]}` said it",
                    hint="say it in your own words with `codecairn memory add`, if you hold it, too",
                )
        state = self._state()
        records = []
        for fact in facts:
            record = self._record(fact, state)
            if self._own(state, record.id) is None:
                records.append(record)
        append(self._connection, self._membership, self._repository.id, records)
        return self._report(self._state(), promoted=tuple(fact.id for fact in facts))

    def withdraw(self, ids: Sequence[str], *, erase: bool = False) -> TeamMemoryReport:
        """End promoted facts in the team, or erase them: then no row in the database and no member's copy keeps the text.

        Facts of one's own go on holding here. An administrator withdraws those of others, too.

        Raises:
            UsageError: If one is not in the team's memory.
            RemoteRefused: If it is another's, and the member is no administrator.
            RemoteUnavailable: If the database does not answer.
        """
        state = self._state()
        records = []
        for id_ in ids:
            fact = self._fact(id_)
            held = [mark for mark in marks_of(fact) if mark in state.live]
            if not held:
                raise UsageError(
                    f"`{fact.id}` is not in the team's memory", hint="see `codecairn team sync`"
                )
            own = self._own(state, held[0])
            older = (own,) if own is not None else state.live[held[0]]
            records += [self._end(each, erase=erase) for each in older]
        append(self._connection, self._membership, self._repository.id, records)
        return self._report(self._state(), withdrawn=tuple(ids))

    def _state(self, *, dry_run: bool = False) -> FactState:
        state = read_log(self._connection, self._membership, self._repository.id)
        if state.membership.known_keys != self._membership.known_keys and not dry_run:
            save(state.membership)
        self._membership = state.membership
        return state

    def _is_from_here(self, fact: Fact) -> bool:
        found = fact.meta.get(TEAM_ID), fact.meta.get(TEAM_REPOSITORY)
        return found == (self._membership.team_id, self._repository.id)

    def _own(self, state: FactState, id_: str) -> FactRecord | None:
        """The member's own assertion of a statement."""
        records = state.live.get(id_, ())
        return next((each for each in records if each.author == self._membership.member), None)

    def _held(self) -> Sequence[Fact]:
        return self._memory.list(with_history=True, with_private=True, limit=_MAX_HELD)

    def _fact(self, id_: str) -> Fact:
        (found,) = self._memory.get(id_)
        if not isinstance(found, Fact):
            raise UsageError(f"`{id_}` is an event; only facts are promoted")
        return found

    def _record(self, fact: Fact, state: FactState) -> FactRecord:
        """A fact as it leaves; it takes the place of what the member promoted of its older versions."""
        versions = self._memory.history(fact.id)
        older = {mark for version in versions for mark in marks_of(version)}
        base = record_of(fact)
        replaced = {id_ for id_ in older if self._own(state, id_) is not None} - {base.id}
        statement = replace(
            base,
            title=plain(fact.title),
            tags=tuple(plain(tag) for tag in fact.tags if tag not in _OWN_TAGS),
            origin=fact.origin,
            valid_from_ms=fact.valid_from_ms,
            at_ms=self._now_ms,
            replaces=tuple(sorted(replaced)),
        )
        return FactRecord(
            kind=ASSERTED,
            signer=self._membership.member,
            author=self._membership.member,
            id=statement.id,
            signed_ms=self._now_ms,
            valid_to_ms=fact.expires_ms,
            statement=statement,
        )

    def _end(self, older: FactRecord, *, erase: bool) -> FactRecord:
        """The end of an assertion; a clock that runs behind does not let it outlive its end."""
        return FactRecord(
            kind=ERASED if erase else ENDED,
            signer=self._membership.member,
            author=older.author,
            id=older.id,
            signed_ms=max(self._now_ms, older.signed_ms),
            valid_to_ms=self._now_ms,
        )

    def _take(
        self,
        statements: Mapping[str, Sequence[FactRecord]],
        conflicts: Mapping[str, Sequence[str]],
    ) -> int:
        if not statements:
            return 0
        facts = [
            self._incoming(id_, records[0], conflicts.get(id_, ()))
            for id_, records in statements.items()
        ]
        document = json.dumps({"schema": "codecairn-memory-v1", "facts": facts}, ensure_ascii=False)
        return self._memory.engine().import_json(document).facts

    def _incoming(
        self, id_: str, record: FactRecord, conflicts: Sequence[str]
    ) -> dict[str, object]:
        """A statement as a fact of this memory, of the record that asserts it first."""
        assert record.statement is not None
        fact = foreign_fact(record.statement)
        meta = {
            **fact.meta,
            TEAM_AUTHOR: record.author,
            TEAM_ID: self._membership.team_id,
            TEAM_REPOSITORY: self._repository.id,
            **({"may_contradict": ", ".join(conflicts)} if conflicts else {}),
        }
        imported = as_fact(replace(fact, meta=meta), now_ms=self._now_ms)
        return imported | {"id": id_, "expires_ms": record.valid_to_ms}

    def _id(self, records: Sequence[FactRecord]) -> str:
        """What a statement is called here. One that is asserted again after it was ended is another."""
        first = records[0]
        place = f"{self._membership.team_id}/{self._repository.id}"
        mark = f"{place}/{first.id}/{first.author}/{first.signed_ms}".encode()
        return "f" + hashlib.sha256(mark).hexdigest()[:16]

    def _report(self, state: FactState, **counts: Any) -> TeamMemoryReport:  # noqa: ANN401 - fields of the report
        return TeamMemoryReport(
            team=self._membership.team,
            team_id=self._membership.team_id,
            repository=self._repository.name,
            shared=len(state.live),
            problems=state.problems,
            **counts,
        )


@contextmanager
def opened_team_memory(
    memory: "Memory",
    root: Path,
    team: str | None,
    repository: str | None,
    *,
    use: str = "sync",
    clock: Clock | None = None,
) -> Iterator[TeamMemory]:
    """The memory that a team has of the workspace at `root`, or of the repository that is named.

    It is counted as a `use` there: "sync" or "promote".

    Raises:
        UsageError: If there is none, or several.
        RemoteRefused: If the member has no grant for it any more.
        RemoteUnavailable: If the database does not answer; the copy in one's own memory stays as it is.
    """
    chosen, known = team_repository(root, team=team, repository=repository)
    clock = clock or SystemClock()
    with team_connection(chosen) as (connection, catalog):
        catalog.repository(known.id)
        catalog.count_usage(known.id, use)
        yield TeamMemory(memory, chosen, connection, known, now_ms=clock.now_ns() // 1_000_000)


def synced_with_index(memory: "Memory", root: Path, grant: Grant) -> str:
    """Bring the memory of a team's repository up to date after its index was pulled, and return a sentence on what changed.

    Empty if there is nothing new. A failure is in the sentence and changes nothing.
    """
    try:
        with opened_team_memory(memory, root, grant.team, grant.repository) as opened:
            report = opened.sync()
    except CodecairnError as err:
        return f"the memory of the team was not brought up to date: {err.message}"
    refused = (
        f"; {len(report.problems):,} refused, see `codecairn team sync`" if report.problems else ""
    )
    changed = (("taken in", report.added), ("hidden", report.ended), ("erased", report.erased))
    counts = ", ".join(f"{count:,} {what}" for what, count in changed if count)
    return (
        f"the memory of the team `{report.team}`: {counts or 'nothing new'}{refused}"
        if counts or refused
        else ""
    )


def _origin(fact: Fact) -> tuple[str, str]:
    """The id and the author of the statement that a fact is a copy of."""
    return fact.meta.get(TEAM, ""), fact.meta.get(TEAM_AUTHOR, "")


def _statement(records: Sequence[FactRecord]) -> Shared:
    statement = records[0].statement
    assert statement is not None
    return statement
