"""The MCP server's HTTP port, attacked by any program of this machine or any page of a browser; real sockets throughout."""

import contextlib
import json
import select
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from agents.conftest import serving_http
from agents.test_mcp_transports import HEADERS, INITIALIZE
from codecairn.loopback.connections import KEEP_ALIVE_S, MAX_CONNECTIONS, REQUEST_S
from conftest import make_home
from support.repository import SMALL_PROJECT, Repository

BODY = json.dumps(INITIALIZE).encode()
Server = tuple[str, str]


def _head(token: str, *, length: int = len(BODY), scheme: str = "Bearer", **more: str) -> bytes:
    headers = {
        "Host": "127.0.0.1:80",
        **HEADERS,
        "Authorization": f"{scheme} {token}",
        "Content-Length": str(length),
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.fixture(scope="module")
def http_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all that is tried: what one client does must be nothing to the next."""
    folder = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch:
        make_home(folder / "home", patch)
        repository = Repository.make(folder / "repository")
        repository.write_all(SMALL_PROJECT)
        repository.commit("first")
        with serving_http(repository.root, folder / "log") as server:
            yield server


@pytest.fixture
def connect(http_server: Server) -> Iterator[Callable[[], socket.socket]]:
    """Opens connections, which are closed when the test ends."""
    place = urlsplit(http_server[0])
    assert place.hostname is not None
    with contextlib.ExitStack() as stack:
        yield lambda: stack.enter_context(
            socket.create_connection((place.hostname, place.port or 0), 30)
        )


def _status(connection: socket.socket) -> int:
    """The status of the answer; 0 if the connection is closed without one."""
    connection.settimeout(30)
    try:
        first = connection.recv(65_536)
    except ConnectionError:
        return 0
    return int(first.split(b" ", 2)[1]) if first else 0


def _is_closed(connection: socket.socket) -> bool:
    """Whether the server has ended the connection; what it said before is read."""
    try:
        while select.select([connection], [], [], 0)[0]:
            if not connection.recv(65_536):
                return True
    except ConnectionError:
        return True
    return False


def _send(connection: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):
        connection.sendall(data)


def test_connections_that_trickle_or_are_silent_are_ended(
    http_server: Server, connect: Callable[[], socket.socket]
) -> None:
    """One byte a second keeps nothing open: neither in the head nor in the body, in a first or a later request."""
    token = http_server[1]
    whole = _head(token) + BODY
    silent, head, body, later, stranger = (connect() for _ in range(5))
    later.sendall(whole)
    assert _status(later) == 200
    trickled = {
        head: iter(_head(token, X_Filler="x" * 10_000)),
        body: iter(BODY),
        later: iter(whole),
        stranger: iter(_head("wrong", X_Filler="x" * 10_000)),
    }
    body.sendall(_head(token))
    opened = [silent, *trickled]
    started_s = time.monotonic()
    while opened and time.monotonic() - started_s < REQUEST_S + KEEP_ALIVE_S + 15:
        for connection, data in trickled.items():
            _send(connection, bytes([next(data)]))
        time.sleep(1)
        opened = [each for each in opened if not _is_closed(each)]
    assert not opened
    assert time.monotonic() - started_s > KEEP_ALIVE_S
    again = connect()
    again.sendall(whole)
    assert _status(again) == 200


def test_silent_connections_keep_nobody_out(
    http_server: Server, connect: Callable[[], socket.socket]
) -> None:
    """Three times as many as there may be, all opened within the deadline."""
    process = _listening_process(urlsplit(http_server[0]).port or 0)
    held = [connect() for _ in range(3 * MAX_CONNECTIONS)]
    client = connect()
    client.sendall(_head(http_server[1]) + BODY)
    assert _status(client) == 200
    assert sum(_is_closed(each) for each in held) >= 2 * MAX_CONNECTIONS
    if process is not None:
        sockets = sum(1 for link in (process / "fd").iterdir() if _link(link).startswith("socket:"))
        assert sockets <= MAX_CONNECTIONS + 16


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


def _listening_process(port: int) -> Path | None:
    """The `/proc` folder of the process that listens at a port; `None` where there is no such file system."""
    table = Path("/proc/net/tcp")
    if not table.exists():
        return None
    rows = [line.split() for line in table.read_text().splitlines()[1:]]
    (inode,) = (row[9] for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "0A")
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if any(_link(link) == f"socket:[{inode}]" for link in (process / "fd").iterdir()):
                return process
    raise AssertionError(port)


def test_request_without_the_token_is_answered_unread_and_its_connection_closed(
    connect: Callable[[], socket.socket],
) -> None:
    stranger = connect()
    stranger.sendall(_head("wrong", length=1 << 40))
    assert _status(stranger) == 401
    time.sleep(0.5)
    assert _is_closed(stranger)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_case_of_the_scheme_does_not_count(
    scheme: str, http_server: Server, connect: Callable[[], socket.socket]
) -> None:
    for token, status in ((http_server[1], 200), (http_server[1].swapcase(), 401), ("", 401)):
        connection = connect()
        connection.sendall(_head(token, scheme=scheme) + BODY)
        assert _status(connection) == status


@pytest.mark.parametrize("scheme", ["Basic", "Token", "", "Bearer\t", "Bearer Bearer"])
def test_token_under_another_scheme_is_refused(
    scheme: str, http_server: Server, connect: Callable[[], socket.socket]
) -> None:
    connection = connect()
    connection.sendall(_head(http_server[1], scheme=scheme) + BODY)
    assert _status(connection) in {400, 401}


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("Host", "attacker.example", 421),
        ("Host", "attacker.example:80", 421),
        ("Host", "127.0.0.1.attacker.example", 421),
        ("Origin", "https://attacker.example", 403),
        ("Origin", "null", 403),
        ("Origin", "http://127.0.0.1.attacker.example", 403),
    ],
)
def test_page_whose_name_was_led_to_this_machine_is_refused(
    header: str,
    value: str,
    status: int,
    http_server: Server,
    connect: Callable[[], socket.socket],
) -> None:
    """DNS rebinding: even with the token, the names of other hosts and origins are refused."""
    connection = connect()
    connection.sendall(_head(http_server[1], **{header: value}) + BODY)
    assert _status(connection) == status


def test_port_listens_on_the_loopback_address_only(http_server: Server) -> None:
    process = _listening_process(urlsplit(http_server[0]).port or 0)
    if process is None:
        pytest.skip("sockets are listed in /proc only")
    port = f":{urlsplit(http_server[0]).port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    addresses = {row[1] for row in rows if row[1].endswith(port) and row[3] == "0A"}
    assert addresses == {f"0100007F{port}"}
    assert port not in Path("/proc/net/tcp6").read_text()


def test_connection_is_not_upgraded_past_the_token(connect: Callable[[], socket.socket]) -> None:
    connection = connect()
    connection.sendall(
        b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:80\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    assert _status(connection) == 401
