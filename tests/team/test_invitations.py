"""The file of an invitation comes from elsewhere: it decides where its own database is, and reaches nothing else of the user's."""

import json
import select
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codecairn.errors import CodecairnError, FileAccessError, RemoteUnavailable, UsageError
from codecairn.team import connection as connection_module
from codecairn.team.connection import connected, parsed
from codecairn.team.invitation import conninfo_for, read_invitation
from codecairn.team.membership import membership
from support.postgres import PostgresServer
from support.team_people import People, invited

SECRET = "s3cret-pa55"
GOOD = "host=db.example.com port=5433 dbname=acme user=codecairn.acme.ann"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the file of an invitation with these fields."""

    def written(**fields: Any) -> Path:
        document = {
            "format": "codecairn-invitation-v1", "team_id": "0" * 32, "team": "acme", "member": "ann",
            "conninfo": GOOD, "password": "p", "key": "0" * 64, "introduction": "", "known_keys": {}, "repositories": [],
            **fields,
        }  # fmt: skip
        file = tmp_path / "invitation"
        file.write_text(json.dumps(document))
        file.chmod(0o600)
        return file

    return written


@pytest.mark.parametrize(
    "more",
    [
        "passfile=/home/ann/.pgpass", "service=prod", "hostaddr=192.0.2.1", "sslrootcert=/tmp/ca.pem",
        "sslkey=/home/ann/.ssh/id_rsa", "sslcert=/home/ann/c.pem", "options='-c search_path=x'", "gssencmode=require",
        "krbsrvname=x", "require_auth=password", "sslmode=require", "sslmode=verify-ca", "sslmode=disable",
        "sslmode=prefer", "sslmode=allow", "requirepeer=x", "replication=1", "connect_timeout=9999",
        "host=localhost,db.example.com sslmode=disable", "password=other",
    ],
)  # fmt: skip
def test_what_reads_files_of_the_user_or_verifies_no_server_is_refused(
    write: Write, more: str
) -> None:
    reason = "does not set|does not verify which|has no password"
    with pytest.raises(FileAccessError, match=f"is no invitation: .*({reason})"):
        read_invitation(write(conninfo=f"{GOOD} {more}"))


@pytest.mark.parametrize(
    "fields",
    [
        {"password": ""}, {"conninfo": "dbname=x user=y"}, {"conninfo": "host=h user=y"}, {"conninfo": ""},
        {"conninfo": "host=h dbname=x"}, {"conninfo": "service=prod"}, {"conninfo": "postgresql:///x"}, {"password": None},
    ],
)  # fmt: skip
def test_what_libpq_would_fill_in_from_elsewhere_is_refused(
    write: Write, fields: dict[str, Any]
) -> None:
    reason = "does not set|does not name|has no password|no team's database|a text is missing"
    with pytest.raises(FileAccessError, match=f"is no invitation: .*({reason})"):
        read_invitation(write(**fields))


@pytest.mark.parametrize(
    "conninfo",
    [
        GOOD, f"{GOOD} sslmode=verify-full channel_binding=require target_session_attrs=read-write",
        "host=a.example,b.example port=1,2 dbname=x user=y", "host=localhost dbname=x user=y sslmode=disable",
        "host=/run/postgresql dbname=x user=y", "postgresql://y@127.0.0.1/x?sslmode=prefer",
    ],
)  # fmt: skip
def test_what_names_a_database_alone_is_taken(write: Write, conninfo: str) -> None:
    assert read_invitation(write(conninfo=conninfo)).conninfo == conninfo


def test_a_new_member_verifies_the_server_however_the_inviting_one_reaches_it() -> None:
    reached = {"host": "db.example.com", "port": "5432", "dbname": "x", "user": "owner"}
    for own in ({}, {"sslmode": "require"}, {"sslmode": "disable", "sslrootcert": "/ca.pem"}):
        given = conninfo_for({**reached, **own, "passfile": "/p"}, login="ann")
        assert given == {**reached, "user": "ann", "sslmode": "verify-full"}
    here = conninfo_for({**reached, "host": "localhost", "sslmode": "disable"}, login="ann")
    assert here["sslmode"] == "disable"


def test_certificates_of_authorities_are_the_users_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("APPDATA", str(tmp_path / ".postgresql"))
    monkeypatch.setenv("PGSSLMODE", "disable")
    monkeypatch.delenv("PGSSLROOTCERT", raising=False)
    of = connection_module._isolated
    assert (of(parsed(GOOD))["sslmode"], of(parsed(GOOD))["sslrootcert"]) == (
        "verify-full", "system",
    )  # fmt: skip
    monkeypatch.setenv("PGSSLROOTCERT", "/ca.pem")
    assert of(parsed(GOOD))["sslrootcert"] == "/ca.pem"
    assert "sslrootcert" not in of(parsed("host=localhost dbname=x user=y"))


class Server:
    """A server of an attacker's: it asks for the password in plain text, and keeps what it gets."""

    def __init__(self, host: str) -> None:
        self._listener = socket.create_server((host, 0))
        self.port: int = self._listener.getsockname()[1]
        self.got: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client:
                client.settimeout(5)
                self._talk(client)

    def _talk(self, client: socket.socket) -> None:
        try:
            while message := client.recv(4096):
                self.got.append(message)
                is_request = len(message) == 8  # for TLS or GSSAPI
                client.sendall(b"N" if is_request else b"R" + struct.pack("!II", 8, 3))
        except OSError:
            return


@pytest.fixture
def hostile() -> Iterator[Server]:
    server = Server("127.0.0.1")
    yield server
    server.close()


