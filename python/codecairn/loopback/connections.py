"""Connections of a server: their number, and how long a client may take to send a request and to read the answer.

uvicorn times out a connection only between two requests. Here one deadline runs from the opening of a connection, or from the
first byte of a further request, to the last byte of its body. An answer has no deadline, since event streams stay open as long as a
session lasts; but a client that reads nothing of its answer is disconnected.
"""

import asyncio
import sys
from contextlib import suppress
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if sys.platform != "win32":
    import fcntl
    import termios

REQUEST_S = 10.0
"""Seconds for a whole request to arrive. One of 4 MB, the SDK's limit, takes milliseconds over the loopback."""

KEEP_ALIVE_S = 5
"""Seconds that a connection may be silent between two requests; uvicorn's default."""

UNREAD_S = 30.0
"""Seconds that a client may leave its answer unread; each byte that it reads restarts them."""

MAX_CONNECTIONS = 128
"""Connections at once: each of our clients holds a few, and every connection takes a file descriptor."""

_LOOK_S = 1.0
"""How often it is looked at what a client has read."""


class DeadlineProtocol(H11Protocol):
    """HTTP/1.1 with a deadline for requests, one for unread answers, and a limit on connections.

    A connection over the limit takes the place of the one that has waited longest for its client: for a request, or for an
    answer to be read. It is found in O(connections). So clients that do nothing can't keep out others. Where the server is at
    work for all of them, the new one is closed.
    """

    since_s = 0.0
    deadline: asyncio.TimerHandle | None = None
    _watch: asyncio.TimerHandle | None = None
    _unread = (0, 0)
    _read_s = 0.0

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - asyncio's several kinds
        """Start the deadline of the first request."""
        super().connection_made(transport)
        self.since_s = self.loop.time()
        if len(self.connections) > MAX_CONNECTIONS:
            waiting = [
                (since_s, id(each), each)
                for each in self.connections
                if isinstance(each, DeadlineProtocol) and each is not self
                if (since_s := each.waits_since_s()) is not None
            ]
            oldest = min(waiting)[2] if waiting else self
            oldest.abort()
        if not self.transport.is_closing():
            self._start_deadline()
            self._watch = self.loop.call_later(_LOOK_S, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadlines."""
        self._stop_deadline()
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Stop the deadline once the request is whole."""
        super().data_received(data)
        if self.conn.their_state in {h11.IDLE, h11.SEND_BODY} and not self.transport.is_closing():
            self._start_deadline()
        else:
            self._stop_deadline()

    def on_response_complete(self) -> None:
        """Start the deadline of a further request that was sent too early, if its body has not arrived."""
        self.since_s = self.loop.time()
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY and not self.transport.is_closing():
            self._start_deadline()

    def waits_since_s(self) -> float | None:
        """Since when the connection waits for its client; `None` while the server is at work for it."""
        is_served = bool(self.cycle) and not self.cycle.response_complete
        if not is_served or self.deadline is not None:
            return self.since_s
        return max(self.since_s, self._read_s) if any(self._waiting_bytes()) else None

    def _look(self) -> None:
        """End the connection if its client has read nothing for too long."""
        now_s = self.loop.time()
        unread = self._waiting_bytes()
        if unread != self._unread or not any(unread):
            self._unread, self._read_s = unread, now_s
        elif now_s - self._read_s >= UNREAD_S:
            self.abort()
            return
        self._watch = self.loop.call_later(_LOOK_S, self._look)

    def _waiting_bytes(self) -> tuple[int, int]:
        """How many bytes wait here and in the kernel for the client to read."""
        return self.transport.get_write_buffer_size(), self._unacknowledged()

    def _unacknowledged(self) -> int:
        """How many bytes the kernel holds that the other side has no room for yet, where it can be asked.

        It takes more from here only in large pieces, which a slow client takes minutes to read.
        """
        if sys.platform != "win32":
            with suppress(OSError, ValueError):
                socket = self.transport.get_extra_info("socket").fileno()
                size = fcntl.ioctl(socket, termios.TIOCOUTQ, bytes(4))
                return int.from_bytes(size, sys.byteorder)
        return 0

    def _start_deadline(self) -> None:
        """Unless it runs: more bytes of one request do not put it off."""
        if self.deadline is None:
            self.deadline = self.loop.call_later(REQUEST_S, self.abort)

    def _stop_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def abort(self) -> None:
        """End the connection without an answer, or in the middle of one."""
        self._stop_deadline()
        self.connections.discard(self)
        self.transport.abort()
