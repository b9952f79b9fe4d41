"""A connection to a server that is not trusted: one answer, within a time and a size that are set beforehand.

A timeout of a socket runs for each read, so one byte at a time would keep a client as long as the server likes. Here one deadline
runs from the request to the end of the answer's head, and the content has to arrive at a least rate.
"""

import http.client
import io
import socket
import time
from typing import IO, Any, cast

MIN_BYTES_PER_S = 64 << 10
"""What of an answer's content has to arrive each second, on the whole."""

MAX_HEAD_BYTES = 256 << 10
"""Bytes before the content, with those of interim answers such as `100 Continue`."""


class _Bounded(io.RawIOBase):
    """What is read of a socket.

    Args:
        sock: The socket.
        exchange_s: How long the answer may take, and its content more by its size.
        silent_s: How long nothing may come.
    """

    def __init__(self, sock: socket.socket, *, exchange_s: float, silent_s: float) -> None:
        self._sock = sock
        self._end_s = time.monotonic() + exchange_s
        self._silent_s = silent_s
        self._received = 0
        self.is_content = False

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any buffer
        """Read some bytes.

        Raises:
            TimeoutError: If they take too long.
            HTTPException: If the answer's head has too many.
        """
        earned_s = self._received / MIN_BYTES_PER_S if self.is_content else 0.0
        left_s = self._end_s + earned_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        if not self.is_content and self._received >= MAX_HEAD_BYTES:
            raise http.client.HTTPException
        self._sock.settimeout(min(left_s, self._silent_s))
        count = self._sock.recv_into(buffer)
        self._received += count
        return count


class _Socket:
    """The socket as `http.client` uses it for an answer; it is closed by who made it."""

    def __init__(self, bounded: _Bounded) -> None:
        self._bounded = bounded

    def makefile(self, _mode: str) -> IO[bytes]:
        return io.BufferedReader(self._bounded)


def exchange(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes,
    headers: dict[str, str],
    *,
    max_bytes: int,
    exchange_s: float,
    silent_s: float,
) -> tuple[http.client.HTTPResponse, bytes]:
    """The answer to a request over a connection that is open, and its content: one byte more than allowed if it is too large.

    Raises:
        OSError: If it can't be had; `TimeoutError` if it takes too long.
        HTTPException: If it is none.
    """
    sock = connection.sock
    assert sock is not None
    sock.settimeout(silent_s)
    bounded = _Bounded(sock, exchange_s=exchange_s, silent_s=silent_s)
    connection.request(method, path, body=body, headers=headers)
    response = http.client.HTTPResponse(cast("socket.socket", _Socket(bounded)), method=method)
    response.begin()
    bounded.is_content = True
    return response, response.read(max_bytes + 1)
