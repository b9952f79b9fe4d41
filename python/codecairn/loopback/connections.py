"""Connections of a server on the loopback address: their number, and the deadline of a request.

uvicorn times out a connection only between two requests. Here one deadline runs from the opening of a connection, or from the
first byte of a further request, to the last byte of its body. A response has no deadline: event streams stay open as long as a
session lasts, for clients that have the token.
"""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 10.0
"""Seconds for a whole request to arrive. One of 4 MB, the SDK's limit, takes milliseconds over the loopback."""

KEEP_ALIVE_S = 5
"""Seconds that a connection may be silent between two requests; uvicorn's default."""

MAX_CONNECTIONS = 128
"""Connections at once: each client of ours holds a few, and every connection takes a file descriptor."""


class DeadlineProtocol(H11Protocol):
    """HTTP/1.1 with a deadline for requests and a limit on connections.

    A connection over the limit takes the place of the oldest one whose request has not arrived, found in O(connections):
    connections that say nothing can't keep out those that do. Where all are being served, the new one is closed.
    """

    opened_s = 0.0
    deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - asyncio's several kinds
        """Start the deadline of the first request."""
        super().connection_made(transport)
        self.opened_s = self.loop.time()
        if len(self.connections) > MAX_CONNECTIONS:
            waiting = [
                each
                for each in self.connections
                if isinstance(each, DeadlineProtocol) and each.deadline is not None
            ]
            oldest = min(waiting, key=lambda each: each.opened_s, default=self)
            oldest.abort()
        if not self.transport.is_closing():
            self._start_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadline."""
        self._stop_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Stop the deadline once the request is whole."""
        super().data_received(data)
        if self.conn.their_state in {h11.IDLE, h11.SEND_BODY} and not self.transport.is_closing():
            self._start_deadline()
        else:
            self._stop_deadline()

    def _start_deadline(self) -> None:
        """Unless it runs: more bytes of one request do not put it off."""
        if self.deadline is None:
            self.deadline = self.loop.call_later(REQUEST_S, self.abort)

    def _stop_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def abort(self) -> None:
        """End the connection without an answer."""
        self._stop_deadline()
        self.connections.discard(self)
        self.transport.abort()
