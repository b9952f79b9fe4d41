"""Asks the host for its roots, on the streams below the protocol's server.

`RootsExchange` reads along: when the host has said that it has roots and is initialized, or that they changed, a request `roots/list`
is written, and the answer to it is kept from the server, which did not ask. So this works before the SDK is imported and costs one
search for a word per line.

Roots are deprecated since version 2026-07-28 of the protocol, whose hosts are not asked; those of earlier versions have no other way.
"""

import io
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any, TextIO, cast

ROOTS_TIMEOUT_S = 2.0
"""How long a call waits for the host's roots before it goes on without them."""

REQUEST_ID = "codecairn-roots"

MAX_LINE = 256 * 1024
"""Characters of a line that is looked at; a longer one goes on to the server as it is."""

_INITIALIZED = "notifications/initialized"
_CHANGED = "notifications/roots/list_changed"


class HostRoots:
    """The roots that a host named, as addresses. Thread-safe.

    Attributes:
        uris: The latest; empty if the host named none, or was not asked.
        on_change: Called when they have come.
    """

    def __init__(self) -> None:
        self.uris: tuple[str, ...] = ()
        self.on_change: Callable[[], None] = lambda: None
        self._are_known = threading.Event()
        self._are_known.set()

    def expect(self) -> None:
        """The host was asked, so `wait` waits for its answer."""
        self._are_known.clear()

    def put(self, uris: Sequence[str]) -> None:
        """Take the answer; empty if the host could not give any."""
        self.uris = tuple(uris)
        self._are_known.set()
        self.on_change()

    def wait(self) -> None:
        """Wait for an answer that is on its way, `ROOTS_TIMEOUT_S` at most and once."""
        if not self._are_known.wait(ROOTS_TIMEOUT_S):
            self._are_known.set()


class RootsExchange:
    """The requests for roots on one connection.

    Attributes:
        reading: What the host writes, without the answers to these requests.
        writing: What the host reads.
    """

    def __init__(self, reading: TextIO, writing: TextIO, roots: HostRoots) -> None:
        self._source, self._roots = reading, roots
        self._has_roots = False
        self._request_count = 0
        self.reading = cast("TextIO", _FilteredInput(self))
        self.writing = writing

    def next_line(self) -> str:
        """The next line for the server; empty at the end."""
        while line := self._source.readline():
            if not self._is_taken(line):
                return line
        return ""

    def _is_taken(self, line: str) -> bool:
        """Read a line along; returns whether it is the response to a `roots/list` request of this exchange."""
        if len(line) > MAX_LINE or not any(
            word in line for word in (REQUEST_ID, '"initialize"', "initialized", "list_changed")
        ):
            return False
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return False
        if not isinstance(message, dict):
            return False
        if "method" not in message:
            return self._is_answer(message)
        method = message["method"]
        if method == "initialize":
            self._has_roots = _declares_roots(message.get("params"))
        elif method in {_INITIALIZED, _CHANGED} and self._has_roots and "id" not in message:
            self._ask()
        return False

    def _ask(self) -> None:
        self._request_count += 1
        self._roots.expect()
        request = {"jsonrpc": "2.0", "id": self._current_id, "method": "roots/list"}
        self.writing.write(json.dumps(request, separators=(",", ":")) + "\n")
        self.writing.flush()

    @property
    def _current_id(self) -> str:
        return f"{REQUEST_ID}-{self._request_count}"

    def _is_answer(self, message: dict[str, Any]) -> bool:
        id_ = message.get("id")
        if not isinstance(id_, str) or not id_.startswith(f"{REQUEST_ID}-"):
            return False
        if id_ == self._current_id:  # an earlier answer is outdated
            self._roots.put(_uris(message.get("result")))
        return True


def _declares_roots(params: object) -> bool:
    capabilities = params.get("capabilities") if isinstance(params, dict) else None
    return isinstance(capabilities, dict) and isinstance(capabilities.get("roots"), dict)


def _uris(result: object) -> list[str]:
    roots = result.get("roots") if isinstance(result, dict) else None
    if not isinstance(roots, list):
        return []
    uris = [root.get("uri") for root in roots if isinstance(root, dict)]
    return [uri for uri in uris if isinstance(uri, str)]


class _FilteredInput(io.TextIOBase):
    def __init__(self, exchange: RootsExchange) -> None:
        self._exchange = exchange

    def readline(self, _size: int = -1, /) -> str:  # type: ignore[override]
        return self._exchange.next_line()
