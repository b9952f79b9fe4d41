"""What is answered before the SDK is there equals what the SDK answers."""

import io
import json
import time
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.server.stdio import stdio_server
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from codecairn.mcp.handshake import VERSIONS, Wire, early_answer, while_waiting
from codecairn.mcp.lazy_dispatcher import LazyToolDispatcher
from codecairn.mcp.server import make_server

CLIENT = {"name": "client", "version": "1"}


def _request(**changes: object) -> "dict[str, Any]":
    params = {"protocolVersion": VERSIONS[-1], "capabilities": {}, "clientInfo": CLIENT}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params | changes}


def _line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _nothing() -> Any:
    raise AssertionError("no tool is asked for")


class _Lines(io.BytesIO):
    """Lines, at whose end the host waits for its answers: at the end of input the SDK drops what it is working on."""

    def __init__(self, lines: bytes, answers: io.BytesIO) -> None:
        super().__init__(lines)
        self._answers = answers

    def readline(self, size: int | None = -1, /) -> bytes:
        line, seen = super().readline(size), -1
        while not line and len(self._answers.getvalue()) > seen:
            seen = len(self._answers.getvalue())
            time.sleep(0.1)
        return line


def _served(lines: bytes, *, is_early: bool = False) -> bytes:
    """What the server writes for these lines."""
    writing = io.BytesIO()
    wire = Wire(_Lines(lines, writing), writing)
    server = make_server(LazyToolDispatcher(_nothing))
    if is_early:
        assert while_waiting(wire, lambda: server) is server

    async def run() -> None:
        file = anyio.wrap_file(wire)  # type: ignore[type-var]
        async with stdio_server(file, file) as (reading, sending):  # type: ignore[arg-type]
            await server.run(reading, sending, server.create_initialization_options())

    anyio.run(run)
    return writing.getvalue()


def test_versions_are_those_of_the_sdk() -> None:
    assert VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("id_", [0, 7, "one", "é"])
def test_plain_request_is_answered_with_the_bytes_of_the_sdk(version: str, id_: object) -> None:
    line = _line(_request(protocolVersion=version) | {"id": id_})
    found = early_answer(line.replace(rb"\u00e9", "é".encode()))
    assert found is not None
    assert found == (id_, _served(line))


_CAPABILITIES = st.dictionaries(
    st.sampled_from(["roots", "sampling", "elicitation", "experimental", "tasks", "other"]),
    st.sampled_from([{}, {"listChanged": True}, {"listChanged": 1}, {"other": {}}, None, True, []]),
    max_size=3,
)
_CLIENTS = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "", 1, None])},
    optional={
        "version": st.sampled_from(["1", 2]),
        "title": st.sampled_from(["t", None, 3]),
        "icons": st.just([]),
    },
)


@given(
    version=st.sampled_from([*VERSIONS, "2099-01-01", 1, None]),
    capabilities=_CAPABILITIES | st.sampled_from([None, []]),
    client=_CLIENTS | st.just({"name": "a", "version": "1"}),
    more=st.sampled_from([{}, {"_meta": {}}]),
    id_=st.sampled_from([1, -1, "x", None, True, 1.5, 2**70]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_answered_early_the_sdk_answers_alike(
    version: object, capabilities: object, client: object, more: "dict[str, object]", id_: object
) -> None:
    request = _request(
        protocolVersion=version, capabilities=capabilities, clientInfo=client, **more
    )
    line = _line(request | {"id": id_})
    found = early_answer(line)
    if found is not None:
        assert found[1] == _served(line)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"not json\n",
        b"\xff\n",
        b"[" * 100_000,
        _line([_request()]),
        _line({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
        _line({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        _line(_request() | {"method": "tools/list"}),
        _line(_request() | {"id": "\ud800"}),
        _line(_request(protocolVersion="2026-07-28")),
        _line(_request(_meta={})),
    ],
)
def test_any_other_first_line_is_left_to_the_sdk(line: bytes) -> None:
    assert early_answer(line) is None


PING = _line({"jsonrpc": "2.0", "id": 2, "method": "ping"})
READY = _line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}})


@pytest.mark.parametrize(
    "lines",
    [
        b"",
        _line(_request()),
        _line(_request()) + READY + PING,
        _line(_request()) + PING + b"broken\n" + PING.replace(b"2,", b"3,"),
        # The same id again, and one that looks like the answer to drop.
        _line(_request()) + PING.replace(b'"id": 2', b'"id": 1'),
        _line(_request()) + _line(_request() | {"id": 2}),
        PING + _line(_request()),
        b"broken\n" + _line(_request()) + PING,
        _line(_request(clientInfo={})) + PING,
    ],
)
def test_a_conversation_is_the_same_with_and_without_an_early_answer(lines: bytes) -> None:
    early, alone = _served(lines, is_early=True), _served(lines)
    # The SDK works on several requests at a time, and answers them in any order.
    assert sorted(early.splitlines()) == sorted(alone.splitlines())


def test_what_fails_while_the_first_line_is_awaited_is_raised() -> None:
    writing = io.BytesIO()

    def fail() -> None:
        raise ImportError("no SDK")

    with pytest.raises(ImportError, match="no SDK"):
        while_waiting(Wire(io.BytesIO(_line(_request())), writing), fail)
    assert writing.getvalue()
