"""The heads of branches in a team's database: compared and set under the row's lock, so of several publishers one wins each epoch.

What is compared is the epoch in the signed pointer, which readers check. A pointer that can't be read counts as epoch 0, so the next
publication takes its place.

A publication registers the objects that its manifest names, by which garbage collection knows what is in use. Both take an advisory
lock of the repository, shared and exclusive, so each sees all of the other or nothing. An object that was condemned meanwhile is
taken out of the garbage; one that is being deleted, or gone, must be in the object store again, or the publication is refused.

Publications to several branches may name the same objects and manifests, so all take their locks in one order, which rules out
deadlocks: the lock of the garbage if an object is in it, the branch's row, the rows of manifests by name, and last what is inserted.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from codecairn.errors import RemoteConflict, RemoteUntrusted, UsageError
from codecairn.objects.object_store import ObjectStore
from codecairn.objects.pointer import Pointer, epoch_of
from codecairn.team.connection import translated

if TYPE_CHECKING:
    from psycopg import Connection

NAME_BYTES = 32
"""Names of objects are SHA-256."""


def object_key(repository: str, sha256: str) -> str:
    """The key of an object in the object store, by its name in hexadecimal digits."""
    return f"{repository}/objects/{sha256[:2]}/{sha256[2:]}"


class TeamRefStore:
    """Keeps the signed pointer of each branch of one repository; see `codecairn.objects.ref_store.RefStore`.

    Args:
        connection: A connection of a member in autocommit mode.
        repository: The repository's id.
        store: Where its objects lie.
    """

    def __init__(
        self, connection: "Connection[tuple[Any, ...]]", repository: str, store: ObjectStore
    ) -> None:
        self._connection = connection
        self._repository = repository
        self._store = store

    def read(self, branch: str) -> bytes | None:
        """The signed pointer of a branch; `None` if it has none, or the member has no grant."""
        with translated():
            row = self._connection.execute(
                "SELECT pointer FROM codecairn.refs WHERE repository = %s AND branch = %s",
                [self._repository, branch],
            ).fetchone()
        return None if row is None else bytes(row[0])

    def publish(
        self,
        branch: str,
        pointer: Pointer,
        signed: bytes,
        *,
        expected_epoch: int,
        objects: Collection[str],
    ) -> None:
        """Move a branch to a pointer, whose signed form is `signed`.

        Args:
            branch: The branch.
            pointer: Where it shall be.
            signed: The signed form of that.
            expected_epoch: The epoch that the branch is at now, 0 if it has no pointer.
            objects: The names of all objects that the manifest needs, in hexadecimal digits.

        Raises:
            RemoteConflict: If the branch is at another epoch, or an object was collected meanwhile; nothing was changed.
            RemoteRefused: If the member may not publish.
            UsageError: If the pointer's epoch is not a later one, or a name is not allowed.
            RemoteUnavailable: If the database or the object store does not answer.
        """
        if pointer.epoch <= expected_epoch:
            raise UsageError(f"epoch {pointer.epoch} does not follow {expected_epoch}")
        names = sorted({bytes.fromhex(name) for name in (*objects, pointer.manifest)})
        manifest = bytes.fromhex(pointer.manifest)
        with translated(), self._connection.transaction():
            self._connection.execute("SELECT codecairn.begin_publication(%s)", [self._repository])
            self._require_kept(names)
            head = self._locked_head(branch)
            if (0 if head is None else _epoch_of(head[0])) != expected_epoch:
                raise _conflict(branch, expected_epoch)
            self._lock_manifests(manifest, *([] if head is None else [head[1]]))
            self._connection.execute(
                "INSERT INTO codecairn.manifests (repository, id, objects) VALUES (%s, %s, %s) "
                "ON CONFLICT (repository, id) DO UPDATE SET retired_at = NULL",
                [self._repository, manifest, b"".join(names)],
            )
            if not self._moved(branch, manifest, signed, is_new=head is None):
                raise _conflict(branch, expected_epoch)

    def _locked_head(self, branch: str) -> tuple[bytes, bytes] | None:
        """The signed pointer of a branch and its manifest, under the row's lock; `None` if it has none."""
        row = self._connection.execute(
            "SELECT pointer, manifest FROM codecairn.refs WHERE repository = %s AND branch = %s FOR UPDATE",
            [self._repository, branch],
        ).fetchone()
        return None if row is None else (bytes(row[0]), bytes(row[1]))

    def _lock_manifests(self, *manifests: bytes) -> None:
        """Lock the rows of manifests that are registered, in the order of their names."""
        self._connection.execute(
            "SELECT FROM codecairn.manifests WHERE repository = %s AND id = ANY(%s) ORDER BY id FOR NO KEY UPDATE",
            [self._repository, list(manifests)],
        )

    def _moved(self, branch: str, manifest: bytes, signed: bytes, *, is_new: bool) -> bool:
        """Whether the branch is where it shall be, unless another made it meanwhile. The server sets publisher and time."""
        values = [signed, manifest, self._repository, branch]
        if is_new:
            done = self._connection.execute(
                "INSERT INTO codecairn.refs (pointer, manifest, repository, branch, epoch, publisher, published_at) "
                "VALUES (%s, %s, %s, %s, 1, codecairn.current_member(), clock_timestamp()) "
                "ON CONFLICT (repository, branch) DO NOTHING",
                values,
            )
        else:
            done = self._connection.execute(
                "UPDATE codecairn.refs SET epoch = epoch + 1, pointer = %s, manifest = %s "
                "WHERE repository = %s AND branch = %s",
                values,
            )
        return done.rowcount == 1

    def delete(self, branch: str) -> bool:
        """Delete the pointer of a branch; whether there was one. Garbage collection takes what it alone needed.

        Raises:
            RemoteRefused: If the member is no administrator of the repository.
        """
        with translated():
            row = self._connection.execute(
                "SELECT codecairn.delete_ref(%s, %s)", [self._repository, branch]
            ).fetchone()
        return row is not None and bool(row[0])

    def _require_kept(self, names: Sequence[bytes]) -> None:
        """Take objects out of the garbage; waits for a deletion of one that is under way.

        None comes into the garbage while the repository's lock is held.

        Raises:
            RemoteConflict: If one was deleted and is not there again.
        """
        rows = self._connection.execute(
            "SELECT name, was_deleted_at FROM codecairn.take_back(%s, %s)",
            [self._repository, list(names)],
        ).fetchall()
        for name, deleted_at in rows:
            key = object_key(self._repository, bytes(name).hex())
            if deleted_at is not None and not self._store.exists(key):
                raise RemoteConflict(
                    "garbage collection removed an object that this index needs",
                    hint="run the command again; it uploads what is missing",
                )


def _conflict(branch: str, expected_epoch: int) -> RemoteConflict:
    return RemoteConflict(
        f"another publisher was first: `{branch}` is no longer at epoch {expected_epoch}",
        hint="run the command again; it goes on from what was published",
    )


def _epoch_of(signed: bytes) -> int:
    """The epoch of a signed pointer; 0 for one that can't be read."""
    try:
        return epoch_of(signed)
    except RemoteUntrusted:
        return 0
