"""Connections: bounded in time, verified where they leave the machine, and silent about passwords."""

import socket
import time
from pathlib import Path

import pytest

from codecairn.errors import (
    CodecairnError,
    InternalError,
    RemoteRefused,
    RemoteUnavailable,
    StoreTooNew,
    UsageError,
)
from codecairn.team import administration
from codecairn.team import connection as connection_module
from codecairn.team.catalog import Catalog
from codecairn.team.connection import (
    connected,
    environment_url,
    parsed,
    place_of,
    translated,
    without_password,
)
from codecairn.team.migrations import Migration, migrate, migrations, team_tag
from codecairn.team.setup import make_team
from support.postgres import PostgresServer
from support.team import Team

SECRET = "s3cret-pa55"


@pytest.fixture
def silent() -> "socket.socket":
    """A server that accepts and never answers."""
    server = socket.create_server(("127.0.0.1", 0))
    yield server  # type: ignore[misc]
    server.close()


def test_a_database_that_never_answers_is_given_up_in_time(
    silent: "socket.socket", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "CONNECT_TIMEOUT_S", 2)
    port = silent.getsockname()[1]
    began = time.monotonic()
    url = f"postgresql://ann:{SECRET}@127.0.0.1:{port}/x?connect_timeout=600"
    with pytest.raises(RemoteUnavailable) as caught, connected(url):
        pass
    assert time.monotonic() - began < 10
    assert SECRET not in str(caught.value)
    assert "local index and memory work without it" in caught.value.hint


@pytest.mark.parametrize(
    "conninfo",
    [
        "host=127.0.0.1 port=1 user=ann password={0}",
        "postgresql://ann:{0}@127.0.0.1:1/x",
        "postgresql://ann:{0}@127.0.0.1:99999/x",
        "postgresql://ann:{0}@[::1/x",
        "host=127.0.0.1 nonsense={0}",
        "password={0} service=nowhere",
        "{0}",
        "postgresql://ann:{0}@127.0.0.1/x?sslmode={0}",
        "host='{0}",
    ],
)
def test_no_failure_shows_a_password(conninfo: str) -> None:
    with pytest.raises(CodecairnError) as caught, connected(conninfo.format(SECRET)):
        pass
    assert SECRET not in f"{caught.value} {caught.value.hint}"


def test_a_wrong_password_is_named_and_not_shown(postgres: PostgresServer) -> None:
    url = f"postgresql://owner:{SECRET}@127.0.0.1:{postgres.port}/postgres"
    refused = pytest.raises(RemoteUnavailable, match="password authentication failed")
    with refused as caught, connected(url):
        pass
    assert SECRET not in str(caught.value)


def test_an_address_loses_its_password_where_it_is_kept_or_shown() -> None:
    url = f"postgresql://ann:{SECRET}@db.example.com:6543/team?sslmode=require"
    kept, password = without_password(url)
    assert password == SECRET
    assert SECRET not in kept
    assert parsed(kept) == {
        "user": "ann", "host": "db.example.com", "port": "6543", "dbname": "team", "sslmode": "require",
    }  # fmt: skip
    assert place_of(url) == "db.example.com/team"
    assert place_of(f"service=acme password={SECRET}") == "service acme"


def test_a_server_elsewhere_is_verified_unless_the_user_decides_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PGSSLMODE", raising=False)
    of = connection_module._with_defaults
    elsewhere = of(parsed("postgresql://db.example.com/x"))
    assert (elsewhere["sslmode"], elsewhere["sslrootcert"]) == ("verify-full", "system")
    own = of(parsed("host=db.example.com sslrootcert=/ca.pem"))
    assert (own["sslmode"], own["sslrootcert"]) == ("verify-full", "/ca.pem")
    assert of(parsed("host=db.example.com sslmode=require"))["sslmode"] == "require"
    assert "sslmode" in of(parsed("host=localhost,db.example.com"))
    for here in ("host=localhost", "host=/run/postgresql", "hostaddr=127.0.0.1", "dbname=x"):
        assert "sslmode" not in of(parsed(here))
    assert of({"connect_timeout": "0"})["connect_timeout"] == "5"
    assert of({"connect_timeout": "3"})["connect_timeout"] == "3"
    assert of({"connect_timeout": "x"})["connect_timeout"] == "5"


