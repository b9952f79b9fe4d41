"""Events of systems with recursive watches, macOS and Windows, through watchdog's emitters."""

import os
from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers.api import BaseObserver

from codecairn.indexing.watch_filter import EventFilter

_QUIET = frozenset({"opened", "closed_no_write"})


class RecursiveSource:
    """One recursive watch on the root; what happens in ignored folders is dropped as it comes in.

    `observer` makes watchdog's observer. Folders outside of the root are watched without what is below them.
    """

    def __init__(
        self, root: Path, places: EventFilter, *, observer: Callable[[], BaseObserver]
    ) -> None:
        self._root = root
        self._places = places
        self._observer = observer()

    @property
    def watches(self) -> int:
        """How many watches there are."""
        return len(self._observer.emitters)

    def start(self) -> None:
        """Watch, and begin to read events."""
        handler = _Handler(self._places)
        self._observer.schedule(handler, str(self._root), recursive=True)
        for folder in self._places.git_and_settings.folders():
            if not Path(folder).is_relative_to(self._root):
                self._observer.schedule(handler, folder, recursive=False)
        self._observer.start()

    def resync(self) -> None:
        """Nothing to do: rules are asked for each event."""

    def close(self) -> None:
        """Stop reading."""
        self._observer.stop()
        self._observer.join()


class _Handler(FileSystemEventHandler):
    def __init__(self, places: EventFilter) -> None:
        self._places = places

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Take one event; those of folders that only say that something in them changed are left out."""
        if event.event_type in _QUIET or (event.is_directory and event.event_type == "modified"):
            return
        for place in (event.src_path, event.dest_path):
            if place:
                self._places.saw(os.fsdecode(place), is_dir=event.is_directory)
