"""The log of a team's facts in the database: reading and verifying it, adding to it, and what holds by it.

Rows are only added, but for erasure, which removes those of the statement. A reader verifies each row by its signer's key, which is
the one that was known before, or that of a member whom a known one introduced (`codecairn.team.member_keys`).
"""

from collections.abc import Mapping, Sequence
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

MAX_ROWS = 100_000
"""Rows that are read; beyond, the oldest would have to be archived first."""

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

    Raises:
        RemoteUnavailable: If the database does not answer.
        UsageError: If there are more than `MAX_ROWS`.
    """
    known = known_keys(membership, Catalog(connection).members())
    problems: list[Problem] = []
    latest: dict[tuple[str, str], FactRecord] = {}
    rows = _rows(connection, repository)
    for seq, signer, key, is_by_admin, body in rows:
        where = f"fact {seq} of `{signer or 'a member who is not known'}`"
        if signer is None or key is None:
            problems.append(Problem(where=where, what="its author has no key"))
            continue
        if known.get(signer) != bytes(key):
            is_known = signer in known
            what = (
                "is another than the one seen before"
                if is_known
                else "is that of no member whom you know"
            )
            problems.append(Problem(where=where, what=f"the key of its author {what}"))
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
            problems.append(Problem(where=where, what=str(err)))
            continue
        for each in (record, *_replaced(record)):
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
        problems=tuple(problems),
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


def _rows(
    connection: "Connection[tuple[Any, ...]]", repository: str
) -> list[tuple[int, str | None, bytes | None, bool, bytes]]:
    found: list[tuple[int, str | None, bytes | None, bool, bytes]] = []
    last = 0
    while True:
        with translated():
            page: list[Any] = connection.execute(
                "SELECT seq, members.name, members.signing_key, is_by_admin, body FROM codecairn.facts "
                "LEFT JOIN codecairn.members ON members.id = author "
                "WHERE repository = %s AND seq > %s ORDER BY seq LIMIT %s",
                [repository, last, _PAGE],
            ).fetchall()
        found += page
        if len(found) > MAX_ROWS:
            raise UsageError(
                f"the team's memory has more than {MAX_ROWS:,} records",
                hint="its administrators erase what is no longer needed",
            )
        if len(page) < _PAGE:
            return found
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
                    "DELETE FROM codecairn.facts USING codecairn.members WHERE members.id = author "
                    "AND repository = %s AND fact = %s AND members.name = %s AND kind <> %s",
                    [repository, record.id, record.author, ERASED],
                )
