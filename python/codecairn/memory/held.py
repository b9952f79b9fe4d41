"""The engine of a memory: opened by the first call that needs it, let go of, and opened anew after a fork."""

import os
import threading

from codecairn.memory_engine import MemoryEngine, MemoryEngineOptions

_LEFT_ALONE: list[MemoryEngine | None] = []
"""Engines of the process that this one was forked from: even closing them would disturb their database."""


class HeldMemory:
    """Holds an engine; may be used from several threads."""

    def __init__(self, options: MemoryEngineOptions) -> None:
        self._options = options
        self._engine: MemoryEngine | None = None
        self._lock = threading.Lock()
        self._process = os.getpid()

    def opened(self) -> MemoryEngine:
        """The engine."""
        self._leave_other_process()
        with self._lock:
            if self._engine is None:
                self._engine = MemoryEngine(self._options)
            return self._engine

    def close(self) -> None:
        """Let go of the database; the next call opens it again."""
        self._leave_other_process()
        with self._lock:
            if self._engine is not None:
                self._engine.close()
                self._engine = None

    def _leave_other_process(self) -> None:
        """After a fork: leave the engine to the process that opened it."""
        if self._process != os.getpid():
            _LEFT_ALONE.append(self._engine)
            self._engine = None
            self._lock = threading.Lock()
            self._process = os.getpid()
