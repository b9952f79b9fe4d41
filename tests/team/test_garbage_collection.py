"""Garbage collection deletes what no manifest names, and nothing that a publication names meanwhile."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn.errors import RemoteConflict, RemoteRefused
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.pointer import Pointer
from codecairn.team.catalog import CatalogRepository
from codecairn.team.connection import connected
from codecairn.team.garbage_collection import CollectedGarbage, GarbageCollector
from codecairn.team.leases import GARBAGE_COLLECTION, lease
from codecairn.team.ref_store import TeamRefStore, object_key
from support.team import Team
from support.team_process import KEY, missing_objects, publish_once, upload

ROOT = Path(__file__).parents[2]


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path / "objects")


@pytest.fixture
def shop(team: Team) -> CatalogRepository:
    return team.repositories["shop"]


def _collect(team: Team, store: FolderStore, grace_s: int, **options: bool) -> CollectedGarbage:
    with connected(team.owner_url) as connection:
        collector = GarbageCollector(connection, team.repositories["shop"], store, grace_s=grace_s)
        return collector.run(**options)


def _publish(team: Team, store: FolderStore, branch: str, epoch: int, *contents: str) -> Pointer:
    shop = team.repositories["shop"].id
    names = [upload(store, shop, content.encode()) for content in contents]
    manifest = upload(store, shop, "\n".join(sorted(names)).encode())
    pointer = Pointer(
        repository=shop, branch=branch, epoch=epoch, commit="", manifest=manifest, manifest_bytes=1,
        made_ns=0,
    )  # fmt: skip
    with connected(team.conninfo("ann")) as connection:
        TeamRefStore(connection, shop, store).publish(
            branch, pointer, pointer.signed(KEY), expected_epoch=epoch - 1, objects=names
        )
    return pointer


def _age(team: Team, days: int) -> None:
    """Let time pass for all that is condemned or retired."""
    with connected(team.owner_url) as connection:
        for statement in (
            "UPDATE codecairn.garbage SET condemned_at = condemned_at - make_interval(days => %s)",
            "UPDATE codecairn.manifests SET retired_at = retired_at - make_interval(days => %s)",
        ):
            connection.execute(statement.encode(), [days])


def test_what_no_manifest_names_is_deleted_after_its_grace_period(
    team: Team, store: FolderStore
) -> None:
    day = 86_400
    _publish(team, store, "main", 1, "a", "b")
    _publish(team, store, "main", 2, "b", "c")
    _publish(team, store, "other", 1, "d")
    report = _collect(team, store, day)
    assert (report.stored, report.live, report.waiting, report.deleted) == (7, 7, 0, 0)
    _age(team, 2)
    planned = _collect(team, store, day, dry_run=True)
    assert (planned.stored, planned.live, planned.waiting, planned.deleted) == (7, 5, 2, 0)
    for _ in range(2):
        report = _collect(team, store, day)
        assert (report.stored, report.live, report.waiting, report.deleted) == (7, 5, 2, 0)
    _age(team, 2)
    planned = _collect(team, store, day, dry_run=True)
    assert (planned.deleted, planned.is_dry_run) == (2, True)
    assert _collect(team, store, day).deleted == 2
    report = _collect(team, store, day)
    assert (report.stored, report.live, report.waiting, report.deleted) == (5, 5, 0, 0)


def test_what_is_no_object_is_left_alone(
    team: Team, store: FolderStore, shop: CatalogRepository
) -> None:
    keys = [
        f"{shop.id}/objects/{name[:2]}/{name[2:]}" for name in ("x" * 64, "0" * 63 + "g", "0" * 63)
    ]
    for key in keys:
        store.put(key, b"x")
    assert _collect(team, store, 0).stored == 0
    assert all(store.exists(key) for key in keys)


def test_what_is_condemned_and_then_published_stays(
    team: Team, store: FolderStore, shop: CatalogRepository
) -> None:
    name = upload(store, shop.id, b"a")
    assert _collect(team, store, 86_400).waiting == 1
    _publish(team, store, "main", 1, "a")
    _age(team, 9)
    assert _collect(team, store, 86_400).deleted == 0
    assert store.exists(object_key(shop.id, name))


def test_a_publication_that_names_what_was_collected_is_refused_until_it_is_there_again(
    team: Team, store: FolderStore, shop: CatalogRepository
) -> None:
    name = upload(store, shop.id, b"a")
    assert _collect(team, store, 0).deleted == 1
    pointer = Pointer(
        repository=shop.id, branch="main", epoch=1, commit="", manifest=os.urandom(32).hex(),
        manifest_bytes=1, made_ns=0,
    )  # fmt: skip
    with connected(team.conninfo("ann")) as connection:
        refs = TeamRefStore(connection, shop.id, store)
        for _ in range(2):
            with pytest.raises(RemoteConflict, match="removed an object that this index needs"):
                refs.publish("main", pointer, b"signed", expected_epoch=0, objects=[name])
        assert refs.read("main") is None
    _publish(team, store, "main", 1, "a")
    assert _collect(team, store, 0).deleted == 0
    assert store.exists(object_key(shop.id, name))


def test_an_object_that_came_back_unpublished_has_a_grace_period_of_its_own(
    team: Team, store: FolderStore, shop: CatalogRepository
) -> None:
    upload(store, shop.id, b"a")
    assert _collect(team, store, 0).deleted == 1
    upload(store, shop.id, b"a")
    report = _collect(team, store, 86_400)
    assert (report.waiting, report.deleted) == (1, 0)
    assert _collect(team, store, 0).deleted == 1


def test_one_process_collects_at_a_time_and_only_an_administrator_does(
    team: Team, store: FolderStore, shop: CatalogRepository
) -> None:
    with (
        connected(team.owner_url) as owner,
        lease(owner, shop.id, GARBAGE_COLLECTION, seconds=60),
        pytest.raises(RemoteConflict, match="`owner` holds the lease `gc`"),
    ):
        _collect(team, store, 0)
    with connected(team.conninfo("ann")) as connection, pytest.raises(RemoteRefused):
        GarbageCollector(connection, shop, store).run()


def _process(
    team: Team, store: FolderStore, what: str, member: str, name: str, rounds: int
) -> "subprocess.Popen[bytes]":
    command = [
        sys.executable, "-m", "support.team_process", what, team.conninfo(member), store.place,
        team.repositories["shop"].id, name, str(rounds),
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    return subprocess.Popen(command, cwd=ROOT / "tests", env=environment)


def _require_whole(team: Team, store: FolderStore) -> None:
    shop = team.repositories["shop"].id
    with connected(team.owner_url) as connection:
        assert missing_objects(connection, store, shop) == []


def test_publishers_and_collectors_in_processes_of_their_own_lose_nothing(
    team: Team, store: FolderStore
) -> None:
    publishers = [
        _process(team, store, "publish", "ann", branch, 12) for branch in ("main", "main", "other")
    ]
    collectors = [_process(team, store, "collect", "owner", "gc", 10_000)]
    try:
        for each in publishers:
            assert each.wait(100) == 0
            _require_whole(team, store)
    finally:
        for each in (*publishers, *collectors):
            each.kill()
            each.wait(10)
    _require_whole(team, store)
    _free_lease(team)
    _collect(team, store, 0)
    _require_whole(team, store)
    with connected(team.owner_url) as connection:
        rows = connection.execute("SELECT branch, epoch FROM codecairn.refs ORDER BY branch")
        assert rows.fetchall() == [("main", 24), ("other", 12)]


@pytest.mark.parametrize(
    "kills", [6, pytest.param(300, marks=[pytest.mark.slow, pytest.mark.timeout(3_600)])]
)
def test_killed_publishers_and_collectors_leave_every_branch_whole(
    team: Team, store: FolderStore, shop: CatalogRepository, kills: int
) -> None:
    draw = random.Random(kills)
    running = {
        ("publish", "ann", "main"): _process(team, store, "publish", "ann", "main", 10_000),
        ("publish", "owner", "main"): _process(team, store, "publish", "owner", "main", 10_000),
        ("collect", "owner", "gc"): _process(team, store, "collect", "owner", "gc", 10_000),
    }
    try:
        for _ in range(kills):
            which = draw.choice(sorted(running))
            process = running[which]
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(draw.uniform(0.3, 1.2))
            process.send_signal(signal.SIGKILL)
            process.wait(10)
            _require_whole(team, store)
            _free_lease(team)
            running[which] = _process(team, store, *which, 10_000)
    finally:
        for process in running.values():
            process.kill()
            process.wait(10)
    _require_whole(team, store)
    _free_lease(team)
    report = _collect(team, store, 0)
    _require_whole(team, store)
    assert report.live == report.stored - report.deleted
    with connected(team.conninfo("ann")) as connection:
        refs = TeamRefStore(connection, shop.id, store)
        publish_once(refs, store, shop.id, "main", draw)
    _require_whole(team, store)


def _free_lease(team: Team) -> None:
    """Let the lease of a killed process expire."""
    with connected(team.owner_url) as connection:
        connection.execute("UPDATE codecairn.leases SET expires_at = clock_timestamp()")
