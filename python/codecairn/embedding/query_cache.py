"""Caches the vectors of queries by their exact text, in memory and in the store's folder.

A file that can't be read or written costs a request and nothing else.
"""

import hashlib
import os
import threading
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path

_MAX_IN_MEMORY = 512
_MAX_FILES = 2000


class QueryCache:
    """Vectors by space and query. Thread-safe."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._known: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, space: str, query: str, *, size_bytes: int) -> bytes | None:
        """The vector, which has so many bytes; `None` if it is not known."""
        name = _name(space, query)
        with self._lock:
            vector = self._known.get(name)
            if vector is None and self._folder is not None:
                with suppress(OSError):
                    vector = (self._folder / name).read_bytes()
            if vector is None or len(vector) != size_bytes:
                return None
            self._remember(name, vector)
            return vector

    def put(self, space: str, query: str, vector: bytes) -> None:
        """Keep a vector."""
        name = _name(space, query)
        with self._lock:
            self._remember(name, vector)
            if self._folder is not None:
                with suppress(OSError):
                    self._write(self._folder, name, vector)

    def _remember(self, name: str, vector: bytes) -> None:
        self._known[name] = vector
        self._known.move_to_end(name)
        if len(self._known) > _MAX_IN_MEMORY:
            self._known.popitem(last=False)

    def _write(self, folder: Path, name: str, vector: bytes) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        names = [path.name for path in folder.iterdir()]
        if len(names) >= _MAX_FILES:
            for old in names[: _MAX_FILES // 2]:
                (folder / old).unlink(missing_ok=True)
        temporary = folder / f"{name}.{os.getpid()}.tmp"
        temporary.write_bytes(vector)
        temporary.replace(folder / name)


def _name(space: str, query: str) -> str:
    """A name from a hash: what was asked does not show in the folder."""
    return hashlib.sha256(f"{space}\0{query}".encode("utf-8", "surrogatepass")).hexdigest()
