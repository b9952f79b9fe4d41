"""A bounded cache of sealed objects in a folder, for a process that reads shared indexes for a long time.

It is the `cache` of `SealedObjects`, which compares each object with its name when it is read from here, and fetches and replaces one
that was cut short or changed. Pointers are no objects, so they are never in it.

Objects that were not read for the longest time are removed first (LRU, by the file's modification time, which each read sets).
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock

from codecairn.objects.folder_store import FolderStore
from codecairn.objects.object_store import MAX_OBJECT_BYTES, checked_key

_KEPT_SHARE = 0.9
"""Where the limit is exceeded, objects are removed until the rest has this share of it, so that not each `put` removes some."""


class ObjectCache:
    """An object store of limited size; see `codecairn.objects.object_store.ObjectStore`. Safe for several threads.

    One process uses a folder. It may be removed, and files in it changed, at any time.

    Args:
        root: The folder.
        max_bytes: How many bytes of objects are kept at most.
    """

    def __init__(self, root: Path, *, max_bytes: int) -> None:
        self._root = root
        self._files = FolderStore(root)
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._remove_unfinished()
        self._bytes = sum(size for _, size, _ in self._listed())

    @property
    def place(self) -> str:
        """The folder."""
        return self._files.place

    @property
    def size_bytes(self) -> int:
        """The bytes of all objects in it."""
        return self._bytes

    def get(self, key: str, *, max_bytes: int = MAX_OBJECT_BYTES) -> bytes:
        """The bytes under a key, which count as used from now; see `ObjectStore`."""
        data = self._files.get(key, max_bytes=max_bytes)
        with suppress(OSError):
            os.utime(self._root / checked_key(key))
        return data

    def put(self, key: str, data: bytes) -> None:
        """Keep bytes under a key, and remove others where there is no room; see `ObjectStore`.

        What is larger than the whole cache is not kept.
        """
        if len(data) > self._max_bytes:
            return
        self._files.put(key, data)
        with self._lock:
            self._bytes += len(data)
            if self._bytes > self._max_bytes:
                self._evict()

    def exists(self, key: str) -> bool:
        """Whether there is something under a key; see `ObjectStore`."""
        return self._files.exists(key)

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys that begin with `prefix/`; see `ObjectStore`."""
        return self._files.keys(prefix)

    def delete(self, key: str) -> None:
        """Remove what is under a key; see `ObjectStore`."""
        self._files.delete(key)

    def _evict(self) -> None:
        """Remove what was not used for the longest time, in O(n log n) of the objects; counts what is there again."""
        found = sorted(self._listed())
        self._bytes = sum(size for _, size, _ in found)
        for _, size, file in found:
            if self._bytes <= _KEPT_SHARE * self._max_bytes:
                return
            with suppress(OSError):
                file.unlink()
                self._bytes -= size

    def _remove_unfinished(self) -> None:
        """Remove what a killed process was writing."""
        for folder, _, names in os.walk(self._root):
            for name in names:
                if name.startswith("."):
                    with suppress(OSError):
                        Path(folder, name).unlink()

    def _listed(self) -> Iterator[tuple[float, int, Path]]:
        """When each object was used, how large it is, and its path; those that are being written are left out."""
        for folder, _, names in os.walk(self._root):
            for name in names:
                if not name.startswith("."):
                    file = Path(folder, name)
                    with suppress(OSError):
                        found = file.lstat()
                        yield found.st_mtime, found.st_size, file
