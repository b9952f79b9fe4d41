"""A member holds up nobody who may do more, and is out at once when the owner removes it, whatever its sessions hold."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection, sql

from codecairn.errors import RemoteRefused, RemoteUnavailable
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.pointer import Pointer
from codecairn.team import administration
from codecairn.team.catalog import Catalog
from codecairn.team.connection import connected
from codecairn.team.garbage_collection import GarbageCollector
from codecairn.team.migrations import migrate, migrations
from codecairn.team.ref_store import TeamRefStore
from codecairn.team.setup import make_team
from support.postgres import PostgresServer
from support.team import Team
from team.test_row_security import TABLES

MODES = ("ACCESS EXCLUSIVE", "EXCLUSIVE", "SHARE ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE")
"""Those that a right to delete from a table allows."""


@pytest.fixture
def reader(team: Team) -> str:
    """A member who reads `shop` and `bank`, and nothing else."""
    team.invite("zoe")
    with connected(team.owner_url) as owner:
        for repository in team.repositories.values():
            Catalog(owner).grant(repository, "zoe", "reader")
    team.join("zoe")
    return "zoe"


@pytest.fixture
def opened(team: Team) -> "Iterator[Callable[[str], Connection[Any]]]":
    """Opens sessions in a transaction that nothing ends, as a member who means harm does."""
    with ExitStack() as stack:

        def new(name: str) -> "Connection[Any]":
            connection = psycopg.connect(team.conninfo(name))
            stack.callback(connection.close)
            return connection

        yield new


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("member", ["zoe", "ann", "bob"])
@pytest.mark.usefixtures("reader")
def test_no_member_locks_a_table(
    opened: "Callable[[str], Connection[Any]]", table: str, member: str
) -> None:
    session = opened(member)
    for mode in (*MODES, "ROW EXCLUSIVE"):
        query = sql.SQL("LOCK TABLE codecairn.{} IN {} MODE")
        if mode == "ROW EXCLUSIVE" and table == "facts":
            continue
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute(query.format(sql.Identifier(table), sql.SQL(mode)))
        session.rollback()


def test_advisory_locks_of_a_reader_hold_nobody_up(
    team: Team, reader: str, opened: "Callable[[str], Connection[Any]]", tmp_path: Path
) -> None:
    session, shop = opened(reader), team.repositories["shop"]
    for name in ("codecairn.objects", "codecairn.garbage", "codecairn.facts"):
        session.execute(
            "SELECT pg_advisory_lock(hashtext(%s), hashtext(%s)), pg_advisory_lock(hashtext(%s), hashtext(%s))",
            [name, shop.id, name, f"{shop.id[:8]}-{shop.id[8:12]}-{shop.id[12:16]}-{shop.id[16:20]}-{shop.id[20:]}"],
        )  # fmt: skip
    session.execute("SELECT pg_advisory_lock(%s)", [0x636F6465_63616972])
    _work(team, tmp_path)


def test_rows_that_a_reader_reads_hold_nobody_up(
    team: Team, reader: str, opened: "Callable[[str], Connection[Any]]", tmp_path: Path
) -> None:
    _work(team, tmp_path / "before")
    session = opened(reader)
    for table in TABLES:
        for lock in ("FOR UPDATE", "FOR SHARE", "FOR KEY SHARE"):
            query = sql.SQL("SELECT * FROM codecairn.{} {}")
            with suppress(psycopg.errors.InsufficientPrivilege), session.transaction():
                session.execute(query.format(sql.Identifier(table), sql.SQL(lock)))
    for statement in (
        "SELECT codecairn.begin_publication(%(shop)s)",
        "SELECT codecairn.begin_collection(%(shop)s)",
        "SELECT codecairn.take_back(%(shop)s, ARRAY[%(name)s]::bytea[])",
        "SELECT codecairn.erase_fact(%(shop)s, repeat('a', 20), 'owner')",
        "INSERT INTO codecairn.facts (repository, fact, kind, body, valid_from) "
        "VALUES (%(shop)s, repeat('c', 20), 'asserted', 'b', now())",
        "SELECT codecairn.count_usage(%(shop)s, 'pull')",
        "SELECT codecairn.member_keys()",
    ):
        with suppress(psycopg.errors.InsufficientPrivilege), session.transaction():
            session.execute(
                statement.encode(), {"shop": team.repositories["shop"].id, "name": os.urandom(32)}
            )
    _work(team, tmp_path / "after", branch="other")


def _policies(connection: "Connection[Any]") -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT tablename, policyname, roles, cmd, qual, with_check FROM pg_policies WHERE schemaname = 'codecairn' "
        "ORDER BY tablename, policyname"
    ).fetchall()


def test_a_reader_drops_no_policy(
    team: Team, reader: str, opened: "Callable[[str], Connection[Any]]", tmp_path: Path
) -> None:
    session = opened(reader)
    with connected(team.owner_url) as owner:
        before = _policies(owner)
        for role in (f"codecairn.{team.database}", team.members[reader].role):
            session.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(role)))
        _work(team, tmp_path / "open")
        session.commit()
        assert _policies(owner) == before
    _work(team, tmp_path / "done", branch="other")
    with connected(team.conninfo(reader)) as connection:
        assert {each.name for each in Catalog(connection).repositories()} == {"bank", "shop"}


def test_policies_that_a_member_dropped_come_back_with_an_upgrade(
    team: Team, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = migrations()[:5]
    with (
        connected(postgres.url(postgres.new_database())) as older,
        connected(team.owner_url) as owner,
    ):
        with monkeypatch.context() as patch:
            patch.setattr("codecairn.team.migrations.migrations", lambda: before)
            migrate(older)
        for table, policy, *_ in _policies(older):
            query = sql.SQL("DROP POLICY {} ON codecairn.{}")
            older.execute(query.format(sql.Identifier(policy), sql.Identifier(table)))
        migrate(older)
        assert _policies(older) == _policies(owner)
        assert len(_policies(owner)) == 23


def _work(team: Team, folder: Path, branch: str = "main") -> None:
    """The work of others: a publication, a fact, a collection, a grant that ends, and a migration."""
    shop, store = team.repositories["shop"], FolderStore(folder)
    manifest = os.urandom(32).hex()
    with connected(team.conninfo("ann")) as connection:
        connection.execute("SET lock_timeout = '3s'")
        pointer = Pointer(
            repository=shop.id, branch=branch, epoch=1, commit="", manifest=manifest, manifest_bytes=1, made_ns=1
        )  # fmt: skip
        TeamRefStore(connection, shop.id, store).publish(
            branch, pointer, b"signed", expected_epoch=0, objects=[os.urandom(32).hex()]
        )
        connection.execute(
            "INSERT INTO codecairn.facts (repository, fact, kind, body, valid_from) "
            "VALUES (%s, repeat('b', 20), 'asserted', 'b', now())",
            [shop.id],
        )
        connection.execute("SELECT codecairn.erase_fact(%s, repeat('b', 20), 'ann')", [shop.id])
    with connected(team.owner_url) as connection:
        connection.execute("SET lock_timeout = '3s'")
        GarbageCollector(connection, shop, store, grace_s=0).run()
        catalog = Catalog(connection)
        catalog.grant(shop, "eve", "reader")
        assert catalog.revoke(shop, "eve")
        assert migrate(connection) == 0


def _sessions(team: Team, role: str) -> int:
    with connected(team.owner_url) as owner:
        (count,) = owner.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = %s", [role]
        ).fetchone() or (0,)
    return int(count)


def test_a_member_that_holds_its_own_role_is_removed(
    team: Team, reader: str, opened: "Callable[[str], Connection[Any]]"
) -> None:
    role = team.members[reader].role
    password = sql.SQL("ALTER ROLE {} PASSWORD 'another'").format(sql.Identifier(role))
    first, second = opened(reader), opened(reader)
    first.execute(password)
    second.execute("SELECT codecairn.count_usage(%s, 'pull')", [team.repositories["shop"].id])
    with connected(team.owner_url) as owner:
        assert Catalog(owner).remove_member(reader)
    with pytest.raises(psycopg.OperationalError):
        second.execute("SELECT 1")
    assert _sessions(team, role) == 0
    with pytest.raises(
        psycopg.OperationalError, match=r"permission denied for database|not permitted"
    ):
        psycopg.connect(team.conninfo(reader))


def test_an_invitation_that_is_held_open_is_taken_back_and_sent_again(
    team: Team, opened: "Callable[[str], Connection[Any]]"
) -> None:
    mallory = team.invite("mallory")
    session = opened("mallory")
    session.execute(
        "SELECT codecairn.accept(%s, %s, %s, %s, %s)",
        [os.urandom(32), os.urandom(32), b"a", b"b", b"c"],
    )
    again = team.invite("mallory")
    assert again.role == mallory.role
    session = opened("mallory")
    session.execute(
        "SELECT codecairn.accept(%s, %s, %s, %s, %s)",
        [os.urandom(32), os.urandom(32), b"a", b"b", b"c"],
    )
    with connected(team.owner_url) as owner:
        assert Catalog(owner).remove_member("mallory")


def test_an_invitation_that_was_half_taken_back_is_sent_again(team: Team) -> None:
    team.invite("zoe")
    with connected(team.owner_url) as owner:
        owner.execute("SELECT codecairn.lock_out('zoe')")
    team.invite("zoe")
    with connected(team.owner_url) as owner:
        Catalog(owner).grant(team.repositories["shop"], "zoe", "reader")
    team.join("zoe")
    with connected(team.conninfo("zoe")) as connection:
        assert [each.name for each in Catalog(connection).repositories()] == ["shop"]


def test_no_step_of_a_removal_tells_who_is_a_member(team: Team) -> None:
    def outcome(step: str, name: str) -> str:
        with connected(team.conninfo("eve")) as connection:
            try:
                query = sql.SQL("SELECT codecairn.{}({})")
                found = connection.execute(
                    query.format(sql.Identifier(step), sql.Literal(name))
                ).fetchone()
            except psycopg.errors.InsufficientPrivilege as err:
                return str(err.diag.message_primary)
            return str(found)

    for step in ("lock_out", "end_sessions", "remove_member", "close_login"):
        assert len({outcome(step, name) for name in ("ann", "owner", "nobody")}) == 1
    with psycopg.connect(team.conninfo("ann")) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.slow
def test_a_member_that_comes_back_again_and_again_is_removed(team: Team, reader: str) -> None:
    role, is_over = team.members[reader].role, threading.Event()
    hold = sql.SQL("ALTER ROLE {} PASSWORD 'another'").format(sql.Identifier(role))

    def come_back() -> None:
        while not is_over.is_set():
            with suppress(psycopg.Error), psycopg.connect(team.conninfo(reader)) as session:
                session.execute(hold)
                is_over.wait(5)
                session.rollback()

    threads = [threading.Thread(target=come_back) for _ in range(20)]
    for each in threads:
        each.start()
    try:
        with connected(team.owner_url) as owner:
            assert Catalog(owner).remove_member(reader)
        with pytest.raises(
            psycopg.OperationalError, match=r"permission denied for database|not permitted"
        ):
            psycopg.connect(team.conninfo(reader))
    finally:
        is_over.set()
        for each in threads:
            each.join()
    assert _sessions(team, role) == 0


def test_names_of_roles_and_sessions_name_nobody(
    team: Team, opened: "Callable[[str], Connection[Any]]"
) -> None:
    session = opened("eve")
    for query in ("SELECT rolname FROM pg_roles", "SELECT usename FROM pg_stat_activity", "SELECT application_name FROM pg_stat_activity"):  # fmt: skip
        found = [name or "" for (name,) in session.execute(query.encode()).fetchall()]
        own = [each for each in found if each.startswith(f"codecairn.{team.database}.")]
        assert not any(name in each for each in own for name in ("ann", "bob", "eve"))
        assert query.endswith("pg_stat_activity") or len(own) == 3


def test_a_role_that_may_not_create_roles_is_told_so(postgres: PostgresServer) -> None:
    database = postgres.new_database()
    with postgres.connect(database, "super", autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
                sql.Identifier(f"plain_{database}"), sql.Literal(postgres.password)
            )
        )
    with (
        connected(postgres.url(database, f"plain_{database}")) as connection,
        pytest.raises(RemoteRefused, match="may not create roles") as caught,
    ):
        make_team(connection, "a", "b", signing_key=bytes(32), sealing_key=bytes(32))
    assert f'ALTER ROLE "plain_{database}" CREATEROLE' in str(caught.value.hint)


def test_an_owner_who_can_not_end_sessions_is_told_so(team: Team, postgres: PostgresServer) -> None:
    with postgres.connect(team.database, "super", autocommit=True) as connection:
        role = sql.Identifier(team.members["ann"].role)
        connection.execute(sql.SQL("REVOKE {} FROM owner GRANTED BY owner").format(role))
        connection.execute(sql.SQL("REVOKE {} FROM owner").format(role))
    with (
        connected(team.owner_url) as connection,
        pytest.raises(RemoteRefused, match="may not end the sessions of `ann`") as caught,
    ):
        make_team(connection, "a", "b", signing_key=bytes(32), sealing_key=bytes(32))
    assert 'GRANT pg_signal_backend TO "owner"' in str(caught.value.hint)


def test_a_revocation_that_worked_says_so_whatever_follows(
    team: Team, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        message = "the team's database does not answer"
        raise RemoteUnavailable(message)

    monkeypatch.setattr(administration, "_refreshed", fail)
    owner = team.membership("owner")
    assert administration.revoke(owner, reader, "bank", rotate_key=False) == ()
    with pytest.raises(RemoteUnavailable, match="`zoe` is revoked, but not every key of `shop`"):
        administration.revoke(owner, reader, "shop", rotate_key=True)
    with connected(team.owner_url) as connection:
        assert reader not in {each.member for each in Catalog(connection).grants()}
