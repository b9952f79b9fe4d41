"""The transports: standard input and output for one host, HTTP on this machine for several."""

import io
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, TextIO, cast

from codecairn.mcp.client_roots import HostRoots, RootsExchange
from codecairn.mcp.handshake import Handshake
from codecairn.mcp.lazy_dispatcher import LazyToolDispatcher, unwatched
from codecairn.mcp.message_check import CheckedInput

PATH = "/mcp"
"""Where the HTTP transport listens."""

_PREPARES_IN_THREADS = (2, 14)
"""The version of Pydantic since which models may be used first by two threads at a time."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


def serve_stdio(dispatcher: LazyToolDispatcher, roots: HostRoots) -> None:
    """Serve until the host closes standard input; the SDK is imported after its first messages are answered.

    The host's roots go to `roots`.
    """
    with _moved_streams() as (reading, writing):
        out = cast("TextIO", _LockedOutput(writing))
        messages = cast("TextIO", CheckedInput(reading, out))
        host = RootsExchange(messages, out, roots)
        handshake = Handshake(dispatcher, host.reading, out, load_server=_load_server)
        transcript = handshake.serve()
        if transcript is not None:
            _load_server()(dispatcher, transcript.reading, transcript.writing)


class _LockedOutput(io.TextIOBase):
    """A stream on which lines of several threads do not mix; each write is a whole line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def write(self, text: str, /) -> int:
        with self._lock:
            count = self._stream.write(text)
            self._stream.flush()
            return count

    def flush(self) -> None:
        """Every write is flushed already."""


def _load_server() -> Callable[[LazyToolDispatcher, TextIO, TextIO], None]:
    """Import the SDK, and what serves with it."""
    with unwatched(), _built_when_used():
        from codecairn.mcp.server import serve_streams
    return serve_streams


@contextmanager
def _moved_streams() -> Iterator[tuple[TextIO, TextIO]]:
    """Standard input and output under other descriptors.

    In their place children and stray prints meet an empty input and standard error, so they neither take a request nor
    write between two answers.
    """
    sys.stdout.flush()
    numbers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield (
            open(numbers[0], encoding="utf-8", errors="replace", closefd=False),  # noqa: SIM115
            open(numbers[1], "w", encoding="utf-8", closefd=False),  # noqa: SIM115
        )
    finally:
        for number, copy in enumerate(numbers):
            os.dup2(copy, number)


@contextmanager
def _built_when_used() -> Iterator[None]:
    """Have the SDK's models prepared when one of them is used first: it has those of three protocols and uses few of them."""
    from pydantic import VERSION, BaseModel

    if tuple(map(int, VERSION.split(".")[:2])) < _PREPARES_IN_THREADS:
        yield
        return
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]


def serve_http(
    dispatcher: LazyToolDispatcher, *, port: int, token: str, on_listening: Callable[[str], None]
) -> None:
    """Serve on the loopback address until interrupted. Requests need the token; pages of other origins are refused.

    Args:
        dispatcher: What is served.
        port: Where to listen; 0 for any free port.
        token: What `Authorization: Bearer` must carry.
        on_listening: Called with the address once it listens.
    """
    from codecairn.loopback.serving import ADDRESS, listen, serve
    from codecairn.mcp.server import make_server

    app = make_server(dispatcher).streamable_http_app(streamable_http_path=PATH, host=ADDRESS)
    with listen(port) as listening:
        on_listening(f"http://{ADDRESS}:{listening.getsockname()[1]}{PATH}")
        dispatcher.opened()
        serve(Guarded(app, token), listening)


class Guarded:
    """An application behind a token. A request without it is answered unread, and its connection closed."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]], token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through if it carries the token."""
        if scope["type"] == "http" and not self._is_let_in(scope):
            headers = [
                (b"www-authenticate", b"Bearer"),
                (b"content-type", b"text/plain"),
                (b"connection", b"close"),
            ]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": b"a bearer token is needed\n"})
            return
        if scope["type"] in {"http", "lifespan"}:
            await self._app(scope, receive, send)

    def _is_let_in(self, scope: Scope) -> bool:
        """Whether the token is right, compared in constant time; the scheme's case does not count (RFC 9110, 11.1)."""
        from codecairn.loopback.serving import is_same_secret

        scheme, _, given = dict(scope["headers"]).get(b"authorization", b"").partition(b" ")
        is_right = is_same_secret(given.strip(b" "), self._token)
        return is_right and scheme.lower() == b"bearer"
