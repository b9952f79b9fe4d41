"""A PostgreSQL server for all tests of a process, and a fresh team in a database of its own for each test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection

from codecairn.team.connection import connected
from codecairn.team.membership import Membership, memberships
from support.nodes import Node
from support.postgres import PostgresServer
from support.team import Team
from support.team_people import People, make_team


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The server."""
    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture
def team(postgres: PostgresServer) -> Team:
    """A team with two repositories, `shop` and `bank`, and the members `ann`, `bob` and `eve`.

    ann publishes to `shop` and reads `bank`, bob administers `bank`, and eve has no grant.
    """
    return Team.make(postgres)


@pytest.fixture
def as_member(team: Team) -> Iterator[Callable[[str], "Connection[Any]"]]:
    """Opens connections as a member of `team`, which are closed at the end."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda name: stack.enter_context(connected(team.conninfo(name)))


@pytest.fixture
def people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> People:
    """Runs commands as one person or another."""
    return People(tmp_path, monkeypatch, capsys)


@pytest.fixture
def acme(people: People, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> People:
    """People of a team with the repository `shop`, whose owner is `olga`."""
    make_team(people, postgres, monkeypatch)
    return people


@pytest.fixture
def bob(acme: People, node: Node, monkeypatch: pytest.MonkeyPatch) -> Membership:
    """The membership of bob, who may read what the test's `node` serves."""
    monkeypatch.setenv("CODECAIRN_HOME", str(acme.home("bob")))
    return memberships()[0]
