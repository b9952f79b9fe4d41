"""Serves an ASGI application: on the loopback address, which programs of other machines can't reach, or elsewhere by TLS alone."""

import hmac
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

from codecairn.errors import UsageError

if TYPE_CHECKING:
    from codecairn.loopback.listener import Listener

ADDRESS = "127.0.0.1"
"""The address that a server listens on unless another is named."""

_SHUTDOWN_S = 2
"""Seconds that open responses may take to end after an interrupt."""


def new_secret() -> str:
    """A token of 192 random bits, for a header, a cookie or a URL."""
    import secrets

    return secrets.token_urlsafe(24)


def is_same_secret(given: str | bytes, expected: str | bytes) -> bool:
    """Whether two secrets are equal, compared in constant time."""
    return hmac.compare_digest(_encoded(given), _encoded(expected))


def _encoded(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def listen(port: int, *, address: str = ADDRESS) -> "Listener":
    """A socket that listens on this port; 0 takes any free one.

    Raises:
        UsageError: If the port is in use or not allowed, or the address is none of this machine.
    """
    from codecairn.loopback.listener import Listener

    try:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        made = socket.create_server((address, port), family=family)
        return Listener(made.family, made.type, made.proto, fileno=made.detach())
    except OSError as err:
        reason = os.strerror(err.errno) if err.errno else str(err)
        raise UsageError(
            f"can't listen on port `{port}`: {reason}",
            hint="give another port, or 0 for any free one",
        ) from err


def own_hosts(port: int) -> frozenset[str]:
    """What the `Host` of a request to this port may be; a name of another site that resolves to this machine is not one."""
    return frozenset({f"{ADDRESS}:{port}", f"localhost:{port}"})


def serve(
    app: Callable[..., Any],
    listening: "Listener",
    *,
    on_exit: Callable[[], None] | None = None,
    certificate: tuple[str, str] | None = None,
) -> None:
    """Serve until interrupted by Ctrl-C or a signal to terminate.

    Args:
        app: The application.
        listening: A socket of `listen`.
        on_exit: Called at the signal, before open responses are waited for; it must not block.
        certificate: The files of a certificate and of its key, to serve by TLS.

    Raises:
        KeyboardInterrupt: After Ctrl-C, when everything is closed.
    """
    import asyncio
    from functools import partial

    import uvicorn

    from codecairn.loopback.connections import KEEP_ALIVE_S, REQUEST_S, DeadlineProtocol
    from codecairn.loopback.listener import BACKLOG, ExhaustionReport

    class Protocol(DeadlineProtocol):
        def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - asyncio's several kinds
            listening.established(transport.get_extra_info("socket").fileno())
            super().connection_made(transport)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(ExhaustionReport())
            if certificate is not None:
                # Before the handshake there is no protocol whose deadline could end a connection.
                create = partial(loop.create_server, ssl_handshake_timeout=REQUEST_S)
                loop.create_server = create  # type: ignore[method-assign]
            await super().startup(sockets)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            if on_exit is not None:
                with suppress(OSError, RuntimeError):
                    on_exit()
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app,
        http=Protocol,
        backlog=BACKLOG,
        loop="asyncio",
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=_SHUTDOWN_S,
        ssl_certfile=certificate[0] if certificate else None,
        ssl_keyfile=certificate[1] if certificate else None,
    )
    Server(config).run(sockets=[listening])
