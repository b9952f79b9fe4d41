"""Connections whose clients read nothing, or never finish the handshake of TLS; real sockets throughout."""

import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from codecairn.loopback.connections import MAX_CONNECTIONS
from codecairn.loopback.listener import MAX_HANDSHAKES
from support.certificate import self_signed
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
    except (ConnectionError, TimeoutError, ssl.SSLError):
        pass
    return size


@pytest.mark.parametrize("options", [(), ("_LOOK_S=100",)])
def test_clients_that_read_no_answer_keep_no_other_out(
    start: Starts, connect: Connects, options: tuple[str, ...]
) -> None:
    """Also where they came so fast that it was not looked yet what they read."""
    port, _ = start(*options)
    for _ in range(MAX_CONNECTIONS):
        assert _ask(connect(port), "/large", 3).recv(12) == b"HTTP/1.1 200"
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


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str]:
    """The files of a certificate and of its key."""
    file, key = self_signed(tmp_path)
    return str(file), str(key)


def _encrypted(connection: socket.socket) -> ssl.SSLSocket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(connection)


def test_by_tls_an_answer_that_is_not_read_is_given_up_and_a_slow_client_gets_all(
    start: Starts, connect: Connects, certificate: tuple[str, str]
) -> None:
    port, _ = start("UNREAD_S=2", "--certificate", *certificate)
    with _encrypted(connect(port)) as unread, _encrypted(connect(port)) as slow:
        for each in (unread, slow):
            _ask(each, "/large")
        received = 0
        for _ in range(12):
            received += len(slow.recv(4096))
            time.sleep(0.5)
        slow.settimeout(4)
        assert received + _rest(slow) > LARGE
        assert _rest(unread) < LARGE


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are counted in /proc")
def test_handshakes_that_do_not_end_are_limited(
    start: Starts, connect: Connects, certificate: tuple[str, str]
) -> None:
    port, process = start("--certificate", *certificate)
    for _ in range(MAX_HANDSHAKES + 300):
        connect(port)
    with _encrypted(connect(port)) as encrypted:
        assert _ask(encrypted, "/small").recv(12) == b"HTTP/1.1 200"
    descriptors = [*Path(f"/proc/{process.pid}/fd").iterdir()]
    assert MAX_HANDSHAKES <= len(descriptors) < MAX_HANDSHAKES + 64


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on descriptors")
def test_a_server_without_a_free_descriptor_says_so_in_one_line_and_goes_on(
    start: Starts, connect: Connects, tmp_path: Path
) -> None:
    port, _ = start("--descriptors", "40")
    held = [connect(port) for _ in range(100)]
    time.sleep(4)
    for each in held:
        each.close()
    assert _ask(connect(port), "/small").recv(12) == b"HTTP/1.1 200"
    lines = (tmp_path / "log").read_text().splitlines()
    assert {*lines} == {"error: no further connection can be accepted: Too many open files"}
    assert len(lines) <= 3


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on descriptors")
@pytest.mark.parametrize(("soft", "hard", "allowed"), [(64, 500, 500), (64, 10_000, 8_192)])
def test_a_server_has_as_many_descriptors_as_it_may(soft: int, hard: int, allowed: int) -> None:
    program = (
        "import resource; from codecairn.loopback.listener import raise_descriptor_limit;"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard})); raise_descriptor_limit();"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert int(run.stdout) == allowed
