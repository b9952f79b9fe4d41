"""The server itself decides what a member sees and changes: by login roles and row-level security, whatever the client asks."""

import os
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import Connection, sql

from codecairn.errors import RemoteRefused
from codecairn.team.catalog import Catalog
from codecairn.team.connection import connected
from codecairn.team.key_handout import hand_out
from support.postgres import PostgresServer
from support.team import Team

Connect = Callable[[str], "Connection[Any]"]

TABLES = (
    "facts", "garbage", "grants", "leases", "locks", "manifests", "members", "migrations", "refs", "repositories",
    "repository_keys", "team", "usage",
)  # fmt: skip
OF_REPOSITORIES = {
    "facts", "garbage", "grants", "leases", "manifests", "refs", "repository_keys", "usage",
}  # fmt: skip
UNSEEN = {"locks", "migrations"}
_DENIED = psycopg.errors.InsufficientPrivilege


def _fill(team: Team) -> None:
    """A row in every table for each repository, written by the owner."""
    with connected(team.owner_url) as connection:
        for repository in team.repositories.values():
            name, values = os.urandom(32), {"repository": repository.id}
            for statement in (
                "INSERT INTO codecairn.manifests (repository, id, objects) VALUES (%(repository)s, %(name)s, %(name)s)",
                "INSERT INTO codecairn.refs VALUES (%(repository)s, 'main', 1, 'p', %(name)s, 1, now())",
                "INSERT INTO codecairn.leases VALUES (%(repository)s, 'x', gen_random_uuid(), 1, now(), now())",
                "INSERT INTO codecairn.garbage (repository, object) VALUES (%(repository)s, %(name)s)",
                "SELECT codecairn.count_usage(%(repository)s, 'pull')",
                "INSERT INTO codecairn.facts (repository, fact, kind, body, valid_from) "
                "VALUES (%(repository)s, repeat('a', 20), 'asserted', 'b', now())",
            ):
                connection.execute(statement.encode(), {**values, "name": name})
            hand_out(team.membership("owner"), Catalog(connection), repository, 1, bytes(32))


def _count(connection: "Connection[Any]", table: str) -> int:
    query = sql.SQL("SELECT count(*) FROM codecairn.{}").format(sql.Identifier(table))
    (count,) = connection.execute(query).fetchone() or (0,)
    return int(count)


def test_every_table_is_listed_and_has_row_security(team: Team) -> None:
    with connected(team.owner_url) as connection:
        rows = connection.execute(
            "SELECT relname, relrowsecurity FROM pg_class WHERE relkind = 'r' AND relnamespace = 'codecairn'::regnamespace "
            "ORDER BY relname"
        ).fetchall()
    assert rows == [(name, True) for name in TABLES]


@pytest.mark.parametrize("table", TABLES)
def test_a_member_without_a_grant_sees_no_row(team: Team, as_member: Connect, table: str) -> None:
    _fill(team)
    with connected(team.owner_url) as owner:
        assert _count(owner, table) > 0
    eve = as_member("eve")
    if table in UNSEEN:
        with pytest.raises(_DENIED):
            _count(eve, table)
    else:
        assert _count(eve, table) == 0


def test_a_member_sees_rows_of_granted_repositories_alone(team: Team, as_member: Connect) -> None:
    _fill(team)
    bob, bank = as_member("bob"), team.repositories["bank"].id
    for table in OF_REPOSITORIES:
        query = sql.SQL("SELECT DISTINCT replace(repository::text, '-', '') FROM codecairn.{}")
        rows = bob.execute(query.format(sql.Identifier(table))).fetchall()
        assert rows == [(bank,)], table
    assert [each.name for each in Catalog(bob).repositories()] == ["bank"]
    assert [each.name for each in Catalog(bob).members()] == ["ann", "bob", "owner"]


def test_keys_are_seen_by_those_they_are_sealed_to_and_by_administrators(
    team: Team, as_member: Connect
) -> None:
    _fill(team)
    bank = team.repositories["bank"]
    assert _count(as_member("ann"), "repository_keys") == 2
    assert _count(as_member("bob"), "repository_keys") == 3
    bob = team.membership("bob")
    found = Catalog(as_member("bob")).opened(
        bank, sealing_key=bob.sealing_key, known=bob.known_keys
    )
    assert found.keys == {1: bytes(32)}


def test_a_revoked_grant_shows_nothing_from_the_next_statement_on(
    team: Team, as_member: Connect
) -> None:
    _fill(team)
    ann = as_member("ann")
    assert {each.name for each in Catalog(ann).repositories()} == {"bank", "shop"}
    bob = Catalog(as_member("bob"))
    assert bob.revoke(team.repositories["bank"], "ann")
    assert not bob.revoke(team.repositories["bank"], "ann")
    assert {each.name for each in Catalog(ann).repositories()} == {"shop"}
    for table in OF_REPOSITORIES:
        query = sql.SQL("SELECT count(*) FROM codecairn.{} WHERE repository = %s")
        bank = team.repositories["bank"].id
        assert ann.execute(query.format(sql.Identifier(table)), [bank]).fetchone() == (0,), table
    with connected(team.owner_url) as owner:
        assert Catalog(owner).revoke(team.repositories["shop"], "ann")
    for table in sorted({*TABLES} - UNSEEN):
        assert _count(ann, table) == 0


