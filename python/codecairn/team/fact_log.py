"""The log of a team's facts in the database: reading and verifying it, adding to it, and what holds by it.

Rows are only added, but for erasure, which removes those of the statement. A reader verifies each row by its signer's key, which is
the one that was known before, or that of a member introduced by a trusted one (`codecairn.team.member_keys`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import UsageError
from codecairn.memory.importing.records import Problem
from codecairn.team.catalog import Catalog
from codecairn.team.connection import translated
from codecairn.team.fact_record import (
    ASSERTED,
    ERASED,
    MAX_BODY_BYTES,
    FactRecord,
    read_record,
)
from codecairn.team.member_keys import known_keys
from codecairn.team.membership import Membership

if TYPE_CHECKING:
    from psycopg import Connection

MAX_STATEMENTS = 100_000
"""Statements that are followed of what one member signed; more are left out, so that one member does not exhaust the memory of others."""

MAX_PROBLEMS = 1_000
"""Refused rows that are listed one by one."""

_PAGE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FactState:
    """What holds by the log.

    Attributes:
        live: For each statement that holds, by id, the record of each author who asserts it, the earliest first.
        erased: The statements that shall be erased everywhere, each by its id and the author whose assertion is erased.
        problems: Rows that were refused, each with its number and the reason.
        membership: The membership with the keys of members who are known by now.
    """

    live: Mapping[str, tuple[FactRecord, ...]]
    erased: frozenset[tuple[str, str]]
    problems: tuple[Problem, ...]
    membership: Membership


def read_log(
    connection: "Connection[tuple[Any, ...]]", membership: Membership, repository: str
) -> FactState:
    """Read and verify all rows of a repository (its id).

    Of `n` rows that signed `m` statements it costs `n` verifications and the memory of `m` records.

    Raises:
        RemoteUnavailable: If the database does not answer.
    """
    known = known_keys(membership, Catalog(connection).members())
    problems = _Problems()
    latest: dict[tuple[str, str], FactRecord] = {}
    followed, left_out = Counter[str](), Counter[str]()
    for seq, signer, key, is_by_admin, body in _rows(connection, repository):
        where = f"fact {seq} of `{signer or 'a member who is not known'}`"
        if signer is None or key is None:
            problems.add(where, "its author has no key")
            continue
        if known.get(signer) != bytes(key):
            is_known = signer in known
            what = (
                "is another than the one seen before"
                if is_known
                else "does not belong to a trusted member"
            )
            problems.add(where, f"the key of its author {what}")
            continue
        try:
            record = read_record(
                bytes(body),
                team=membership.team_id,
                repository=repository,
                signer=signer,
                public_key=bytes(key),
                is_by_admin=is_by_admin,
            )
        except ValueError as err:
            problems.add(where, str(err))
            continue
        for each in (record, *_replaced(record)):
            is_new = (each.id, each.author) not in latest
            if is_new and followed[signer] >= MAX_STATEMENTS:
                left_out[signer] += 1
                continue
            followed[signer] += is_new
            _keep_later(latest, each)
    live: dict[str, tuple[FactRecord, ...]] = {}
    for record in sorted(latest.values(), key=lambda each: (each.signed_ms, each.author)):
        if record.kind == ASSERTED:
            live[record.id] = (*live.get(record.id, ()), record)
    erased = {
        (record.id, record.author)
        for record in latest.values()
        if record.kind == ERASED and record.id not in live
    }
    return FactState(
        live=live,
        erased=frozenset(erased),
        problems=problems.all(left_out),
        membership=replace(membership, known_keys=known),
    )


def _replaced(record: FactRecord) -> Sequence[FactRecord]:
    """The ends of the author's own older statements, whose place a record takes."""
    if record.statement is None:
        return ()
    return [
        replace(record, kind="ended", id=older, statement=None)
        for older in record.statement.replaces
        if older != record.id
    ]


def _keep_later(latest: dict[tuple[str, str], FactRecord], record: FactRecord) -> None:
    """Of an author's records on a statement the later one counts; in a tie the one that ends it."""
    known = latest.get((record.id, record.author))
    if known is None or (record.signed_ms, record.kind != ASSERTED) >= (
        known.signed_ms,
        known.kind != ASSERTED,
    ):
        latest[record.id, record.author] = record


class _Problems:
    """The rows that were refused: the first ones, and how many more."""

    def __init__(self) -> None:
        self._listed: list[Problem] = []
        self._more = 0

    def add(self, where: str, what: str) -> None:
        if len(self._listed) < MAX_PROBLEMS:
            self._listed.append(Problem(where=where, what=what))
        else:
            self._more += 1

    def all(self, left_out: Mapping[str, int]) -> tuple[Problem, ...]:
        found = [*self._listed]
        if self._more:
            found.append(
                Problem(where="the team's memory", what=f"{self._more:,} more records were refused")
            )
        for signer, count in left_out.items():
            what = f"has more than {MAX_STATEMENTS:,} statements, so {count:,} records are left out"
            found.append(Problem(where=f"`{signer}`", what=what))
        return tuple(found)


def _rows(
    connection: "Connection[tuple[Any, ...]]", repository: str
) -> Iterator[tuple[int, str | None, bytes | None, bool, bytes]]:
    last = 0
    while True:
        with translated():
            page: list[Any] = connection.execute(
                "SELECT seq, members.name, members.signing_key, is_by_admin, body FROM codecairn.facts "
                "LEFT JOIN codecairn.members ON members.id = author "
                "WHERE repository = %s AND seq > %s ORDER BY seq LIMIT %s",
                [repository, last, _PAGE],
            ).fetchall()
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1][0]


def append(
    connection: "Connection[tuple[Any, ...]]",
    membership: Membership,
    repository: str,
    records: Sequence[FactRecord],
) -> None:
    """Sign records and add them, all or none. An erasure also removes the rows that assert the statement.

    Raises:
        RemoteRefused: If the member may not add them.
        RemoteUnavailable: If the database does not answer.
        UsageError: If one is too long.
    """
    with translated(), connection.transaction():
        for record in records:
            body = record.signed(membership.team_id, repository, private_key=membership.signing_key)
            if len(body) > MAX_BODY_BYTES:
                raise UsageError(f"a fact has more than {MAX_BODY_BYTES:,} bytes")
            statement = record.statement
            valid_from = record.signed_ms if statement is None else statement.valid_from_ms
            connection.execute(
                "INSERT INTO codecairn.facts (repository, fact, kind, body, valid_from, valid_to) "
                "VALUES (%s, %s, %s, %s, to_timestamp(%s), to_timestamp(%s))",
                [
                    repository, record.id, record.kind, body, valid_from / 1000,
                    None if record.valid_to_ms is None else record.valid_to_ms / 1000,
                ],
            )  # fmt: skip
            if record.kind == ERASED:
                connection.execute(
                    "SELECT codecairn.erase_fact(%s, %s, %s)",
                    [repository, record.id, record.author],
                )
