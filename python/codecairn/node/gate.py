"""Lets many threads read a folder, or one replace it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """One that wants to replace goes before those that come later to read. Neither may be begun within the other."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._is_wanted = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Nothing is replaced until the block ends."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_wanted)
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextmanager
    def replacing(self) -> Iterator[None]:
        """Nothing is read until the block ends. One thread at a time may ask for it."""
        with self._changed:
            self._is_wanted = True
            try:
                self._changed.wait_for(lambda: not self._readers)
                yield
            finally:
                self._is_wanted = False
                self._changed.notify_all()