def test_a_removed_member_sees_nothing_and_logs_in_no_more(team: Team) -> None:
    _fill(team)
    ann = psycopg.connect(team.conninfo("ann"))
    with connected(team.owner_url) as owner:
        assert Catalog(owner).remove_member("ann")
        assert not Catalog(owner).remove_member("ann")
    with pytest.raises(psycopg.OperationalError):
        ann.execute("SELECT 1")
    with pytest.raises(
        psycopg.OperationalError, match=r"permission denied for database|not permitted"
    ):
        psycopg.connect(team.conninfo("ann"))


_AS_READER = (
    "INSERT INTO codecairn.manifests (repository, id, objects) VALUES (%(bank)s, %(name)s, %(name)s)",
    "INSERT INTO codecairn.refs VALUES (%(bank)s, 'b', 1, 'p', %(name)s, 1, now())",
    "INSERT INTO codecairn.facts (repository, fact, kind, body, valid_from) "
    "VALUES (%(bank)s, repeat('b', 20), 'asserted', 'b', now())",
    "INSERT INTO codecairn.grants (repository, member, role, granted_by) "
    "VALUES (%(bank)s, codecairn.current_member(), 'admin', codecairn.current_member())",
    "INSERT INTO codecairn.repository_keys (repository, generation, member, sealed) VALUES (%(bank)s, 9, 1, 'x')",
    "SELECT codecairn.acquire_lease(%(bank)s, 'branch b', 10)",
    "SELECT codecairn.acquire_lease(%(shop)s, 'gc', 10)",
    "SELECT codecairn.invite('mallory', "
    "'SCRAM-SHA-256$4096:c2FsdA==$c3RvcmVkc3RvcmVkc3RvcmVk:c2VydmVyc2VydmVy', 7)",
    "SELECT codecairn.remove_member('bob')",
    "INSERT INTO codecairn.repositories (name, project, store_url) VALUES ('n', 'p', 'u')",
    "INSERT INTO codecairn.members (name, role_name) VALUES ('m', 'm')",
    "INSERT INTO codecairn.usage VALUES (%(bank)s, 1, now(), 'pull', 1)",
    "INSERT INTO codecairn.migrations VALUES (99, 'x', 'x')",
    "INSERT INTO codecairn.facts (seq, repository, fact, kind, body, valid_from) "
    "VALUES (1, %(shop)s, repeat('b', 20), 'asserted', 'b', now())",
    "UPDATE codecairn.facts SET body = 'other'",
    "UPDATE codecairn.members SET signing_key = NULL",
    "UPDATE codecairn.team SET name = 'x'",
    "UPDATE codecairn.repositories SET store_url = 'file:/tmp'",
    "UPDATE codecairn.manifests SET objects = objects",
    "DELETE FROM codecairn.refs",
    "SELECT codecairn.delete_ref(%(shop)s, 'main')",
    "DELETE FROM codecairn.grants",
    "DELETE FROM codecairn.repository_keys",
    "DELETE FROM codecairn.facts",
    "DELETE FROM codecairn.manifests",
    "DELETE FROM codecairn.garbage",
    "SELECT codecairn.hold(%(bank)s, 'facts', 'reader', false)",
    "SELECT codecairn.begin_publication(%(bank)s)",
    "SELECT codecairn.begin_collection(%(shop)s)",
    "SELECT codecairn.drop_manifests(%(shop)s, 0)",
    "SELECT codecairn.forget_garbage(%(shop)s, ARRAY[%(name)s]::bytea[], 0)",
    "SELECT codecairn.revoke_grant(%(bank)s, 1)",
    "SELECT codecairn.lock_out('bob')",
    "SELECT codecairn.end_sessions('bob')",
    "SELECT codecairn.end_sessions_of('owner')",
    "SELECT codecairn.adopt('owner')",
    "TRUNCATE codecairn.facts",
    "DROP TABLE codecairn.facts",
    "CREATE TABLE codecairn.mine ()",
    "CREATE FUNCTION codecairn.f() RETURNS integer LANGUAGE sql RETURN 1",
    "ALTER TABLE codecairn.facts DISABLE ROW LEVEL SECURITY",
    "ALTER ROLE owner SUPERUSER",
    "CREATE ROLE mallory",
    "SET SESSION AUTHORIZATION owner",
    "SET ROLE owner",
    "SELECT rolpassword FROM pg_authid",
    "SELECT pg_read_file('/etc/passwd')",
    "COPY codecairn.facts TO PROGRAM 'true'",
    "INSERT INTO codecairn.facts (repository, fact, kind, body, valid_from) "
    "VALUES (%(shop)s, repeat('a', 20), 'ended', 'b', now())",
)


