"""A dispatcher that is created after `initialize` is answered, as a host waits for that answer."""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codecairn.core.closeable import Closeable

if TYPE_CHECKING:
    from codecairn.mcp.dispatcher import ToolDispatcher


@contextmanager
def unwatched() -> Iterator[None]:
    """Load much without the collector of garbage, which looks at it all again and again and finds nothing."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class LazyToolDispatcher(Closeable):
    """A dispatcher that the first caller creates and starts. Thread-safe."""

    def __init__(self, make: "Callable[[], ToolDispatcher]") -> None:
        self._make = make
        self._dispatcher: ToolDispatcher | None = None
        self._is_closed = False
        self._lock = threading.Lock()

    def opened(self) -> "ToolDispatcher":
        """The dispatcher; its indexes are being brought up to date.

        Raises:
            CodecairnError: If it can't be made; the next call tries again.
        """
        with self._lock:
            if self._dispatcher is None:
                with unwatched():
                    self._dispatcher = self._make()
                if not self._is_closed:
                    self._dispatcher.start()
            return self._dispatcher

    def close(self) -> None:
        """Close the dispatcher, if there is one."""
        with self._lock:
            self._is_closed = True
            if self._dispatcher is not None:
                self._dispatcher.close()
