"""A server with the connections of codecairn's own, and answers of several sizes; runs as a process of its own.

    python -m support.small_server NAME=SECONDS … [--certificate FILE KEY] [--descriptors COUNT]

`GET /large` gives 16 MB at once, `/stream` a line each 0.2 s, and any other path a few bytes. The port is printed.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from codecairn.loopback import connections
from codecairn.loopback.serving import listen, serve

LARGE = 16 << 20


async def answer(
    scope: dict[str, Any], _: object, send: Callable[[dict[str, Any]], Awaitable[None]]
) -> None:
    """Answer a request."""
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    if scope["path"] == "/stream":
        while True:
            await send({"type": "http.response.body", "body": b"line\n", "more_body": True})
            await asyncio.sleep(0.2)
    size = LARGE if scope["path"] == "/large" else 10
    await send({"type": "http.response.body", "body": b"x" * size})


def main(arguments: list[str]) -> None:
    """Serve until the process is ended."""
    certificate = None
    while arguments:
        first = arguments.pop(0)
        if first == "--certificate":
            certificate = (arguments.pop(0), arguments.pop(0))
        elif first == "--descriptors":
            import resource

            count = int(arguments.pop(0))
            resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
        else:
            name, _, value = first.partition("=")
            assert hasattr(connections, name)
            setattr(connections, name, float(value))
    with listen(0) as listening:
        print(listening.getsockname()[1], flush=True)  # noqa: T201
        serve(answer, listening, certificate=certificate)


if __name__ == "__main__":
    main(sys.argv[1:])
