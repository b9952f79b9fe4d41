"""Publications to several branches at once that name the same manifests and objects: all succeed, whatever their order."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection

from codecairn.objects.folder_store import FolderStore
from codecairn.objects.pointer import Pointer
from codecairn.team.connection import connected
from codecairn.team.ref_store import TeamRefStore
from support.team import Team
from support.team_process import upload

KEY = os.urandom(32)
OLD, NEW, OTHER = (hashlib.sha256(name).hexdigest() for name in (b"old", b"new", b"other"))

SLOW_DELETION = b"""
CREATE FUNCTION codecairn.sleep() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_catalog.pg_sleep(0.3); RETURN OLD; END';
CREATE TRIGGER sleeps BEFORE DELETE ON codecairn.garbage FOR EACH ROW EXECUTE FUNCTION codecairn.sleep();
"""
"""Each deletion keeps its lock a while before the next."""


@pytest.fixture
def publish(team: Team, tmp_path: Path) -> Callable[..., None]:
    """Publishes the next epoch of a branch over a connection of its own."""
    shop, store = team.repositories["shop"].id, FolderStore(tmp_path)

    def publish(
        branch: str, epoch: int, manifest: str, *, objects: list[str], without: tuple[str, ...] = ()
    ) -> None:
        pointer = Pointer(
            repository=shop, branch=branch, epoch=epoch, commit="", manifest=manifest, manifest_bytes=1,
            made_ns=0,
        )  # fmt: skip
        with connected(team.conninfo("ann")) as connection:
            for plan in without:
                connection.execute("SELECT set_config(%s, 'off', false)", [plan])
            TeamRefStore(connection, shop, store).publish(
                branch, pointer, pointer.signed(KEY), expected_epoch=epoch - 1, objects=objects
            )

    return publish


@contextmanager
def _locked(team: Team, query: bytes, waiting: int) -> Iterator[None]:
    """Lock rows until as many transactions wait for a lock."""
    with connected(team.owner_url) as owner, owner.transaction():
        owner.execute(query)
        yield
        _wait_for(team, waiting)


def _wait_for(team: Team, waiting: int) -> None:
    until = time.monotonic() + 20
    with connected(team.owner_url) as watcher:
        while _count(watcher, b"SELECT count(*) FROM pg_locks WHERE NOT granted") < waiting:
            assert time.monotonic() < until
            time.sleep(0.01)


def _count(connection: Connection[tuple[Any, ...]], query: bytes) -> int:
    (count,) = connection.execute(query).fetchone() or (0,)
    return int(count)


def _retired(team: Team) -> dict[str, bool]:
    with connected(team.owner_url) as owner:
        rows = owner.execute("SELECT id, retired_at IS NOT NULL FROM codecairn.manifests")
        return {bytes(id_).hex(): is_retired for id_, is_retired in rows}


@pytest.mark.parametrize(
    ("before", "after", "retired"),
    [
        ((OLD, NEW), (NEW, OLD), {OLD: False, NEW: False}),
        ((OLD, OLD), (NEW, OTHER), {OLD: True, NEW: False, OTHER: False}),
        ((OLD, NEW), (NEW, NEW), {OLD: True, NEW: False}),
        ((OLD, NEW), (OTHER, OTHER), {OLD: True, NEW: True, OTHER: False}),
    ],
)
def test_branches_that_exchange_manifests_publish_at_once(
    team: Team,
    publish: Callable[..., None],
    before: tuple[str, str],
    after: tuple[str, str],
    retired: dict[str, bool],
) -> None:
    for branch, manifest in zip(("main", "topic"), before, strict=True):
        publish(branch, 1, manifest, objects=[])
    with ThreadPoolExecutor(2) as pool:
        with _locked(team, b"SELECT FROM codecairn.refs FOR UPDATE", waiting=2):
            running = [
                pool.submit(publish, branch, 2, manifest, objects=[])
                for branch, manifest in zip(("main", "topic"), after, strict=True)
            ]
        for each in running:
            each.result()
    assert _retired(team) == retired


def test_publications_take_the_same_objects_out_of_the_garbage_at_once(
    team: Team, tmp_path: Path, publish: Callable[..., None]
) -> None:
    shop, store = team.repositories["shop"].id, FolderStore(tmp_path)
    names = sorted(upload(store, shop, os.urandom(8)) for _ in range(2))
    with connected(team.owner_url) as owner:
        for name in reversed(names):
            owner.execute(
                "INSERT INTO codecairn.garbage (repository, object) VALUES (%s, %s)",
                [shop, bytes.fromhex(name)],
            )
        owner.execute(SLOW_DELETION)
    plans = (("enable_seqscan", "enable_bitmapscan"), ("enable_indexscan", "enable_bitmapscan"))
    with ThreadPoolExecutor(2) as pool:
        running = [
            pool.submit(publish, branch, 1, manifest, objects=names, without=without)
            for branch, manifest, without in zip(("main", "topic"), (OLD, NEW), plans, strict=True)
        ]
        for each in running:
            each.result()
    with connected(team.owner_url) as owner:
        assert _count(owner, b"SELECT count(*) FROM codecairn.garbage") == 0
