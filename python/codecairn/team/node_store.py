"""Reads the objects of a shared index through search nodes: for members who have no access to the object store."""

import hashlib
from collections.abc import Iterator
from functools import cached_property

from codecairn.errors import CodecairnError, RemoteUnavailable
from codecairn.objects.object_store import MAX_OBJECT_BYTES, ObjectStore
from codecairn.objects.opening import open_store
from codecairn.team.node_client import NodeClient

MAX_ERROR_BYTES = 64 << 10
"""The room that a node's refusal has where an object is smaller."""


class NodeStore:
    """An object store that is read through nodes, and directly where no node has the right bytes.

    An object has the SHA-256 of its bytes as its name, so a node can hold one back and can't replace it. Once no node
    had one, none is asked again. All but reading goes to the object store itself.

    Args:
        client: Asks the nodes as a member.
        url: The address of the object store, which is opened only if it is needed.
    """

    def __init__(self, client: NodeClient, url: str) -> None:
        self._client = client
        self._url = url
        self._failure: RemoteUnavailable | None = None

    @property
    def place(self) -> str:
        """The object store."""
        return self._url

    @cached_property
    def _direct(self) -> ObjectStore:
        return open_store(self._url)

    def get(self, key: str, *, max_bytes: int = MAX_OBJECT_BYTES) -> bytes:
        """The bytes of an object; see `ObjectStore`."""
        sha256 = "".join(key.split("/")[-2:])

        def is_right(content: bytes) -> bool:
            return len(content) <= max_bytes and hashlib.sha256(content).hexdigest() == sha256

        if self._failure is None:
            try:
                most = max(max_bytes, MAX_ERROR_BYTES)
                return self._client.fetch(f"/v1/{key}", max_bytes=most, is_right=is_right)
            except RemoteUnavailable as err:
                self._failure = err
        try:
            return self._direct.get(key, max_bytes=max_bytes)
        except CodecairnError as err:
            raise type(err)(f"{err.message}; {self._failure.message}", hint=err.hint) from err

    def put(self, key: str, data: bytes) -> None:
        """Keep bytes in the object store; see `ObjectStore`."""
        self._direct.put(key, data)

    def exists(self, key: str) -> bool:
        """Whether the object store has something; see `ObjectStore`."""
        return self._direct.exists(key)

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys of the object store; see `ObjectStore`."""
        return self._direct.keys(prefix)

    def delete(self, key: str) -> None:
        """Remove from the object store; see `ObjectStore`."""
        self._direct.delete(key)
