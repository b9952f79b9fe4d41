"""Connections of a node whose clients send too little, or read nothing; real sockets throughout."""

import hashlib
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from codecairn.loopback.connections import REQUEST_S
from codecairn.node.app import MAX_REQUESTS
from codecairn.team.membership import Membership
from support.nodes import Node, NodeTeam, signed_headers
from support.team_people import People

STATUS = b"GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture
def team(acme: People) -> Iterator[NodeTeam]:
    """The team, after ann has published the first commit."""
    made = NodeTeam(acme, members=("node1",))
    made.people("ann", "index", "--publish", "shop")
    yield made
    made.close()


@pytest.fixture
def node(team: NodeTeam) -> Node:
    """Its node."""
    return team.node("node1")


@pytest.fixture
def connect(node: Node) -> Iterator[Callable[[], socket.socket]]:
    """Opens connections with little room for what is not read; they are closed when the test ends."""
    with ExitStack() as stack:

        def opened() -> socket.socket:
            made = stack.enter_context(socket.socket())
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            made.settimeout(REQUEST_S + 10)
            made.connect(("127.0.0.1", node.port))
            return made

        yield opened


def test_a_request_whose_body_is_missing_behind_another_is_given_up(
    connect: Callable[[], socket.socket],
) -> None:
    connection = connect()
    connection.sendall(STATUS + b"POST /v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")
    began_s = time.monotonic()
    while connection.recv(65_536):
        pass
    assert time.monotonic() - began_s < REQUEST_S + 5


def test_objects_that_are_not_read_count_as_requests(
    team: NodeTeam, node: Node, bob: Membership, connect: Callable[[], socket.socket]
) -> None:
    content = os.urandom(16 << 20)
    sha256 = hashlib.sha256(content).hexdigest()
    (folder,) = (team.people.folder / "objects").glob("*/objects")
    file = folder / sha256[:2] / sha256[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    path = f"/v1/{folder.parent.name}/objects/{sha256[:2]}/{sha256[2:]}"

    def ask() -> socket.socket:
        name = f"127.0.0.1:{node.port}"
        headers = signed_headers(bob, node, path, method="GET")
        lines = [f"{header}: {value}" for header, value in headers.items()]
        connection = connect()
        connection.sendall(
            "\r\n".join([f"GET {path} HTTP/1.1", f"Host: {name}", *lines, "", ""]).encode()
        )
        return connection

    held = [ask() for _ in range(MAX_REQUESTS)]
    for each in held:
        assert each.recv(12) == b"HTTP/1.1 200"
    refused = ask()
    head, _, body = refused.recv(4096).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503")
    body += refused.recv(4096)
    assert json.loads(body)["error"]["message"] == "this node has too many requests"
    received = 12
    while received < len(content):
        piece = held[0].recv(1 << 20)
        assert piece
        received += len(piece)
    assert ask().recv(12) == b"HTTP/1.1 200"
