"""Logs the cost of remote searches in the store."""

import threading

from codecairn.core.engine import Engine
from codecairn.core.types.embedding import NOTHING_SPENT, Spending, total_of
from codecairn.errors import IndexLocked, StoreError


class Costs:
    """Logs the cost of query vectors and reranking as soon as the write lock is free. Thread-safe.

    What can't be put down at once, because another process writes, is put down with what is paid next. A process that
    ends before that, and a store that can't be written, lose it: no search waits or fails for the sake of a sum.
    """

    def __init__(self) -> None:
        self._open: dict[str, Spending] = {}
        self._lock = threading.Lock()

    def spent(self, engine: Engine) -> Spending:
        """What was paid so far in all, by other processes too."""
        with self._lock:
            return total_of(engine.spending()) + total_of(tuple(self._open.items()))

    def put_down(self, engine: Engine, name: str, spending: Spending) -> None:
        """Add what was paid, by vector space or reranker."""
        if spending == NOTHING_SPENT:
            return
        with self._lock:
            self._open[name] = self._open.get(name, NOTHING_SPENT) + spending
            if engine.options.read_only:
                return
            for known in list(self._open):
                try:
                    engine.add_spending(known, self._open[known])
                except (IndexLocked, StoreError):
                    return
                del self._open[known]
