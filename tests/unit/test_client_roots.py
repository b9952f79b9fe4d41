"""The host's roots are asked for on the connection's own lines, and the server sees neither question nor answer."""

import io
import json
import threading

import pytest

from codecairn.mcp import client_roots
from codecairn.mcp.client_roots import HostRoots, RootsExchange

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"capabilities": {"roots": {"listChanged": True}}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
CHANGED = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}


def _answer(number: int, *uris: object) -> dict[str, object]:
    roots = [{"uri": uri} for uri in uris]
    return {"jsonrpc": "2.0", "id": f"codecairn-roots-{number}", "result": {"roots": roots}}


def _exchanged(*messages: object) -> tuple[HostRoots, list[str], list[str]]:
    """The roots, the lines that the server read, and those that the host was sent."""
    roots, sent = HostRoots(), io.StringIO()
    lines = [each if isinstance(each, str) else json.dumps(each) for each in messages]
    exchange = RootsExchange(io.StringIO("".join(f"{line}\n" for line in lines)), sent, roots)
    read = []
    while line := exchange.reading.readline():
        read.append(line.rstrip("\n"))
    return roots, read, sent.getvalue().splitlines()


def test_host_with_roots_is_asked_and_its_answer_is_kept_from_the_server() -> None:
    roots, read, sent = _exchanged(INITIALIZE, INITIALIZED, _answer(1, "file:///a", "file:///b"))
    assert roots.uris == ("file:///a", "file:///b")
    assert read == [json.dumps(INITIALIZE), json.dumps(INITIALIZED)]
    assert [json.loads(line) for line in sent] == [
        {"jsonrpc": "2.0", "id": "codecairn-roots-1", "method": "roots/list"}
    ]


def test_roots_that_changed_are_asked_for_again_and_an_outdated_answer_is_dropped() -> None:
    roots, read, sent = _exchanged(
        INITIALIZE, INITIALIZED, CHANGED, _answer(1, "file:///old"), _answer(2, "file:///new")
    )
    assert (roots.uris, len(read), len(sent)) == (("file:///new",), 3, 2)


@pytest.mark.parametrize(
    "params", [None, [], {}, {"capabilities": []}, {"capabilities": {"roots": True}}]
)
def test_host_without_roots_is_asked_nothing(params: object) -> None:
    roots, read, sent = _exchanged(INITIALIZE | {"params": params}, INITIALIZED, CHANGED)
    assert (roots.uris, len(read), sent) == ((), 3, [])


@pytest.mark.parametrize(
    "line",
    [
        "no JSON, initialized",
        '["initialize"]',
        '{"method": "notifications/initialized", "id": 7}',
        '{"id": "codecairn-roots", "result": {}}',
        '{"id": 7, "result": "initialized"}',
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
        "[" * 100_000 + '"initialize"',
        '"initialize"' + " " * client_roots.MAX_LINE,
    ],
    ids=[
        "no JSON", "a list", "a request", "another id", "an answer to the server", "another method", "too deep", "too long",
    ],
)  # fmt: skip
def test_every_other_line_goes_to_the_server_as_it_is(line: str) -> None:
    _roots, read, sent = _exchanged(INITIALIZE, line)
    assert read == [json.dumps(INITIALIZE), line.rstrip("\n")]
    assert sent == []


@pytest.mark.parametrize(
    ("result", "uris"),
    [
        ({"roots": [{"uri": "file:///a"}, {"uri": 7}, "file:///b", {}]}, ("file:///a",)),
        ({"roots": "file:///a"}, ()),
        (None, ()),
    ],
)
def test_answer_that_is_none_gives_no_roots(result: object, uris: tuple[str, ...]) -> None:
    answer = {"jsonrpc": "2.0", "id": "codecairn-roots-1", "result": result}
    roots, _read, _sent = _exchanged(INITIALIZE, INITIALIZED, answer)
    assert roots.uris == uris


def test_answer_that_never_comes_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float | None] = []
    wait = threading.Event.wait

    def noted(self: threading.Event, timeout: float | None = None) -> bool:
        waits.append(timeout)
        return wait(self, 0)

    roots = HostRoots()
    roots.expect()
    monkeypatch.setattr(threading.Event, "wait", noted)
    roots.wait()
    assert waits == [client_roots.ROOTS_TIMEOUT_S]
    monkeypatch.undo()
    roots.wait()
    roots.put(["file:///a"])
    assert roots.uris == ("file:///a",)
