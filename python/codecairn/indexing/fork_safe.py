"""An engine that is opened on first use and again in the children of a fork."""

import os
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from codecairn.core.engine import Engine
from codecairn.errors import Cancelled, CodecairnError
from codecairn.indexing.store_opening import Opening
from codecairn.paths.store import database_identity

_LEFT_ALONE: list[Engine | None] = []
"""Engines of the process that this one was forked from: even closing them would disturb their store."""

_PAUSES_S = (0.0, 0.1, 0.5, 2.0)
"""Between the tries on a store that is being removed."""

_Result = TypeVar("_Result")


class ForkSafeEngine:
    """The engine of one workspace; several threads may use it.

    A database that was removed (`git clean -fdx`) or replaced since it was opened is opened again by the next call: the
    connections of an engine would go on with the unlinked file, which holds old answers and loses what is written.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._engine: Engine | None = None
        self._identity: tuple[int, int] | None = None
        self._lock = threading.Lock()
        self._process = os.getpid()

    @property
    def is_open(self) -> bool:
        """Whether the store has been opened."""
        return self._engine is not None

    def opened(self, *, create: bool) -> Engine:
        """The engine; its store is made if there is none and `create` is set.

        Costs one `stat` (2 µs) where the engine is open.

        Raises:
            NotIndexed: If there is no store and none may be made.
            StoreReadOnly: If there is no store and none can be made.
        """
        self._leave_other_process()
        with self._lock:
            if self._engine is not None and self._is_stale(self._engine):
                self._engine.close()
                self._engine = None
            if self._engine is None:
                self._engine = self._opening.open(create=create)
                self._identity = database_identity(self._engine.options.store)
            return self._engine

    def last_opened(self) -> Engine:
        """The engine as it was opened last, for questions that its rules answer without the store."""
        self._leave_other_process()
        engine = self._engine
        return self.opened(create=True) if engine is None else engine

    def run(self, work: Callable[[Engine], _Result], *, create: bool) -> _Result:
        """What `work` returns for the engine; where the store is removed or replaced meanwhile, `work` runs again.

        A folder takes a while to be removed, so there are several tries, with pauses.

        Raises:
            CodecairnError: What `work` raises, or the opening of the store.
        """
        was_open = False
        for pause_s in _PAUSES_S:
            was_open = was_open or self.is_open
            engine = None
            try:
                engine = self.opened(create=create)
                return work(engine)
            except Cancelled:
                raise
            except CodecairnError:
                is_removed = was_open if engine is None else self._is_stale(engine)
                if not is_removed:
                    raise
            time.sleep(pause_s)
        return work(self.opened(create=create))

    def use(self, opening: Opening) -> None:
        """Open the store in another way from the next call on."""
        self.close()
        self._opening = opening

    def close(self) -> None:
        """Let go of the store; the next call opens it again."""
        self._leave_other_process()
        with self._lock:
            if self._engine is not None:
                self._engine.close()
                self._engine = None

    def _is_stale(self, engine: Engine) -> bool:
        found = database_identity(engine.options.store)
        return found is None or found != self._identity

    def _leave_other_process(self) -> None:
        """After a fork: leave the engine to the process that opened it, for a database must not be shared that way."""
        if self._process != os.getpid():
            _LEFT_ALONE.append(self._engine)
            self._engine = None
            self._lock = threading.Lock()
            self._process = os.getpid()
