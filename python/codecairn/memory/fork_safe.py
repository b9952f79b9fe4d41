"""A memory engine that is opened on first use, and left untouched in the children of a fork."""

import os
import threading
from pathlib import Path

from codecairn.config.settings import Settings
from codecairn.core.memory_engine import MemoryEngine, MemoryEngineOptions
from codecairn.paths import user
from codecairn.paths.root import STORE_NAME
from codecairn.trust.store_trust import key_file

ENDLESS_BYTES = 2_000
"""Bytes of a tool's output that an endless session keeps at most."""

_LEFT_ALONE: list[MemoryEngine | None] = []
"""Engines of the process that this one was forked from: even closing them would disturb their database."""


def kept_bytes(settings: Settings) -> int:
    """Bytes that are kept of one tool's output: fewer in endless mode, which the beta channel alone has."""
    if settings.memory_endless and settings.memory_channel == "beta":
        return min(settings.memory_compact_bytes, ENDLESS_BYTES)
    return settings.memory_compact_bytes


def memory_file(settings: Settings) -> Path:
    """The database; it need not exist."""
    named = settings.memory_path
    return user.expanded(Path(named)) if named else user.data_folder() / "memory.db"


def options_of(root: Path, settings: Settings) -> MemoryEngineOptions:
    """How the memory of the workspace at `root` is opened."""
    return MemoryEngineOptions(
        path=memory_file(settings),
        root=root,
        spool=root / STORE_NAME / "memory-spool",
        key=key_file(),
        identity=settings.memory_identity,
        project=settings.memory_project or None,
        unclosed=settings.memory_private_unclosed,
        compact_bytes=kept_bytes(settings),
    )


class ForkSafeMemory:
    """One engine a process. Thread-safe."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self._root = root
        self._settings = settings
        self._engine: MemoryEngine | None = None
        self._lock = threading.Lock()
        self._process = os.getpid()

    @property
    def path(self) -> Path:
        """The database; it need not exist."""
        return memory_file(self._settings)

    def engine(self) -> MemoryEngine:
        """The engine, opened if it is not."""
        self._leave_other_process()
        with self._lock:
            if self._engine is None:
                self._engine = MemoryEngine(options_of(self._root, self._settings))
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
