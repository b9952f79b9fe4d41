"""A database that crashes, again and again: what was acknowledged stays, and every branch is whole."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn.errors import RemoteUnavailable
from codecairn.objects.folder_store import FolderStore
from codecairn.team.connection import connected
from codecairn.team.ref_store import TeamRefStore
from support.postgres import PostgresServer
from support.team import Team
from support.team_process import missing_objects

ROOT = Path(__file__).parents[2]


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server of this test's own, which may be crashed."""
    made = PostgresServer()
    yield made
    made.remove()


@pytest.mark.parametrize(
    "crashes", [3, pytest.param(200, marks=[pytest.mark.slow, pytest.mark.timeout(3_600)])]
)
def test_publishers_go_on_after_each_crash_and_lose_nothing(
    server: PostgresServer, tmp_path: Path, crashes: int
) -> None:
    team, store = Team.make(server), FolderStore(tmp_path / "objects")
    shop, rounds, draw = team.repositories["shop"].id, 25 * crashes, random.Random(crashes)
    publishers = [
        subprocess.Popen(
            [
                sys.executable, "-m", "support.team_process", "endure", team.conninfo("ann"), store.place, shop,
                branch, str(rounds),
            ],
            cwd=ROOT / "tests", env={**os.environ, "PYTHONPATH": str(ROOT / "tests")}, stdout=subprocess.PIPE, text=True,
        )
        for branch in ("main", "main", "other")
    ]  # fmt: skip
    for _ in range(crashes):
        for publisher in publishers[draw.randrange(3) :]:
            assert publisher.stdout is not None
            publisher.stdout.readline()  # it is at work
        server.stop()
        with pytest.raises(RemoteUnavailable), connected(team.conninfo("ann")):
            pass
        server.start()
    for publisher in publishers:
        publisher.communicate(timeout=1_800)
        assert publisher.returncode == 0
    with connected(team.owner_url) as connection:
        assert missing_objects(connection, store, shop) == []
        rows = dict(connection.execute("SELECT branch, epoch FROM codecairn.refs").fetchall())
        # A publication whose acknowledgement was lost in a crash may have been made, too: one for each publisher.
        assert 2 * rounds <= rows["main"] <= 2 * (rounds + crashes)
        assert rounds <= rows["other"] <= rounds + crashes


def test_a_server_that_is_gone_is_an_error_at_once(server: PostgresServer) -> None:
    team = Team.make(server)
    with connected(team.conninfo("ann")) as connection:
        server.stop()
        refs = TeamRefStore(connection, team.repositories["shop"].id, FolderStore(Path("/nowhere")))
        with pytest.raises(RemoteUnavailable):
            refs.read("main")
