"""The seam to object stores: named bytes in a folder, in a bucket, or anywhere else that keeps them.

Nothing conditional is asked of a store: several that speak S3 accept a conditional write from every writer at once. What must
not be lost to a race is kept behind `RefStore` instead.
"""

import re
from collections.abc import Iterator
from typing import Protocol

from codecairn.errors import UsageError

MAX_KEY_CHARACTERS = 200
MAX_OBJECT_BYTES = 64 << 20
"""A larger object is refused at both ends; what is larger is stored in parts."""

_KEY = re.compile(r"[a-z0-9][a-z0-9._-]*(?:/[a-z0-9][a-z0-9._-]*)*")


class ObjectStore(Protocol):
    """Keeps bytes under relative names such as `objects/ab/cdef`, parts joined by `/`. Safe for several threads.

    Attributes:
        place: Where it is, for messages; it holds no credentials.
    """

    @property
    def place(self) -> str: ...  # noqa: D102 - an attribute

    def get(self, key: str, *, max_bytes: int = MAX_OBJECT_BYTES) -> bytes:
        """The bytes under a key.

        Raises:
            ObjectMissing: If there are none.
            RemoteUntrusted: If they are more than `max_bytes`.
            RemoteUnavailable: If the store does not answer, or refuses access.
        """
        ...

    def put(self, key: str, data: bytes) -> None:
        """Keep bytes under a key; a reader sees all of them or what was there before.

        Raises:
            RemoteUnavailable: If the store does not answer, or refuses access.
        """
        ...

    def exists(self, key: str) -> bool:
        """Whether there is something under a key; `RemoteUnavailable` as for `get`."""
        ...

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys that begin with `prefix/`, in any order; `RemoteUnavailable` as for `get`."""
        ...

    def delete(self, key: str) -> None:
        """Remove what is under a key, if there is something; `RemoteUnavailable` as for `get`."""
        ...


def checked_key(key: str) -> str:
    """The key, if it is a relative name that means the same in every store.

    Raises:
        UsageError: If it is not, as with `..`, `//`, a capital or a leading dot.
    """
    if len(key) > MAX_KEY_CHARACTERS or not _KEY.fullmatch(key):
        raise UsageError(f"`{key:.100}` is no name of an object")
    return key
