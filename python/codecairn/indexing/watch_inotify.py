"""Events of Linux: one inotify instance and one thread, with watches on the walked folders and no others.

Built on watchdog's binding of inotify. Its recursive watch is not used: it enters ignored folders.
"""

import errno
import os
import select
import struct
import threading
from collections.abc import Callable, Iterator
from ctypes import get_errno
from pathlib import Path

from watchdog.observers.inotify_c import (
    InotifyConstants,
    inotify_add_watch,
    inotify_init,
    inotify_rm_watch,
)

from codecairn.indexing.watch_changes import Changes, WatchesExhausted
from codecairn.indexing.watch_filter import EventFilter

_MASK = (
    InotifyConstants.IN_CLOSE_WRITE
    | InotifyConstants.IN_ATTRIB
    | InotifyConstants.IN_CREATE
    | InotifyConstants.IN_DELETE
    | InotifyConstants.IN_MOVED_FROM
    | InotifyConstants.IN_MOVED_TO
    | InotifyConstants.IN_DELETE_SELF
    | InotifyConstants.IN_MOVE_SELF
    | InotifyConstants.IN_ONLYDIR
    | InotifyConstants.IN_DONT_FOLLOW
    | InotifyConstants.IN_EXCL_UNLINK
)
_CAME = InotifyConstants.IN_CREATE | InotifyConstants.IN_MOVED_TO
_WENT = InotifyConstants.IN_DELETE | InotifyConstants.IN_MOVED_FROM
_SELF_WENT = InotifyConstants.IN_DELETE_SELF | InotifyConstants.IN_MOVE_SELF

_HEADER = struct.Struct("iIII")
_BUFFER_BYTES = 1 << 16


class InotifySource:
    """Watches folders and hands what happens in them to `places`.

    `folders` lists the folders to watch below one (empty for the root), relative to the root. `exhausted` is called
    from the reading thread when the system gives no more watches.

    Raises:
        WatchesExhausted: If the system gives no instance.
    """

    def __init__(
        self,
        root: Path,
        places: EventFilter,
        changes: Changes,
        *,
        folders: Callable[[str], list[str]],
        exhausted: Callable[[], None],
    ) -> None:
        self._root = str(root)
        self._places = places
        self._changes = changes
        self._folders = folders
        self._exhausted = exhausted
        self._lock = threading.RLock()
        self._folder_of: dict[int, str] = {}
        self._watch_of: dict[str, int] = {}
        self._inotify = inotify_init()
        if self._inotify == -1:
            raise _failure(self._root)
        self._wake_read, self._wake_write = os.pipe()
        os.set_inheritable(self._inotify, False)  # noqa: FBT003 - its only signature
        self._thread = threading.Thread(
            target=self._read_all, name="codecairn-inotify", daemon=True
        )

    @property
    def watches(self) -> int:
        """How many folders are watched."""
        return len(self._folder_of)

    def start(self) -> None:
        """Watch, and begin to read events.

        Raises:
            WatchesExhausted: If the system gives too few watches.
        """
        self.resync()
        self._thread.start()

    def resync(self) -> None:
        """Watch what the rules let through now, and nothing else.

        Raises:
            WatchesExhausted: If the system gives too few watches.
        """
        with self._lock:
            git_and_settings = set(self._places.git_and_settings.folders())
            wanted = {self._place(folder) for folder in self._folders("")} | git_and_settings
            for place in [place for place in self._watch_of if place not in wanted]:
                self._drop(place)
            for place in sorted(git_and_settings):
                self._add(place)
            self._watch_below("")

    def close(self) -> None:
        """Stop reading and give the watches back."""
        os.write(self._wake_write, b".")
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        for handle in (self._inotify, self._wake_read, self._wake_write):
            os.close(handle)

    # The reading thread

    def _read_all(self) -> None:
        poll = select.poll()
        poll.register(self._inotify, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        while True:
            ready = {handle for handle, _ in poll.poll()}
            if self._wake_read in ready:
                return
            try:
                with self._lock:
                    for watch, mask, name in _events(os.read(self._inotify, _BUFFER_BYTES)):
                        self._take(watch, mask, name)
            except WatchesExhausted:
                self._exhausted()
                return

    def _take(self, watch: int, mask: int, name: str) -> None:
        if mask & (InotifyConstants.IN_Q_OVERFLOW | InotifyConstants.IN_UNMOUNT):
            self._changes.add_everything()
            return
        folder = self._folder_of.get(watch)
        if folder is None:
            return
        if mask & InotifyConstants.IN_IGNORED:
            self._forget(folder)
            return
        if mask & _SELF_WENT:
            if folder == self._root:
                self._changes.add_everything()
            return
        place = f"{folder}/{name}" if name else folder
        is_dir = bool(mask & InotifyConstants.IN_ISDIR)
        if is_dir and name:
            if mask & _WENT:
                self._drop_below(place)
            if mask & _CAME:
                self._watch_new(place)
        if name:
            self._places.saw(place, is_dir=is_dir)

    def _watch_new(self, place: str) -> None:
        if self._places.git_and_settings.is_ref(place):
            for folder, _, _ in os.walk(place):
                self._add(folder)
        path = self._places.inside(place)
        if path is not None and "\udc80" <= max(path) <= "\udcff":
            return  # not valid Unicode: the rules leave it out
        if path is not None:
            self._watch_below(path)

    # Watches

    def _place(self, folder: str) -> str:
        return f"{self._root}/{folder}" if folder else self._root

    def _watch_below(self, folder: str) -> None:
        """Watch a folder and all below it that are walked.

        Looks again until nothing new is found: what was made after the look and before the watch gives no event.
        """
        while True:
            new = [
                place
                for place in map(self._place, self._folders(folder))
                if place not in self._watch_of
            ]
            added = [self._add(place) for place in new]
            if not any(added):
                return

    def _add(self, place: str) -> bool:
        """Watch one folder; returns whether that was possible."""
        if place in self._watch_of:
            return True
        watch = inotify_add_watch(self._inotify, os.fsencode(place), _MASK)
        if watch == -1:
            failure = _failure(place)
            if isinstance(failure, WatchesExhausted):
                raise failure
            return False
        before = self._folder_of.get(watch)
        if before is not None:
            # The same folder under the name that it had before it was moved.
            self._watch_of.pop(before, None)
        self._folder_of[watch] = place
        self._watch_of[place] = watch
        return True

    def _drop(self, place: str) -> None:
        watch = self._watch_of.get(place)
        if watch is not None:
            self._forget(place)
            inotify_rm_watch(self._inotify, watch)

    def _drop_below(self, place: str) -> None:
        below = place + "/"
        for other in [
            other for other in self._watch_of if other == place or other.startswith(below)
        ]:
            self._drop(other)

    def _forget(self, place: str) -> None:
        self._folder_of.pop(self._watch_of.pop(place, -1), None)


def _events(buffer: bytes) -> Iterator[tuple[int, int, str]]:
    """Watch, mask and name of each event in what was read."""
    offset = 0
    while offset + _HEADER.size <= len(buffer):
        watch, mask, _cookie, length = _HEADER.unpack_from(buffer, offset)
        offset += _HEADER.size
        yield watch, mask, os.fsdecode(buffer[offset : offset + length].rstrip(b"\0"))
        offset += length


def _failure(place: str) -> OSError:
    code = get_errno()
    exhausted = code in (errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
    return (WatchesExhausted if exhausted else OSError)(code, os.strerror(code), place)
