"""An object store in a folder: on this disk, a network drive, or a folder that continuous integration caches."""

import os
from collections.abc import Iterator
from pathlib import Path

from codecairn.errors import ObjectMissing, RemoteUnavailable, RemoteUntrusted
from codecairn.objects.object_store import MAX_OBJECT_BYTES, checked_key
from codecairn.paths.atomic_write import write_atomically
from codecairn.paths.workspace_files import open_regular

_FILE_MODE = 0o644
"""Others may read an object: it is sealed."""


class FolderStore:
    """Keeps each object in a file of its own below `root`, which is made by the first `put`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def place(self) -> str:
        """The folder."""
        return str(self._root)

    def get(self, key: str, *, max_bytes: int = MAX_OBJECT_BYTES) -> bytes:
        """The bytes of a file; see `ObjectStore`."""
        try:
            with open_regular(self._path(key)) as file:
                data = file.read(max_bytes + 1)
        except FileNotFoundError as err:
            self._require_root()
            raise ObjectMissing(f"`{self._root}` has no object `{key}`") from err
        except OSError as err:
            raise self._unavailable(err) from err
        if len(data) > max_bytes:
            raise RemoteUntrusted(
                f"the object `{key}` in `{self._root}` has more than {max_bytes:,} bytes"
            )
        return data

    def put(self, key: str, data: bytes) -> None:
        """Write a file in one step; see `ObjectStore`."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data, mode=_FILE_MODE)
        except OSError as err:
            raise self._unavailable(err) from err

    def exists(self, key: str) -> bool:
        """Whether there is a file; see `ObjectStore`."""
        try:
            return self._path(key).is_file()
        except OSError as err:
            raise self._unavailable(err) from err

    def keys(self, prefix: str) -> Iterator[str]:
        """The files below a folder; those that are being written are left out."""

        def fail(err: OSError) -> None:
            if not isinstance(err, FileNotFoundError):
                raise self._unavailable(err) from err

        for folder, _, names in os.walk(self._path(prefix), onerror=fail):
            below = Path(folder).relative_to(self._root).as_posix()
            yield from (f"{below}/{name}" for name in names if not name.startswith("."))

    def delete(self, key: str) -> None:
        """Remove a file; see `ObjectStore`."""
        try:
            self._path(key).unlink(missing_ok=True)
        except OSError as err:
            raise self._unavailable(err) from err

    def _path(self, key: str) -> Path:
        return self._root / checked_key(key)

    def _require_root(self) -> None:
        if not self._root.is_dir():
            raise RemoteUnavailable(
                f"the folder `{self._root}` of the shared index is not there",
                hint="mount or make it; the local index works without",
            )

    def _unavailable(self, err: OSError) -> RemoteUnavailable:
        reason = err.strerror or str(err)
        return RemoteUnavailable(
            f"the folder `{self._root}` of the shared index can't be used: {reason}"
        )
