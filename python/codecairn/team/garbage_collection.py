"""Deletes objects of a repository that no live manifest names, in two steps with a grace period between, beside publications.

1. Under the exclusive lock of the repository, manifests that were retired before the grace period are dropped, and every stored
   object that no manifest names is *condemned*. What was condemned before the grace period is marked as deleted. All of it is one
   transaction, before anything is deleted.
2. Marked objects are deleted one small batch at a time, each under the locks of its rows. A publication that names one waits for
   these locks, and then looks whether the object is there.

A process that dies leaves marks of objects that still lie there, which the next run condemns again, or a publication takes back.
The grace period lets readers finish with a manifest that was replaced, and publishers with objects that no manifest names yet;
it is counted by the server's clock. Cost: a listing of the repository's objects, and 32 bytes of memory for each and for each
name in a manifest.
"""

import re
from typing import TYPE_CHECKING, Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import UsageError
from codecairn.objects.object_store import ObjectStore
from codecairn.team.catalog import CatalogRepository
from codecairn.team.connection import translated
from codecairn.team.leases import GARBAGE_COLLECTION, lease
from codecairn.team.ref_store import NAME_BYTES, object_key

if TYPE_CHECKING:
    from psycopg import Connection

DEFAULT_GRACE_S = 7 * 86_400
_LEASE_S = 300
_NAME = re.compile(rf"[0-9a-f]{{{2 * NAME_BYTES}}}")
_BATCH = 16
"""Objects that are deleted in one transaction; publications that name one wait for at most so many requests."""

