"""The seam to the pointers of branches, and its implementation in an object store.

A pointer is the only thing that two publishers can lose to each other. An object store can't prevent that, since conditional
writes are not relied upon: of two publishers at the same moment one wins and the other finds that when it reads again. A
database can, by comparing and setting the epoch in one statement.
"""

from collections.abc import Collection
from typing import Protocol

from codecairn.errors import ObjectMissing, RemoteConflict, RemoteIncompatible, RemoteUntrusted
from codecairn.objects.object_store import ObjectStore
from codecairn.objects.pointer import KIND, MAX_POINTER_BYTES, Pointer, epoch_of
from codecairn.objects.seal import OVERHEAD_BYTES, Sealer


class RefStore(Protocol):
    """Keeps the signed pointer of each branch of one repository.

    What is read is not trusted: `open_pointer` checks signature, repository and branch.
    """

    def read(self, branch: str) -> bytes | None:
        """The signed pointer of a branch; `None` if it has none.

        Raises:
            RemoteUnavailable: If the store does not answer, or refuses access.
            RemoteUntrusted: If what is there is no pointer of this repository.
        """
        ...

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
            objects: The names of all objects that a reader needs, the manifest among them, in hexadecimal digits: what
                removes unused objects leaves these.

        Raises:
            RemoteConflict: If the branch is at another epoch; nothing was changed.
            RemoteUnavailable: If the store does not answer, or refuses access.
        """
        ...


class ObjectRefStore:
    """Pointers as sealed objects under `<repository>/refs/`, where branches have hidden names."""

    def __init__(self, store: ObjectStore, sealer: Sealer) -> None:
        self._store = store
        self._sealer = sealer

    def read(self, branch: str) -> bytes | None:
        """The signed pointer of a branch; see `RefStore`."""
        return self._read(self._key(branch))

    def publish(
        self,
        branch: str,
        pointer: Pointer,
        signed: bytes,
        *,
        expected_epoch: int,
        objects: Collection[str],
    ) -> None:
        """Move a branch, if it is where it is expected and no publisher comes between; see `RefStore`."""
        del objects  # nothing removes objects of a plain store
        key = self._key(branch)
        epoch = self._epoch(key)
        if epoch != expected_epoch:
            raise RemoteConflict(
                f"`{branch}` of the shared index is at epoch {epoch}, no longer at {expected_epoch}"
            )
        self._store.put(key, self._sealer.seal(KIND, signed))
        if self._read(key) != signed:
            raise RemoteConflict(
                f"another publisher moved `{branch}` past epoch {pointer.epoch} at the same moment"
            )

    def _key(self, branch: str) -> str:
        hidden = self._sealer.hidden_name(f"branch {branch}")
        return f"{self._sealer.repository}/refs/{hidden}"

    def _read(self, key: str) -> bytes | None:
        try:
            sealed = self._store.get(key, max_bytes=MAX_POINTER_BYTES + OVERHEAD_BYTES)
        except ObjectMissing:
            return None
        return self._sealer.open(KIND, sealed)

    def _epoch(self, key: str) -> int:
        """The epoch of what is there, signed by any publisher; 0 for nothing or what can't be read."""
        try:
            signed = self._read(key)
            return 0 if signed is None else epoch_of(signed)
        except (RemoteUntrusted, RemoteIncompatible):
            return 0
