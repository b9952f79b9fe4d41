"""Publishers and collectors of garbage as processes of their own: `python -m support.team_process publish|endure|collect …`.

A publisher makes small indexes out of few contents, so that publications share objects, and takes some of them up again after no
manifest named them: what garbage collection must not break.
"""

import hashlib
import random
import sys
import time
from pathlib import Path
from typing import Any

from psycopg import Connection

from codecairn.errors import RemoteConflict, RemoteUnavailable
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.object_store import ObjectStore
from codecairn.objects.pointer import Pointer, pointer_of
from codecairn.objects.signature import payload_of
from codecairn.team.catalog import Catalog
from codecairn.team.connection import connected
from codecairn.team.garbage_collection import GarbageCollector
from codecairn.team.ref_store import TeamRefStore, object_key

CONTENTS = 24
PER_MANIFEST = 6
KEY = bytes(range(32))


def upload(store: ObjectStore, repository: str, data: bytes) -> str:
    """Store an object unless it is there, and return its name."""
    name = hashlib.sha256(data).hexdigest()
    if not store.exists(object_key(repository, name)):
        store.put(object_key(repository, name), data)
    return name


def publish_once(
    refs: TeamRefStore, store: ObjectStore, repository: str, branch: str, draw: random.Random
) -> Pointer:
    """Publish the next epoch of a branch, again and again until no other publisher comes between.

    The manifest is an object that lists the names of the others, one a line.
    """
    while True:
        signed = refs.read(branch)
        epoch = 0 if signed is None else pointer_of(payload_of(signed)).epoch
        contents = draw.sample(range(CONTENTS), PER_MANIFEST)
        names = [upload(store, repository, f"content {each}".encode()) for each in contents]
        manifest = upload(store, repository, "\n".join(sorted(names)).encode())
        pointer = Pointer(
            repository=repository, branch=branch, epoch=epoch + 1, commit="", manifest=manifest,
            manifest_bytes=1, made_ns=0,
        )  # fmt: skip
        time.sleep(draw.uniform(0, 0.05))  # as an index that takes a while to upload
        try:
            refs.publish(branch, pointer, pointer.signed(KEY), expected_epoch=epoch, objects=names)
        except RemoteConflict:
            continue
        return pointer


def missing_objects(
    connection: Connection[tuple[Any, ...]], store: ObjectStore, repository: str
) -> list[str]:
    """The names of objects that a branch needs and that are not there."""
    missing = []
    rows = connection.execute(
        "SELECT pointer FROM codecairn.refs WHERE repository = %s", [repository]
    ).fetchall()
    for (signed,) in rows:
        pointer = pointer_of(payload_of(bytes(signed)))
        key = object_key(repository, pointer.manifest)
        if not store.exists(key):
            missing.append(pointer.manifest)
            continue
        names = store.get(key).decode().split("\n")
        missing += [name for name in names if not store.exists(object_key(repository, name))]
    return missing


def endure(conninfo: str, store: ObjectStore, repository: str, branch: str, rounds: int) -> None:
    """Publish `rounds` times although the database goes away now and then; print each epoch that was acknowledged."""
    draw = random.Random(branch)
    done = 0
    while done < rounds:
        try:
            with connected(conninfo) as connection:
                refs = TeamRefStore(connection, repository, store)
                while done < rounds:
                    pointer = publish_once(refs, store, repository, branch, draw)
                    sys.stdout.write(f"{pointer.epoch}\n")
                    sys.stdout.flush()
                    done += 1
        except RemoteUnavailable:
            time.sleep(0.05)


def main(what: str, conninfo: str, folder: str, repository: str, name: str, rounds: str) -> None:
    """Publish to the branch `name`, also while the database crashes, or collect garbage without a grace period, `rounds` times."""
    store = FolderStore(Path(folder))
    draw = random.Random(name)
    if what == "endure":
        endure(conninfo, store, repository, name, int(rounds))
        return
    with connected(conninfo) as connection:
        for _ in range(int(rounds)):
            if what == "publish":
                refs = TeamRefStore(connection, repository, store)
                publish_once(refs, store, repository, name, draw)
            else:
                found = Catalog(connection).repository(repository)
                try:
                    GarbageCollector(connection, found, store, grace_s=0).run()
                except RemoteConflict:
                    continue  # a collector that was killed holds its lease a while


if __name__ == "__main__":
    main(*sys.argv[1:])