def test_passwords_and_services_of_the_user_reach_no_server_of_an_invitation(
    hostile: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passwords, services = tmp_path / "passwords", tmp_path / "services"
    passwords.write_text(f"*:*:*:*:{SECRET}\n")
    passwords.chmod(0o600)
    services.write_text(f"[prod]\npassword={SECRET}\nuser={SECRET}\noptions=-c {SECRET}\n")
    for name, value in (
        ("PGPASSWORD", SECRET), ("PGPASSFILE", str(passwords)), ("PGSERVICEFILE", str(services)), ("PGUSER", SECRET),
        ("PGSERVICE", "prod"), ("PGOPTIONS", f"-c {SECRET}"), ("PGHOSTADDR", "192.0.2.1"), ("PGDATABASE", SECRET),
    ):  # fmt: skip
        monkeypatch.setenv(name, value)
    conninfo = f"host=127.0.0.1 port={hostile.port} dbname=x user=y"
    with (
        pytest.raises(RemoteUnavailable),
        connected(conninfo, password="of the invitation", is_isolated=True),
    ):
        pass
    assert any(b"of the invitation" in message for message in hostile.got)
    assert not any(SECRET.encode() in message for message in hostile.got)
    hostile.got.clear()
    with pytest.raises(UsageError, match="no password"), connected(conninfo, is_isolated=True):
        pass
    assert hostile.got == []


def test_a_server_elsewhere_that_knows_no_tls_gets_no_password() -> None:
    try:
        server = Server("127.0.0.2")
    except OSError:
        pytest.skip("this machine has one loopback address")
    conninfo = f"host=127.0.0.2 port={server.port} dbname=x user=y"
    with (
        pytest.raises(CodecairnError, match="SSL"),
        connected(conninfo, password=SECRET, is_isolated=True),
    ):
        pass
    server.close()
    assert server.got
    assert not any(SECRET.encode() in message for message in server.got)


def test_a_member_who_joined_is_reached_by_the_invitation_alone(
    acme: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", "another")
    monkeypatch.setenv("PGHOSTADDR", "192.0.2.1")
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    file = invited_with(acme, monkeypatch)
    acme("ann", "team", "join", str(file))
    assert acme("ann", "team", "status")["teams"][0]["member"] == "ann"


def invited_with(acme: People, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An invitation by the owner, whom the variables concern."""
    with monkeypatch.context() as patch:
        for name in ("PGPASSWORD", "PGHOSTADDR", "PGSSLMODE"):
            patch.delenv(name)
        return invited(acme, "ann", "reader")


class Proxy:
    """Passes bytes between a client and the database, until the client commits: then the client's connection ends.

    With `is_committed` the server gets the commit, and only its answer is lost.
    """

    def __init__(self, port: int, *, is_committed: bool) -> None:
        self._server = ("127.0.0.1", port)
        self._is_committed = is_committed
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        client, _ = self._listener.accept()
        with self._listener, client, socket.create_connection(self._server) as server:
            while True:
                ready, _, _ = select.select([client, server], [], [], 10)
                for each in ready:
                    data = each.recv(65536)
                    if each is client and b"COMMIT" in data:
                        if self._is_committed:
                            server.sendall(data)
                            server.recv(65536)
                        return
                    if not data:
                        return
                    (server if each is client else client).sendall(data)


@pytest.mark.parametrize("is_committed", [True, False])
def test_who_does_not_learn_whether_joining_worked_runs_it_again(
    acme: People, monkeypatch: pytest.MonkeyPatch, *, is_committed: bool
) -> None:
    file = invited(acme, "ann", "publisher")
    document = json.loads(file.read_text())
    port = int(parsed(document["conninfo"])["port"])
    proxy = Proxy(port, is_committed=is_committed)
    through = file.with_name("through the proxy")
    through.write_text(
        json.dumps(
            {
                **document,
                "conninfo": document["conninfo"].replace(f"port={port}", f"port={proxy.port}"),
            }
        )
    )
    through.chmod(0o600)
    error = acme("ann", "team", "join", str(through), code=1)["error"]
    assert error["kind"] == "remote-unavailable"
    assert "run the command again" in error["hint"]
    assert "you belong to no team" in acme.lines("ann", "team", "status")
    assert acme("ann", "team", "join", str(file))["member"] == "ann"
    (status,) = acme("ann", "team", "status")["teams"]
    assert status["repositories"][0]["has_key"]
    (kept,) = (acme.home("ann") / "data" / "team").iterdir()
    assert kept.suffix == ".json"
    monkeypatch.setenv("CODECAIRN_HOME", str(acme.home("ann")))
    assert membership(None).password != document["password"]


def test_an_owner_who_does_not_learn_whether_the_team_was_made_runs_it_again(
    people: People, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.url(postgres.new_database())
    proxy = Proxy(postgres.port, is_committed=True)
    init = ("team", "init", "acme", "--member", "olga")
    monkeypatch.setenv("CODECAIRN_TEAM_URL", url.replace(f":{postgres.port}", f":{proxy.port}"))
    assert people("olga", *init, code=1)["error"]["kind"] == "remote-unavailable"
    monkeypatch.setenv("CODECAIRN_TEAM_URL", url)
    people("mallory", *init, code=2)
    assert people("olga", *init)["member"] == "olga"
    people("olga", "team", "add", "shop", "--store", str(people.folder / "objects"))
    (kept,) = (people.home("olga") / "data" / "team").iterdir()
    assert kept.suffix == ".json"
