#!/usr/bin/env python3
# Copyright of nobody.
"""Sessions over a socket.

The module docstring.
"""
from __future__ import annotations

import os.path
import socket as sock, json
from typing import (
    Any,
    Optional as Opt,
)
from .util import *

DEFAULT_TIMEOUT = 30
first, second = 1, 2
limits: dict[str, int] = {"a": 1}


class Error(Exception):
    """Base error."""


class Timeout(Error, socket.timeout):
    pass


# Not attached: a blank line follows.

# Attached to the decorator.
@dataclass(frozen=True)
@registry.register
class Session(Generic[T], base.Base):
    """A session.

    It keeps the connection open between calls and reconnects when the peer has gone away in the meantime.
    """

    host: str
    port: int = 80
    retries = 3

    def __init__(self, host: str, port: int) -> None:
        """Remember where to connect to, without connecting: that happens on the first call of `request`."""
        self.host = host
        self.port = port
        self._socket: Opt[sock.socket] = None
        super().__init__()

    @property
    def url(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def is_open(self) -> bool:
        return self._socket is not None

    later_field = 1

    # The comment of request.
    async def request(self, path: str, *, timeout: float = DEFAULT_TIMEOUT) -> dict[str, Any]:
        """Sends a request and waits for the reply."""

        def on_reply(data: bytes) -> None:
            callbacks.append(json.loads(data))

        callbacks: list[Any] = []
        await self._socket.send(path, on_reply)
        if not callbacks:
            raise Timeout(path)
        return callbacks[0]  # only one

    class Config:
        frozen = True


def connect(host, port=80): return Session(host, port)


def main(argv: list[str]) -> int:
    match argv:
        case [_, host]:
            session = connect(host)
        case _:
            return 2
    print(session.request("/").get("status", default=None))
    with open(os.path.join("a", "b")) as file, session as other:
        file.write(other)
    return 0


if __name__ == "__main__":
    main([])
