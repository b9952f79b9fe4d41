"""Connections whose clients read nothing, or never finish the handshake of TLS; real sockets throughout."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from codecairn.loopback.connections import MAX_CONNECTIONS
from support.small_server import LARGE

TESTS = str(Path(__file__).parents[1])

Starts = Callable[..., tuple[int, "subprocess.Popen[str]"]]
Connects = Callable[[int], socket.socket]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starts]:
    """Starts a small server; gives its port and its process, and keeps its standard error in `log`."""
    with ExitStack() as stack:

        def started(*options: str) -> tuple[int, "subprocess.Popen[str]"]:
            log = stack.enter_context((tmp_path / "log").open("w"))
            process = subprocess.Popen(
                [sys.executable, "-m", "support.small_server", *options],
                env=os.environ | {"PYTHONPATH": TESTS}, stdout=subprocess.PIPE, stderr=log, text=True,
            )  # fmt: skip
            stack.enter_context(process)
            stack.callback(process.kill)
            assert process.stdout is not None
            return int(process.stdout.readline()), process

        yield started


@pytest.fixture
def connect() -> Iterator[Connects]:
    """Opens connections with little room for what is not read; they are closed when the test ends."""
    with ExitStack() as stack:

        def connected(port: int) -> socket.socket:
            made = stack.enter_context(socket.socket())
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            made.settimeout(20)
            made.connect(("127.0.0.1", port))
            return made

        yield connected


def _ask(connection: socket.socket, path: str, times: int = 1) -> socket.socket:
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * times)
    return connection


def _rest(connection: socket.socket) -> int:
    """How many bytes there are until the server ends the connection, or sends none for a while."""
    size = 0
    try:
        while piece := connection.recv(1 << 20):
            size += len(piece)
    except (ConnectionError, TimeoutError):
        pass
    return size


def test_clients_that_read_no_answer_keep_no_other_out(start: Starts, connect: Connects) -> None:
    port, _ = start()
    held = [_ask(connect(port), "/large", 3) for _ in range(MAX_CONNECTIONS)]
    for each in held:
        assert each.recv(12) == b"HTTP/1.1 200"
    for _ in range(3):
        assert _ask(connect(port), "/small").recv(12) == b"HTTP/1.1 200"


def test_clients_that_ask_again_and_again_keep_no_other_out(
    start: Starts, connect: Connects
) -> None:
    port, _ = start()
    for each in [connect(port) for _ in range(MAX_CONNECTIONS)]:
        assert _ask(each, "/small").recv(12) == b"HTTP/1.1 200"
    assert _ask(connect(port), "/small").recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize("times", [1, 3])
def test_an_answer_that_is_not_read_is_given_up(
    start: Starts, connect: Connects, times: int
) -> None:
    port, _ = start("UNREAD_S=2")
    connection = _ask(connect(port), "/large", times)
    time.sleep(5)
    assert _rest(connection) < LARGE


def test_a_client_that_reads_slowly_gets_all(start: Starts, connect: Connects) -> None:
    port, _ = start("UNREAD_S=2")
    connection = _ask(connect(port), "/large")
    for _ in range(12):
        assert connection.recv(4096)
        time.sleep(0.5)
    connection.settimeout(4)
    assert _rest(connection) > LARGE - 12 * 4096


def test_a_stream_that_is_read_goes_on(start: Starts, connect: Connects) -> None:
    port, _ = start("UNREAD_S=1", "REQUEST_S=1")
    connection = _ask(connect(port), "/stream")
    end_s = time.monotonic() + 5
    while time.monotonic() < end_s:
        assert connection.recv(65_536)
