"""The head of a branch moves by one epoch at a time, and of several publishers one wins each."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection

from codecairn.errors import RemoteConflict, RemoteRefused, UsageError
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.pointer import Pointer, open_pointer
from codecairn.objects.signature import public_key_of
from codecairn.team.connection import connected
from codecairn.team.ref_store import TeamRefStore
from support.team import Team

KEY = os.urandom(32)
BRANCHES = (
    "main", "", "feature/x", "o'hara", '"; DROP SCHEMA codecairn CASCADE; --', "'); DELETE FROM codecairn.refs; --",
    "%s %(x)s $1 {} \\", "ветка-分支-🙂", "../../etc/passwd", "b" * 1000,
)  # fmt: skip


def _pointer(team: Team, branch: str, epoch: int) -> Pointer:
    return Pointer(
        repository=team.repositories["shop"].id, branch=branch, epoch=epoch, commit="", made_ns=0,
        manifest=os.urandom(32).hex(), manifest_bytes=1,
    )  # fmt: skip


def _branches(connection: Connection[tuple[Any, ...]]) -> list[str]:
    return [branch for (branch,) in connection.execute("SELECT branch FROM codecairn.refs")]


def _publish(refs: TeamRefStore, pointer: Pointer) -> None:
    refs.publish(
        pointer.branch, pointer, pointer.signed(KEY), expected_epoch=pointer.epoch - 1, objects=[]
    )


@pytest.mark.parametrize("branch", BRANCHES)
def test_what_is_published_is_read_whatever_the_branch_is_called(
    team: Team, tmp_path: Path, branch: str
) -> None:
    store, shop = FolderStore(tmp_path), team.repositories["shop"].id
    with connected(team.conninfo("ann")) as connection:
        refs = TeamRefStore(connection, shop, store)
        assert refs.read(branch) is None
        for epoch in (1, 2):
            pointer = _pointer(team, branch, epoch)
            _publish(refs, pointer)
            signed = refs.read(branch)
            assert signed is not None
            accepted = {public_key_of(KEY)}
            found, _ = open_pointer(signed, repository=shop, branch=branch, accepted=accepted)
            assert found == pointer


@pytest.mark.parametrize("branch", ["a\nb", "a\x1b[2J", "b" * 1001, "a\0b"])
def test_branches_that_git_has_not_are_refused(team: Team, tmp_path: Path, branch: str) -> None:
    with connected(team.conninfo("ann")) as connection:
        refs = TeamRefStore(connection, team.repositories["shop"].id, FolderStore(tmp_path))
        with pytest.raises(UsageError):
            _publish(refs, _pointer(team, branch, 1))
        assert _branches(connection) == []


def test_an_older_epoch_is_refused_and_changes_nothing(team: Team, tmp_path: Path) -> None:
    with connected(team.conninfo("ann")) as connection:
        refs = TeamRefStore(connection, team.repositories["shop"].id, FolderStore(tmp_path))
        _publish(refs, _pointer(team, "main", 1))
        second = _pointer(team, "main", 2)
        _publish(refs, second)
        for epoch in (1, 2, 4):
            with pytest.raises(RemoteConflict, match="another publisher was first"):
                _publish(refs, _pointer(team, "main", epoch))
        assert refs.read("main") == second.signed(KEY)
        with pytest.raises(UsageError, match="does not follow"):
            refs.publish("main", second, b"x", expected_epoch=2, objects=[])


def test_a_reader_publishes_nothing_and_an_outsider_reads_nothing(
    team: Team, tmp_path: Path
) -> None:
    shop, bank = team.repositories["shop"].id, team.repositories["bank"].id
    with connected(team.conninfo("ann")) as connection:
        _publish(TeamRefStore(connection, shop, FolderStore(tmp_path)), _pointer(team, "main", 1))
        refs = TeamRefStore(connection, bank, FolderStore(tmp_path))
        with pytest.raises(RemoteRefused):
            _publish(refs, _pointer(team, "main", 1))
    with connected(team.conninfo("eve")) as connection:
        refs = TeamRefStore(connection, shop, FolderStore(tmp_path))
        assert refs.read("main") is None
        assert _branches(connection) == []
        for epoch in (1, 2):
            with pytest.raises((RemoteRefused, RemoteConflict)):
                _publish(refs, _pointer(team, "main", epoch))


def test_of_ten_publishers_exactly_one_wins_each_epoch(team: Team, tmp_path: Path) -> None:
    epochs, publishers, shop = 12, 10, team.repositories["shop"].id
    start = threading.Barrier(publishers)

    def race(_number: int) -> list[tuple[int, bytes]]:
        won = []
        with connected(team.conninfo("ann")) as connection:
            refs = TeamRefStore(connection, shop, FolderStore(tmp_path))
            for epoch in range(1, epochs + 1):
                pointer = _pointer(team, "main", epoch)
                start.wait()
                try:
                    _publish(refs, pointer)
                except RemoteConflict:
                    continue
                finally:
                    start.wait()
                won.append((epoch, pointer.signed(KEY)))
        return won

    with ThreadPoolExecutor(publishers) as pool:
        won = [each for found in pool.map(race, range(publishers)) for each in found]
    assert sorted(epoch for epoch, _ in won) == [*range(1, epochs + 1)]
    with connected(team.conninfo("ann")) as connection:
        refs = TeamRefStore(connection, shop, FolderStore(tmp_path))
        assert refs.read("main") == dict(won)[epochs]
        row = connection.execute("SELECT epoch FROM codecairn.refs").fetchone()
        assert row == (epochs,)
        counts = connection.execute(
            "SELECT count(*), count(*) FILTER (WHERE retired_at IS NULL) FROM codecairn.manifests"
        )
        assert counts.fetchone() == (epochs, 1)


@pytest.mark.parametrize("bad", ["garbage", "far ahead", "another branch"])
def test_a_pointer_that_a_publisher_made_useless_is_replaced(
    team: Team, tmp_path: Path, bad: str
) -> None:
    shop, manifest = team.repositories["shop"].id, os.urandom(32)
    pointer = {
        "garbage": b"x",
        "far ahead": _pointer(team, "main", 10**9).signed(KEY),
        "another branch": _pointer(team, "other", 7).signed(KEY),
    }[bad]
    with connected(team.conninfo("ann")) as connection:
        connection.execute(
            "INSERT INTO codecairn.manifests (repository, id, objects) VALUES (%s, %s, %s)",
            [shop, manifest, manifest],
        )
        connection.execute(
            "INSERT INTO codecairn.refs VALUES (%s, 'main', 1, %s, %s, 1, now())",
            [shop, pointer, manifest],
        )
        refs = TeamRefStore(connection, shop, FolderStore(tmp_path))
        expected = {"garbage": 0, "far ahead": 10**9, "another branch": 7}[bad]
        with pytest.raises(RemoteConflict):
            _publish(refs, _pointer(team, "main", expected + 2))
        good = _pointer(team, "main", expected + 1)
        _publish(refs, good)
        assert refs.read("main") == good.signed(KEY)


def test_an_administrator_deletes_a_branch_and_its_epochs_go_on(team: Team, tmp_path: Path) -> None:
    shop, store = team.repositories["shop"].id, FolderStore(tmp_path)
    with connected(team.conninfo("ann")) as connection, connected(team.owner_url) as owner:
        refs, own = TeamRefStore(connection, shop, store), TeamRefStore(owner, shop, store)
        _publish(refs, _pointer(team, "main", 1))
        with pytest.raises(RemoteRefused, match="only administrators"):
            refs.delete("main")
        assert own.delete("main")
        assert not own.delete("main")
        assert refs.read("main") is None
        live = connection.execute(
            "SELECT count(*) FROM codecairn.manifests WHERE retired_at IS NULL"
        )
        assert live.fetchone() == (0,)
        later = _pointer(team, "main", 2)
        refs.publish("main", later, later.signed(KEY), expected_epoch=0, objects=[])
        assert refs.read("main") == later.signed(KEY)