def test_service_and_password_files_of_libpq_work(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, passwords = tmp_path / "services", tmp_path / "passwords"
    port, owner = team.server.port, f"127.0.0.1:{team.server.port}:{team.database}:owner"
    service.write_text(f"[acme]\nhost=127.0.0.1\nport={port}\nuser=owner\ndbname={team.database}\n")
    passwords.write_text(f"{owner}:{team.server.password}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGSERVICEFILE", str(service))
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    monkeypatch.setenv("CODECAIRN_TEAM_URL", " service=acme ")
    with connected(environment_url()) as connection:
        assert Catalog(connection).team()[1] == "acme"


def test_a_database_without_a_team_says_so(postgres: PostgresServer) -> None:
    url = postgres.url(postgres.new_database())
    with connected(url) as connection, pytest.raises(UsageError, match="no team in that database"):
        Catalog(connection).repositories()


def test_a_server_that_ends_in_the_middle_is_unavailable(postgres: PostgresServer) -> None:
    with connected(postgres.url("postgres")) as connection:
        (pid,) = connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        with postgres.connect("postgres", "super", autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [pid])
        with pytest.raises(RemoteUnavailable), translated():
            connection.execute("SELECT 1")
        with pytest.raises(RemoteUnavailable), translated():
            connection.execute("SELECT 1")


@pytest.mark.parametrize(
    ("breakage", "kind"),
    [
        ("REVOKE SELECT ON codecairn.refs FROM {group}", RemoteRefused),
        ("ALTER TABLE codecairn.facts RENAME TO other", UsageError),
        ("ALTER TABLE codecairn.usage RENAME COLUMN kind TO other", InternalError),
    ],
)
def test_a_status_that_the_database_does_not_give_is_an_error_that_says_so(
    team: Team, breakage: str, kind: type[CodecairnError]
) -> None:
    with connected(team.owner_url) as owner:
        group = f'"codecairn.{team_tag(team.database)}"'
        owner.execute(breakage.format(group=group).encode())
    with pytest.raises(kind, match="database"):
        administration.status(team.membership("ann"))


def test_a_team_is_made_once_and_migrated_again_without_effect(team: Team) -> None:
    with connected(team.owner_url) as connection:
        before = Catalog(connection).team()
        again = make_team(connection, "other", "zoe", signing_key=bytes(32), sealing_key=bytes(32))
        assert (again, Catalog(connection).team()) == (before[0], before)
        assert migrate(connection) == 0
        versions = connection.execute("SELECT version FROM codecairn.migrations ORDER BY 1")
        assert [version for (version,) in versions] == [each.version for each in migrations()]


def test_a_migration_that_fails_leaves_nothing(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = (*migrations(), Migration(version=99, name="0099_x.sql", text="SELECT broken"))
    monkeypatch.setattr("codecairn.team.migrations.migrations", lambda: broken)
    with connected(postgres.url(postgres.new_database())) as connection:
        with pytest.raises(CodecairnError):
            make_team(connection, "a", "b", signing_key=bytes(32), sealing_key=bytes(32))
        row = connection.execute("SELECT to_regnamespace('codecairn')").fetchone()
        assert row == (None,)


def test_each_older_format_is_migrated(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = migrations()
    for count in range(1, len(known)):
        with connected(postgres.url(postgres.new_database())) as connection:
            with monkeypatch.context() as patch:
                patch.setattr("codecairn.team.migrations.migrations", lambda n=count: known[:n])
                assert migrate(connection) == count
            assert migrate(connection) == len(known) - count


def test_a_newer_and_a_foreign_format_are_refused(team: Team) -> None:
    with connected(team.owner_url) as connection:
        connection.execute("INSERT INTO codecairn.migrations VALUES (99, '0099_x.sql', 'x')")
        with pytest.raises(StoreTooNew, match="has format 99"):
            migrate(connection)
        connection.execute("DELETE FROM codecairn.migrations WHERE version = 99")
        connection.execute("UPDATE codecairn.migrations SET sha256 = 'x' WHERE version = 1")
        with pytest.raises(UsageError, match=r"made by another `0001_catalog\.sql`"):
            migrate(connection)


def test_a_role_that_may_not_make_a_team_is_refused(team: Team) -> None:
    with connected(team.conninfo("ann")) as connection, pytest.raises(CodecairnError):
        make_team(connection, "a", "b", signing_key=bytes(32), sealing_key=bytes(32))


def test_tags_tell_databases_apart() -> None:
    assert team_tag("acme_2") == "acme_2"
    unusual = {team_tag(name) for name in ("Acme", "acme-2", "a" * 25, "a'; --", "a" * 63)}
    assert len(unusual) == 5
    assert all(len(tag) == 16 and tag.isalnum() for tag in unusual)
