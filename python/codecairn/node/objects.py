"""The sealed objects that a node passes on to members who may read them, from its cache or from the object store."""

import hashlib
import re
from collections.abc import Iterable
from contextlib import suppress

from codecairn.errors import CodecairnError, ObjectMissing, RemoteError
from codecairn.node.access import Refusal
from codecairn.objects.grant import Grant
from codecairn.objects.object_cache import ObjectCache
from codecairn.objects.object_store import ObjectStore
from codecairn.objects.opening import open_store

KEY = re.compile(r"([0-9a-f]{32})/objects/([0-9a-f]{2})/([0-9a-f]{62})")
"""The key of an object: its repository's id, and the SHA-256 of its bytes."""


class PassedObjects:
    """Objects by key. Safe for several threads.

    Args:
        grants: The grants of the repositories.
        cache: Where those that were fetched are kept.
    """

    def __init__(self, grants: Iterable[Grant], cache: ObjectCache) -> None:
        self._urls = {grant.repository: grant.url for grant in grants}
        self._stores: dict[str, ObjectStore] = {}
        self._cache = cache

    def has(self, repository: str) -> bool:
        """Whether the objects of a repository are passed on."""
        return repository in self._urls

    def read(self, key: str) -> bytes:
        """The bytes under a key of `KEY`, which have the SHA-256 that it names.

        Raises:
            Refusal: If there are none.
        """
        repository, _, sha256 = key.replace("/", "").partition("objects")
        with suppress(RemoteError):
            data = self._cache.get(key)
            if hashlib.sha256(data).hexdigest() == sha256:
                return data
        try:
            data = self._store(repository).get(key)
        except ObjectMissing as err:
            raise Refusal(404, err.code, "the object store has no such object") from err
        except CodecairnError as err:
            raise Refusal(
                503, "remote-unavailable", "this node can't read the object store", retry_after_s=5
            ) from err
        if hashlib.sha256(data).hexdigest() != sha256:
            raise Refusal(
                503, "remote-untrusted", "what the object store has is damaged", retry_after_s=60
            )
        with suppress(RemoteError):  # a full disk, say
            self._cache.put(key, data)
        return data

    def _store(self, repository: str) -> ObjectStore:
        store = self._stores.get(repository)
        if store is None:
            store = self._stores[repository] = open_store(self._urls[repository])
        return store