_REMEMBERED_S = 30 * 86_400
"""How long it is known that an object was deleted: longer than any publication takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedGarbage:
    """What became of a repository's objects.

    Attributes:
        repository: The repository's name.
        stored: Objects that were there.
        live: Those that a manifest names.
        waiting: Those that none names, and whose grace period lasts.
        deleted: Those that were deleted, or would be.
        is_dry_run: Whether nothing was changed.
    """

    repository: str
    stored: int
    live: int
    waiting: int
    deleted: int
    is_dry_run: bool = False


class GarbageCollector:
    """Collects the garbage of one repository; its caller administers it.

    Args:
        connection: A connection of an administrator in autocommit mode.
        repository: The repository.
        store: Where its objects lie.
        grace_s: The grace period in seconds, 0 or more.
    """

    def __init__(
        self,
        connection: "Connection[tuple[Any, ...]]",
        repository: CatalogRepository,
        store: ObjectStore,
        *,
        grace_s: int = DEFAULT_GRACE_S,
    ) -> None:
        if grace_s < 0:
            raise UsageError("a grace period is not negative")
        self._connection = connection
        self._repository = repository
        self._store = store
        self._grace_s = grace_s

    def run(self, *, dry_run: bool = False) -> CollectedGarbage:
        """Condemn and delete.

        Raises:
            RemoteConflict: If another process collects, or this one was too slow to renew its lease.
            RemoteRefused: If the member does not administer the repository.
            RemoteUnavailable: If the database or the object store does not answer.
        """
        id_ = self._repository.id
        with lease(self._connection, id_, GARBAGE_COLLECTION, seconds=_LEASE_S) as held:
            stored = self._stored()
            held.renew()
            live, waiting, deleted = self._marked(stored, dry_run=dry_run)
            report = CollectedGarbage(
                repository=self._repository.name,
                stored=len(stored),
                live=live,
                waiting=waiting,
                deleted=deleted,
                is_dry_run=dry_run,
            )
            if dry_run:
                return report
            gone = 0
            while batch := self._delete_batch():
                gone += batch
                held.renew()
        return CollectedGarbage(
            repository=report.repository,
            stored=report.stored,
            live=report.live,
            waiting=report.waiting,
            deleted=gone,
        )

    def _stored(self) -> set[bytes]:
        """The names of the objects that lie in the store."""
        prefix = f"{self._repository.id}/objects"
        names = (key.removeprefix(prefix).replace("/", "") for key in self._store.keys(prefix))
        return {bytes.fromhex(name) for name in names if _NAME.fullmatch(name)}

    def _marked(self, stored: set[bytes], *, dry_run: bool) -> tuple[int, int, int]:
        """The first step; how many objects are live, condemned, and to be deleted."""
        from psycopg import Rollback

        id_, grace = self._repository.id, self._grace_s
        with translated(), self._connection.transaction() as transaction:
            execute = self._connection.execute
            execute("SELECT codecairn.begin_collection(%s)", [id_])
            execute("SELECT codecairn.drop_manifests(%s, %s)", [id_, grace])
            live = self._live()
            rows = execute(
                "SELECT object, deleted_at IS NOT NULL FROM codecairn.garbage WHERE repository = %s",
                [id_],
            ).fetchall()
            known = {bytes(name): is_marked for name, is_marked in rows}
            self._forget([name for name in known if name in live])
            again = [name for name, is_marked in known.items() if is_marked and name in stored]
            gone = [
                name for name, is_marked in known.items() if not is_marked and name not in stored
            ]
            execute(
                "UPDATE codecairn.garbage SET deleted_at = NULL, is_gone = false, condemned_at = clock_timestamp() "
                "WHERE repository = %s AND object = ANY(%s)",
                [id_, again],
            )
            execute(
                "INSERT INTO codecairn.garbage (repository, object) SELECT %s, unnest(%s::bytea[])",
                [id_, [name for name in stored if name not in live and name not in known]],
            )
            self._mark_gone(gone)
            (due,) = execute(
                "WITH due AS (UPDATE codecairn.garbage SET deleted_at = clock_timestamp() WHERE repository = %s "
                "AND deleted_at IS NULL AND condemned_at <= clock_timestamp() - make_interval(secs => %s) RETURNING 1) "
                "SELECT count(*) FROM due",
                [id_, grace],
            ).fetchone() or (0,)
            (waiting,) = execute(
                "SELECT count(*) FROM codecairn.garbage WHERE repository = %s AND deleted_at IS NULL",
                [id_],
            ).fetchone() or (0,)
            if dry_run:
                raise Rollback(transaction)
        return len(live & stored), waiting, due

    def _live(self) -> set[bytes]:
        """The names in all manifests."""
        rows = self._connection.execute(
            "SELECT objects FROM codecairn.manifests WHERE repository = %s", [self._repository.id]
        )
        live: set[bytes] = set()
        for (names,) in rows:
            packed = bytes(names)
            live.update(packed[at : at + NAME_BYTES] for at in range(0, len(packed), NAME_BYTES))
        return live

    def _forget(self, names: list[bytes]) -> None:
        self._connection.execute(
            "SELECT codecairn.forget_garbage(%s, %s, %s)",
            [self._repository.id, names, _REMEMBERED_S],
        )

    def _mark_gone(self, names: list[bytes]) -> None:
        self._connection.execute(
            "UPDATE codecairn.garbage SET deleted_at = clock_timestamp(), is_gone = true "
            "WHERE repository = %s AND object = ANY(%s)",
            [self._repository.id, names],
        )

    def _delete_batch(self) -> int:
        """Delete some of the marked objects; how many."""
        with translated(), self._connection.transaction():
            rows = self._connection.execute(
                "SELECT object FROM codecairn.garbage WHERE repository = %s AND deleted_at IS NOT NULL AND NOT is_gone "
                "ORDER BY object LIMIT %s FOR UPDATE SKIP LOCKED",
                [self._repository.id, _BATCH],
            ).fetchall()
            names = [bytes(name) for (name,) in rows]
            for name in names:
                self._store.delete(object_key(self._repository.id, name.hex()))
            self._connection.execute(
                "UPDATE codecairn.garbage SET is_gone = true WHERE repository = %s AND object = ANY(%s)",
                [self._repository.id, names],
            )
        return len(names)
