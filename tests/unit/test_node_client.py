"""What a hostile node can do to a client that asks it; real sockets throughout."""

import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from codecairn.errors import RemoteUnavailable
from codecairn.objects.signature import new_private_key
from codecairn.team import bounded_exchange, node_client
from codecairn.team.membership import Membership
from codecairn.team.node_client import NodeClient

Answers = Callable[[socket.socket], None]

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
PREPARING = (
    b"HTTP/1.1 202 Accepted\r\nRetry-After: 0\r\nContent-Length: 23\r\n\r\n" b'{"state":  "preparing"}'
)  # fmt: skip


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When the hostile node was asked; a whole answer may take 2 s, and silence 1 s."""
    monkeypatch.setattr(node_client, "EXCHANGE_S", 2.0, raising=False)
    monkeypatch.setattr(node_client, "READ_TIMEOUT_S", 1.0)
    return []


@pytest.fixture
def client(asked: list[float]) -> Iterator[Callable[[Answers], NodeClient]]:
    """Makes clients of a node that answers as it likes."""
    listening = socket.create_server(("127.0.0.1", 0))
    member = Membership(
        team_id="0" * 32, team="", member="bob", conninfo="", password="",
        signing_key=new_private_key(), sealing_key=bytes(32),
    )  # fmt: skip

    def serve(answers: Answers) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                asked.append(time.monotonic())
                try:
                    connection.recv(65_536)
                    answers(connection)
                except OSError:
                    pass

    def made(answers: Answers) -> NodeClient:
        threading.Thread(target=serve, args=(answers,), daemon=True).start()
        return NodeClient([f"http://127.0.0.1:{listening.getsockname()[1]}"], member)

    yield made
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


def _trickle(data: bytes, *, pause_s: float = 0.2, seconds: float = 8.0) -> Answers:
    """Sends the first line, then these bytes again and again."""

    def send(connection: socket.socket) -> None:
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            connection.sendall(data)
            time.sleep(pause_s)

    return send


def _after(first: bytes, then: Answers) -> Answers:
    def send(connection: socket.socket) -> None:
        connection.sendall(first)
        then(connection)

    return send


@pytest.mark.parametrize(
    "answers",
    [
        _trickle(b"HTTP/1.1 100 Continue\r\n\r\n"),
        _trickle(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, pause_s=0),
        _trickle(b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n"),
        _after(b"HTTP/1.1 200", _trickle(b"x")),
        _after(HEAD + b"X-Long: ", _trickle(b"x")),
        _after(HEAD + b"Content-Length: 1000000\r\n\r\n", _trickle(b" ")),
        _after(HEAD + b"\r\n", _trickle(b" ")),
        _after(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", _trickle(b"1\r\n \r\n")),
        _after(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", _trickle(b"0")),
    ],
)
def test_an_answer_without_end_is_given_up(
    client: Callable[[Answers], NodeClient], answers: Answers
) -> None:
    began_s = time.monotonic()
    with pytest.raises(RemoteUnavailable) as caught:
        client(answers).ask("search", {})
    assert time.monotonic() - began_s < 5
    assert "it does not answer in time" in str(caught.value) or "broke off" in str(caught.value)


def test_an_object_may_take_time_by_its_size(
    client: Callable[[Answers], NodeClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_exchange, "MIN_BYTES_PER_S", 50_000)
    piece, pieces = b"x" * 20_000, 20  # 100 kB a second, for 4 s
    head = HEAD + f"Content-Length: {len(piece) * pieces}\r\n\r\n".encode()
    content = client(_after(head, _trickle(piece, pause_s=0.2, seconds=4.5))).fetch(
        "/v1/x", max_bytes=1 << 20, is_right=lambda _: True
    )
    assert content == piece * pieces


def test_a_client_does_not_ask_again_at_once(
    client: Callable[[Answers], NodeClient],
    asked: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(node_client, "PREPARING_TIMEOUT_S", 1.0)
    with pytest.raises(RemoteUnavailable, match="takes longer"):
        client(_after(PREPARING, lambda _: None)).ask("search", {})
    assert 2 <= len(asked) <= 6
