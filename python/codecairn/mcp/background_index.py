"""Indexes a workspace in the background: a server answers at once, with the progress of the first index."""

import logging
import threading
from collections.abc import Callable

from codecairn.core.closeable import Closeable
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import Cancelled, CodecairnError
from codecairn.hooks import processes
from codecairn.workspace.workspace import Workspace

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an index is: a phase, and counts of it; all zero before the first look."""

    phase: str = "starting"
    done: int = 0
    total: int = 0

    def __str__(self) -> str:
        return f"{self.phase}, {self.done:,} of {self.total:,}" if self.total else self.phase


class BackgroundIndex(Closeable):
    """Brings a workspace's index up to date in a thread of its own.

    A failure does not end the server: calls find it by themselves, and tell it.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._progress = Progress()
        self._is_ready = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="codecairn-mcp-index", daemon=True)

    def start(self) -> None:
        """Begin, if it has not begun."""
        if self._thread.ident is None:
            self._thread.start()

    def close(self) -> None:
        """Break off what runs; what was committed stays."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def progress(self) -> Progress | None:
        """How far it is; `None` once there is an index, or if it failed."""
        return None if self._is_ready.is_set() else self._progress

    def wait(self, timeout_s: float, *, is_cancelled: Callable[[], bool]) -> Progress | None:
        """Wait for the first index; returns how far it is if that takes longer."""
        step_s = 0.05
        waited_s = 0.0
        while waited_s < timeout_s and not is_cancelled():
            if self._is_ready.wait(step_s):
                return None
            waited_s += step_s
        return self.progress

    def _run(self) -> None:
        try:
            if _is_indexed(self._workspace):
                self._is_ready.set()
            self._workspace.pull_first(progress=self._note)
            self._workspace.index(progress=self._note)
        except CodecairnError as err:
            _LOG.info("the index was not brought up to date: %s", err.message)
        finally:
            self._is_ready.set()
        self._look_after_memory()

    def _look_after_memory(self) -> None:
        """As at an agent's session, by a process that ends by itself: no host waits for it, nor this server."""
        try:
            if self._workspace.settings.hooks_background and not self._closing.is_set():
                processes.start("work", str(self._workspace.root))
        except (CodecairnError, OSError) as err:
            _LOG.info("the memory was not looked after: %s", err)

    def _note(self, phase: str, done: int, total: int) -> None:
        self._progress = Progress(phase=phase, done=done, total=total)
        if self._closing.is_set():
            message = "the server is ending"
            raise Cancelled(message)


def _is_indexed(workspace: Workspace) -> bool:
    try:
        return workspace.status().indexed_at_ns > 0
    except CodecairnError:
        return False
