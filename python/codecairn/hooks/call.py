"""One event of a host: its JSON on standard input, an answer on standard output by the deadline, always exit code 0.

The core does the work (`native/crates/hooks`). An event that is not recorded by the deadline is handed to a background process.
A host waits for the start of the interpreter, so this imports built-in modules and the core alone.
"""

import sys
import time
from _thread import allocate_lock, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING or sys.platform == "win32":
    import os
    from os import _exit as leave
else:
    import posix as os
    from posix import _exit as leave

DEADLINE_S = 0.24
"""When the host is answered at the latest; starting an interpreter takes the rest of 300 ms."""

LATE = "--late"
"""Given with a time by a hook that was too late: the event is recorded as of then, without an answer."""

WAIT = "--wait"
"""Given by people who try it out: there is no deadline."""

NEUTRAL = "{}"
"""The answer that every host takes for none."""

_MAX_BYTES = 32_000_000


class Call:
    """One event of one agent, and what became of it."""

    def __init__(self, agent: str, event: str, late_ms: int) -> None:
        self.agent = agent
        self.event = event
        self.is_late = late_ms > 0
        self.happened_ms = late_ms or time.time_ns() // 1_000_000
        self.raw = b""
        self.is_recorded = False
        self._answer = allocate_lock()

    def answer(self, text: str) -> bool:
        """Answer the host, unless that was done."""
        if not self._answer.acquire(blocking=False):
            return False
        if not self.is_late:
            try:
                os.write(1, text.encode("ascii", "replace"))
            except OSError:
                return True
        return True

    def note_recorded(self) -> None:
        """Note that no other process has to record the event."""
        self.is_recorded = True

    def log(self, message: str) -> None:
        """Note in the log of hooks what went wrong, if that is possible."""
        try:
            from codecairn import _native

            _native.hooks_log(f"{self.agent} {self.event}: {message}")
        except Exception:  # noqa: BLE001 - without the core there is no log
            return


def main(arguments: "list[str]") -> None:
    """Serve one call and end the process. The core's connections stay open, as closing them waits for the disk."""
    *options, agent, event = ["", "", *arguments]
    call = Call(agent, event, int(options[-1]) if LATE in options else 0)
    if not call.is_late and WAIT not in options:
        start_new_thread(_watch, (call,))
    text, due = NEUTRAL, None
    try:
        # First of all: what was not read by the deadline can't be handed over.
        call.raw = _read_all()
        from codecairn import _native

        text, due = _native.hook(
            agent,
            event,
            call.raw,
            happened_ms=call.happened_ms,
            is_late=call.is_late,
            resolve=_resolved,
            recorded=call.note_recorded,
        )
    except BaseException as err:  # noqa: BLE001 - the outer edge: no host is ever troubled
        call.log(f"{type(err).__name__}: {err}")
    if not call.answer(text):
        time.sleep(DEADLINE_S)  # the watch ends this process when it has handed the event over
    try:
        if due is not None:
            from codecairn.hooks import processes

            processes.start(*due)
    except Exception as err:  # noqa: BLE001 - what is not started now is started at the next event
        call.log(f"{type(err).__name__}: {err}")
    leave(0)


def _resolved(folder: str) -> str:
    from codecairn.hooks.project_resolution import resolved

    return resolved(folder)


def _read_all() -> bytes:
    parts: list[bytes] = []
    size = 0
    while size <= _MAX_BYTES:
        part = os.read(0, 1_048_576)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    raise ValueError("the event is too large")


def _watch(call: Call) -> None:
    """At the deadline: answer, hand the event to another process, and exit."""
    time.sleep(DEADLINE_S)
    if not call.answer(NEUTRAL):
        return
    try:
        call.log(f"not done within {DEADLINE_S * 1000:.0f} ms")
        if call.raw and not call.is_recorded:
            from codecairn.hooks import processes

            processes.hand_over([str(call.happened_ms), call.agent, call.event], call.raw)
    finally:
        leave(0)