@pytest.mark.parametrize("statement", _AS_READER)
def test_what_a_role_does_not_cover_is_refused(
    team: Team, as_member: Connect, statement: str
) -> None:
    _fill(team)
    ids = {name: repository.id for name, repository in team.repositories.items()}
    with pytest.raises(_DENIED):
        as_member("ann").execute(statement.encode(), {**ids, "name": os.urandom(32)})


def test_a_statement_that_reaches_rows_of_others_changes_none(
    team: Team, as_member: Connect
) -> None:
    _fill(team)
    ann = as_member("ann")
    for statement in (
        "UPDATE codecairn.grants SET role = 'admin', granted_by = codecairn.current_member()",
        "UPDATE codecairn.repositories SET key_generation = 7",
        "UPDATE codecairn.garbage SET deleted_at = now()",
    ):
        assert ann.execute(statement.encode()).rowcount == 0, statement


def test_the_server_sets_who_and_when(team: Team, as_member: Connect) -> None:
    _fill(team)
    ann, shop = as_member("ann"), team.repositories["shop"].id
    name = os.urandom(32)
    ann.execute(
        "INSERT INTO codecairn.manifests (repository, id, objects) VALUES (%s, %s, %s)",
        [shop, name, name],
    )
    ann.execute(
        "INSERT INTO codecairn.refs VALUES (%s, 'b', 1, 'p', %s, 1, '2001-01-01')", [shop, name]
    )
    row = ann.execute(
        "SELECT members.name, published_at > clock_timestamp() - interval '1 minute' FROM codecairn.refs "
        "JOIN codecairn.members ON members.id = publisher WHERE branch = 'b'"
    ).fetchone()
    assert row == ("ann", True)
    for epoch in (1, 3, 9):
        with pytest.raises(psycopg.errors.CheckViolation):
            ann.execute("UPDATE codecairn.refs SET epoch = %s WHERE branch = 'b'", [epoch])


def test_a_role_that_is_no_member_reaches_nothing(team: Team, postgres: PostgresServer) -> None:
    name = f"outsider_{team.database}"
    with postgres.connect("postgres", "super", autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'p'").format(sql.Identifier(name))
        )
    url = f"postgresql://{name}:p@127.0.0.1:{postgres.port}/{team.database}"
    with pytest.raises(RemoteRefused), connected(url):
        pass
    # Whoever does not own the database can't close it: the schema refuses, too.
    with postgres.connect(team.database, "super", autocommit=True) as connection:
        connection.execute(
            sql.SQL("GRANT CONNECT ON DATABASE {} TO PUBLIC").format(sql.Identifier(team.database))
        )
    with connected(url) as connection, pytest.raises(RemoteRefused):
        Catalog(connection).repositories()
    with connected(url) as connection, pytest.raises(_DENIED):
        connection.execute("SELECT codecairn.current_member()")


def test_a_member_of_another_team_on_the_same_server_reaches_nothing(
    team: Team, postgres: PostgresServer
) -> None:
    other = Team.make(postgres)
    conninfo = other.conninfo("bob").replace(f"dbname={other.database}", f"dbname={team.database}")
    with pytest.raises(RemoteRefused), connected(conninfo):
        pass


def test_members_learn_who_may_read_only_of_repositories_that_they_may_read(
    team: Team, as_member: Connect
) -> None:
    shop, bank = (team.repositories[name].id for name in ("shop", "bank"))
    of_ann, of_bob, of_eve = (Catalog(as_member(name)) for name in ("ann", "bob", "eve"))
    assert of_ann.may_read(shop, "ann")
    assert of_ann.may_read(bank, "bob")
    assert not of_ann.may_read(shop, "bob")
    assert not of_ann.may_read(bank, "eve")
    assert not of_ann.may_read(bank, "stranger")
    assert not of_ann.may_read("0" * 32, "ann")
    assert not of_bob.may_read(shop, "ann")
    assert not of_eve.may_read(bank, "bob")
    of_bob.revoke(of_bob.repository("bank"), "ann")
    assert not of_bob.may_read(bank, "ann")
    with connected(team.owner_url) as connection:
        owner = Catalog(connection)
        team.invite("zoe")
        owner.grant(team.repositories["shop"], "zoe", "reader")
        assert not of_ann.may_read(shop, "zoe")  # she has not joined
        team.join("zoe")
        assert of_ann.may_read(shop, "zoe")
        owner.remove_member("zoe")
        assert not of_ann.may_read(shop, "zoe")
