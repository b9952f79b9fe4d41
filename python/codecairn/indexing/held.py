"""One engine that is opened when it is first needed, and left alone by the children of a fork."""

import os
import threading

from codecairn.engine import Engine
from codecairn.indexing.opening import Opening

_LEFT_ALONE: list[Engine | None] = []
"""Engines of the process that this one was forked from: even closing them would disturb their store."""


class HeldEngine:
    """The engine of one workspace; several threads may use it."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._engine: Engine | None = None
        self._lock = threading.Lock()
        self._process = os.getpid()

    @property
    def is_open(self) -> bool:
        """Whether the store has been opened."""
        return self._engine is not None

    def opened(self, *, create: bool) -> Engine:
        """The engine; its store is made if there is none and `create` is set.

        Raises:
            NotIndexed: If there is no store and none may be made.
            StoreReadOnly: If there is no store and none can be made.
        """
        self._leave_other_process()
        with self._lock:
            if self._engine is None:
                self._engine = self._opening.open(create=create)
            return self._engine

    def close(self) -> None:
        """Let go of the store; the next call opens it again."""
        self._leave_other_process()
        with self._lock:
            if self._engine is not None:
                self._engine.close()
                self._engine = None

    def _leave_other_process(self) -> None:
        """After a fork: leave the engine to the process that opened it, for a database must not be shared that way."""
        if self._process != os.getpid():
            _LEFT_ALONE.append(self._engine)
            self._engine = None
            self._lock = threading.Lock()
            self._process = os.getpid()
