"""Immutable objects of one repository: sealed, named by the SHA-256 of their stored bytes, and verified at every read."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from threading import Lock

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteError, RemoteUntrusted
from codecairn.objects.object_store import MAX_OBJECT_BYTES, ObjectStore
from codecairn.objects.seal import OVERHEAD_BYTES, Sealer

PART_BYTES = 16 << 20
"""What is larger is kept in parts of this size: a fetch that was broken off goes on with the next part."""


@dataclass(frozen=True, slots=True)
class ObjectName:
    """The name of an object.

    Attributes:
        sha256: The SHA-256 of its stored bytes, in hexadecimal digits.
        size_bytes: How many there are.
    """

    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedObject:
    """An object that is ready to be stored."""

    name: ObjectName
    data: bytes


class SealedObjects:
    """Reads and writes the objects of one repository. Safe for several threads.

    Args:
        store: Where they lie.
        sealer: Seals and opens them.
        cache: Where those that were fetched and verified are kept, too; `None` for nowhere.
        run: Runs each read of the store, and may give up waiting for it.
    """

    def __init__(
        self,
        store: ObjectStore,
        sealer: Sealer,
        *,
        cache: ObjectStore | None = None,
        run: Callable[[Callable[[], bytes]], bytes] = lambda request: request(),
    ) -> None:
        self._store = store
        self._run = run
        self._sealer = sealer
        self._cache = cache
        self._lock = Lock()
        self.fetched_bytes = 0
        self.uploaded_bytes = 0
        self.uploaded = 0

    def sealed(self, kind: str, content: bytes) -> SealedObject:
        """A content of at most `MAX_OBJECT_BYTES` as an object, which is not stored yet."""
        data = self._sealer.seal(kind, content)
        name = ObjectName(hashlib.sha256(data).hexdigest(), len(data))
        return SealedObject(name=name, data=data)

    def sealed_parts(self, kind: str, content: bytes) -> Iterator[SealedObject]:
        """A content of any size as objects, which are not stored yet; each knows its place by its kind."""
        for number, start in enumerate(range(0, max(len(content), 1), PART_BYTES)):
            yield self.sealed(_part(kind, number), content[start : start + PART_BYTES])

    def store(self, sealed: SealedObject, *, known: Collection[str] = ()) -> None:
        """Store an object, unless it is among the known ones or there already.

        Raises:
            RemoteUnavailable: If the store does not answer, or refuses access.
        """
        key = self._key(sealed.name.sha256)
        if sealed.name.sha256 in known or self._store.exists(key):
            return
        self._store.put(key, sealed.data)
        with self._lock:
            self.uploaded += 1
            self.uploaded_bytes += len(sealed.data)

    def exists(self, name: ObjectName) -> bool:
        """Whether the store has an object; `RemoteUnavailable` as for `read`."""
        return self._store.exists(self._key(name.sha256))

    def read(self, kind: str, name: ObjectName) -> bytes:
        """The content of an object of a kind.

        Raises:
            ObjectMissing: If it is not there.
            RemoteUntrusted: If its bytes are not those of its name, or it does not open as this kind.
            RemoteUnavailable: If the store does not answer, or refuses access.
        """
        return self._sealer.open(kind, self._stored(kind, name))

    def read_parts(self, kind: str, names: Sequence[ObjectName]) -> bytes:
        """The content of which these objects are the parts, in order; errors as for `read`."""
        parts = [self.read(_part(kind, number), name) for number, name in enumerate(names)]
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def fetch(self, kind: str, name: ObjectName) -> None:
        """Have an object in the cache, verified; errors as for `read`."""
        self._stored(kind, name)

    def _stored(self, kind: str, name: ObjectName) -> bytes:
        if not OVERHEAD_BYTES <= name.size_bytes <= MAX_OBJECT_BYTES + OVERHEAD_BYTES:
            raise RemoteUntrusted(f"a {kind} of the shared index claims {name.size_bytes:,} bytes")
        key = self._key(name.sha256)
        if self._cache is not None:
            try:
                data = self._cache.get(key, max_bytes=name.size_bytes)
                if hashlib.sha256(data).hexdigest() == name.sha256:
                    return data
            except RemoteError:
                pass  # it is fetched
        data = self._run(lambda: self._store.get(key, max_bytes=name.size_bytes))
        if len(data) != name.size_bytes or hashlib.sha256(data).hexdigest() != name.sha256:
            raise RemoteUntrusted(
                f"the object `{name.sha256[:16]}…` ({kind}) in `{self._store.place}` is damaged: "
                "its bytes do not match its name"
            )
        with self._lock:
            self.fetched_bytes += len(data)
        if self._cache is not None:
            with suppress(RemoteError):  # a full disk, say: then it is fetched again
                self._cache.put(key, data)
        return data

    def _key(self, sha256: str) -> str:
        return f"{self._sealer.repository}/objects/{sha256[:2]}/{sha256[2:]}"


def _part(kind: str, number: int) -> str:
    return f"{kind} part {number}"
