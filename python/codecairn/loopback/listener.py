"""A socket that listens, with a limit on connections that are not established: those whose handshake of TLS is under way.

A server knows nothing of a connection before its handshake, which has ten seconds. Each takes a file descriptor.
"""

import asyncio
import errno
import socket
import sys
import time
from contextlib import suppress
from typing import Any

MAX_HANDSHAKES = 512
"""Connections at once that are not established. One more ends the oldest."""

DESCRIPTORS = 8_192
"""File descriptors that a server which others can reach asks the system for."""

BACKLOG = 128
"""Connections that the system keeps until they are accepted; so many are accepted at one go."""

_REPORT_S = 5.0
_PAUSE_S = 0.5
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Listener(socket.socket):
    """A socket that listens, and keeps account of the connections that it accepted until they are established."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - those of a socket
        super().__init__(*arguments, **named)
        self._handshakes: dict[int, socket.socket] = {}
        self._exhausted_s = float("-inf")

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection; where there are too many that are not established, the oldest of them is ended.

        Raises:
            OSError: If no descriptor is free, once for each pause that the event loop makes then.
        """
        if time.monotonic() - self._exhausted_s < _PAUSE_S:
            # The event loop goes on accepting in the same go, and would report each failure.
            raise BlockingIOError
        try:
            accepted, address = super().accept()
        except OSError as err:
            if err.errno in _EXHAUSTED:
                self._exhausted_s = time.monotonic()
            raise
        self._handshakes.pop(accepted.fileno(), None)
        self._handshakes[accepted.fileno()] = accepted
        if len(self._handshakes) > MAX_HANDSHAKES:
            self._end_oldest()
        return accepted, address

    def established(self, descriptor: int) -> None:
        """Count a connection no more: the server limits it from here on."""
        self._handshakes.pop(descriptor, None)

    def _end_oldest(self) -> None:
        for descriptor, each in [*self._handshakes.items()]:
            if each.fileno() == -1:
                del self._handshakes[descriptor]
        while len(self._handshakes) > MAX_HANDSHAKES:
            oldest = self._handshakes.pop(next(iter(self._handshakes)))
            with suppress(OSError):
                # Its transport closes it at once: that the other side has ended it is all that it sees.
                oldest.shutdown(socket.SHUT_RDWR)


class ExhaustionReport:
    """What an event loop does with errors: one line each few seconds where there are too many connections for the system."""

    def __init__(self) -> None:
        self._reported_s = float("-inf")

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Report an error."""
        err = context.get("exception")
        if not isinstance(err, OSError) or err.errno not in _EXHAUSTED or "socket" not in context:
            loop.default_exception_handler(context)
            return
        now_s = time.monotonic()
        if now_s - self._reported_s >= _REPORT_S:
            self._reported_s = now_s
            sys.stderr.write(f"error: no further connection can be accepted: {err.strerror}\n")


def raise_descriptor_limit() -> None:
    """Let this process have as many file descriptors as the system allows, up to `DESCRIPTORS`."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
