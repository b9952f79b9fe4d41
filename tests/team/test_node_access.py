"""Who gets an answer of a node: only members with a grant at that moment, for a request that they signed for this node, once."""

import json
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any

import pytest

from codecairn.node.app import MAX_REQUESTS
from codecairn.objects.signature import new_private_key
from codecairn.team.membership import Membership
from codecairn.team.request_signature import NONCE, SIGNATURE, TIME
from support.certificate import self_signed
from support.nodes import Node, NodeTeam, signed_headers
from support.postgres import PostgresServer
from support.team_people import People

PATH = "/v1/search"


@pytest.fixture
def team(acme: People) -> Iterator[NodeTeam]:
    """The team, with nothing published."""
    made = NodeTeam(acme, members=("node1",))
    yield made
    made.close()


@pytest.fixture
def node(team: NodeTeam) -> Node:
    """Its node."""
    return team.node("node1")


def _question(**more: object) -> bytes:
    asked = {"repository": "shop", "branch": "main", "arguments": {"query": "token"}}
    return json.dumps(asked | more).encode()


def _signed(
    bob: Membership,
    node: Node,
    body: bytes,
    *,
    path: str = PATH,
    name: str = "",
    seconds: int = 0,
) -> dict[str, str]:
    return signed_headers(bob, node, path, body=body, name=name, seconds=seconds)


def _refused(answer: tuple[int, dict[str, Any], dict[str, str]]) -> tuple[int, str]:
    code, document, _ = answer
    assert [*document] == ["error"]
    assert [*document["error"]] == ["kind", "message", "hint"]
    return code, document["error"]["message"]


def test_a_signed_request_is_answered_once(node: Node, bob: Membership) -> None:
    body = _question()
    headers = _signed(bob, node, body)
    code, document, _ = node.post(PATH, body, headers)
    assert code == 200
    assert document["result"]["hits"][0]["path"] == "shop/tokens.py"
    assert _refused(node.post(PATH, body, headers)) == (401, "the request was answered before")
    assert node.status()["answered"] == 1


def test_what_no_member_signed_like_this_is_refused(node: Node, bob: Membership) -> None:
    body, unsigned = _question(), "the request is not signed by a member of this node's team"
    good = _signed(bob, node, body)
    stranger = Membership(
        team_id=bob.team_id, team="", member="bob", conninfo="", password="",
        signing_key=new_private_key(), sealing_key=bytes(32),
    )  # fmt: skip
    unknown = Membership(
        team_id=bob.team_id, team="", member="zoe", conninfo="", password="",
        signing_key=new_private_key(), sealing_key=bytes(32),
    )  # fmt: skip
    elsewhere = Membership(
        team_id="f" * 32, team="", member="bob", conninfo="", password="",
        signing_key=bob.signing_key, sealing_key=bytes(32),
    )  # fmt: skip
    for headers, sent in (
        ({}, body),
        (_signed(stranger, node, body), body),
        (_signed(unknown, node, body), body),
        (_signed(elsewhere, node, body), body),
        (good, _question(branch="other")),
        (good | {NONCE: "0" * 32}, body),
        (good | {SIGNATURE: "x"}, body),
        (good | {SIGNATURE: good[SIGNATURE][:-4]}, body),
        (good | {TIME: "1e9"}, body),
        (good | {TIME: str(int(good[TIME]) + 1)}, body),
        (_signed(bob, node, body, path="/v1/define"), body),
        (_signed(bob, node, body, name=f"localhost:{node.port}"), body),
    ):
        assert _refused(node.post(PATH, sent, headers)) == (401, unsigned)
    assert node.post(PATH, body, good)[0] == 200


def test_a_clock_that_is_off_is_refused_with_the_nodes_time(node: Node, bob: Membership) -> None:
    body = _question()
    for seconds in (-310, 310):
        code, message = _refused(node.post(PATH, body, _signed(bob, node, body, seconds=seconds)))
        assert code == 401
        assert "away from this node's time, which is 20" in message
    for seconds in (-280, 280):
        assert node.post(PATH, body, _signed(bob, node, body, seconds=seconds))[0] == 200


def test_a_request_to_another_node_is_refused(node: Node, bob: Membership) -> None:
    body = _question()
    name = "127.0.0.1:1"
    headers = _signed(bob, node, body, name=name) | {"Host": name}
    assert _refused(node.post(PATH, body, headers)) == (421, f"this node is not `{name}`")
    name = f"localhost:{node.port}"
    headers = _signed(bob, node, body, name=name) | {"Host": name}
    assert node.post(PATH, body, headers)[0] == 200


def test_no_grant_no_repository_and_path_tricks_get_one_answer(
    team: NodeTeam, node: Node, bob: Membership
) -> None:
    one = (403, "this node has no such repository, or you have no grant for it")
    names = ["bank", "../shop", "shop/../shop", "shop\0", "", "/etc", "SHOP", "f" * 32, "0" * 32]
    for name in names:
        body = _question(repository=name)
        assert _refused(node.post(PATH, body, _signed(bob, node, body))) == one
    body = _question()
    assert node.post(PATH, body, _signed(bob, node, body))[0] == 200
    team.people("olga", "team", "revoke", "bob", "shop")
    assert _refused(node.post(PATH, body, _signed(bob, node, body))) == one
    refused = team.people("bob", "search", "token", "--node", node.url, code=1)["error"]
    assert refused["kind"] == "remote-refused"
    team.people("olga", "team", "grant", "bob", "shop", "reader")
    assert node.post(PATH, body, _signed(bob, node, body))[0] == 200
    team.people("olga", "team", "revoke", "bob")
    assert _refused(node.post(PATH, body, _signed(bob, node, body))) == one


def test_a_node_whose_own_grant_was_revoked_answers_no_question(
    team: NodeTeam, node: Node, bob: Membership
) -> None:
    body = _question()
    assert node.post(PATH, body, _signed(bob, node, body))[0] == 200
    team.people("olga", "team", "revoke", "node1", "shop")
    assert _refused(node.post(PATH, body, _signed(bob, node, body)))[0] in {403, 503}
    node.stop()
    second = team.run("node1", "node", "--listen", "127.0.0.1:0", "--clone", "shop=/nowhere")
    assert second.code == 1
    assert "you have no grant in this team" in second.err


def test_branches_and_commits_that_are_none_are_refused(node: Node, bob: Membership) -> None:
    tip = {"branch": None, "commit": "HEAD"}
    for wrong in (
        tip, {"branch": None}, {"branch": ""}, {"branch": None, "commit": "ab" * 5},
        {"branch": None, "commit": "A" * 40}, {"branch": None, "commit": "--all"},
        {"commit": "0" * 40}, {"branch": 1}, {"branch": "x" * 2000}, {"branch": None, "commit": "f" * 64},
    ):  # fmt: skip
        body = _question(**wrong)
        code, message = _refused(node.post(PATH, body, _signed(bob, node, body)))
        assert (code, "name a commit" in message) == (400, True)
    for branch in (
        "../../HEAD",
        "origin/main",
        "refs/heads/main",
        "--all",
        "main\n",
        "mai*",
        "HEAD",
    ):
        body = _question(branch=branch)
        code, message = _refused(node.post(PATH, body, _signed(bob, node, body)))
        assert (code, "no branch" in message) == (404, True)
    body = _question(branch=None, commit="0" * 40)
    assert _refused(node.post(PATH, body, _signed(bob, node, body)))[0] == 404


def test_operations_that_write_or_ask_the_memory_are_not_there(node: Node, bob: Membership) -> None:
    body = _question()
    for path in ("/v1/index", "/v1/gc", "/v1/ask", "/v1/memory", "/v1/../v1/search", "/v1/", "/"):
        assert _refused(node.post(path, body, _signed(bob, node, body, path=path)))[0] == 404
    headers = _signed(bob, node, body)
    assert _refused(node.post(f"{PATH}?limit=5", body, headers))[0] == 404


def test_arguments_that_are_not_allowed_are_refused_and_name_no_folder_of_the_node(
    node: Node, bob: Membership
) -> None:
    wrong: tuple[dict[str, object], ...] = (
        {}, {"query": 5}, {"query": "x", "limit": 501}, {"query": "x", "context": 201}, {"query": "x", "refresh": True},
        {"query": "x", "in": ["all"]}, {"query": "x", "unknown": 1}, {"query": "x", "dir": ["/etc"]},
        {"query": "x", "dir": ["../../.."]}, {"query": "x", "kind": ["nothing"]}, {"query": "x\0"},
    )  # fmt: skip
    for arguments in wrong:
        body = _question(arguments=arguments)
        code, message = _refused(node.post(PATH, body, _signed(bob, node, body)))
        assert code == 400
        assert str(node.home) not in message


def test_a_body_that_is_no_question_is_refused(node: Node, bob: Membership) -> None:
    for body in (
        b"",
        b"[]",
        b"{",
        b"[" * 100_000,
        b"\xff",
        b'{"query": "x"}',
        _question(waited_s=float("nan")),
        _question(waited_s=-1),
    ):
        assert _refused(node.post(PATH, body, _signed(bob, node, body)))[0] == 400, body[:10]


def test_a_question_may_have_waited_for_any_time(node: Node, bob: Membership) -> None:
    for waited_s in (0, 0.5, 10**400, float("inf")):
        body = _question(waited_s=waited_s)
        assert node.post(PATH, body, _signed(bob, node, body))[0] == 200


def test_a_body_that_is_too_large_is_refused(node: Node, bob: Membership) -> None:
    body = b" " * ((1 << 20) + 1)
    assert _refused(node.post(PATH, body, _signed(bob, node, body)))[0] == 413


def test_slow_headers_are_given_up_and_others_are_answered(node: Node, bob: Membership) -> None:
    slow = [socket.create_connection(("127.0.0.1", node.port)) for _ in range(140)]
    for each in slow:
        each.sendall(b"POST /v1/search HTTP/1.1\r\nHost: x\r\n")
    body = _question()
    assert node.post(PATH, body, _signed(bob, node, body))[0] == 200
    began_s = time.monotonic()
    slow[-1].settimeout(20)
    assert slow[-1].recv(100) == b""
    assert time.monotonic() - began_s < 15
    for each in slow:
        each.close()


def test_the_other_operations_answer(node: Node, bob: Membership) -> None:
    for operation, arguments, found in (
        ("define", {"name": "verify_token"}, "shop/tokens.py"),
        ("peek", {"query": "verify_token"}, "shop/tokens.py"),
        ("similar", {"place": "shop/tokens.py:5"}, "shop/basket.py"),
        ("callers", {"name": "sign"}, "verify_token"),
        ("callees", {"name": "verify_token"}, "sign"),
        ("uses", {"name": "sign"}, "shop/tokens.py"),
    ):
        body, path = _question(arguments=arguments), f"/v1/{operation}"
        code, document, _ = node.post(path, body, _signed(bob, node, body, path=path))
        assert code == 200, document
        assert found in json.dumps(document["result"])


def test_without_the_database_nothing_is_answered(
    team: NodeTeam, node: Node, bob: Membership, postgres: PostgresServer
) -> None:
    body = _question()
    assert node.post(PATH, body, _signed(bob, node, body))[0] == 200
    postgres.stop()
    try:
        code, message = _refused(node.post(PATH, body, _signed(bob, node, body)))
        assert (code, "can't check grants" in message) == (503, True)
        refused = team.people("bob", "search", "token", "--node", node.url, code=1)["error"]
        assert refused["kind"] == "remote-unavailable"
        assert "can't check grants" in refused["message"]
    finally:
        postgres.start()
    assert node.post(PATH, body, _signed(bob, node, body))[0] == 200


@pytest.mark.skipif(sys.platform == "win32", reason="signals stop no process there")
def test_more_requests_than_can_be_answered_are_sent_away_and_later_answered(
    node: Node, bob: Membership, postgres: PostgresServer
) -> None:
    def ask(_: int) -> tuple[int, dict[str, Any], dict[str, str]]:
        body = _question()
        return node.post(PATH, body, _signed(bob, node, body))

    assert ask(0)[0] == 200
    with ThreadPoolExecutor(90) as pool:
        with postgres.frozen():
            asked = [pool.submit(ask, number) for number in range(90)]
            refused = [each.result() for each in wait(asked, timeout=4).done]
        answered = Counter(each.result()[0] for each in asked)
    assert len(refused) == 90 - MAX_REQUESTS
    for code, document, headers in refused:
        assert (code, headers["retry-after"]) == (503, "1")
        assert document["error"]["message"] == "this node has too many requests"
    assert answered == {200: MAX_REQUESTS, 503: len(refused)}


@pytest.mark.skipif(sys.platform == "win32", reason="signals stop no process there")
def test_a_database_that_stopped_is_given_up_in_time(
    node: Node, bob: Membership, postgres: PostgresServer
) -> None:
    body = _question()
    assert node.post(PATH, body, _signed(bob, node, body))[0] == 200
    with postgres.frozen():
        began_s = time.monotonic()
        code, message = _refused(node.post(PATH, body, _signed(bob, node, body)))
        assert (code, "does not answer within 10 s" in message) == (503, True)
        assert time.monotonic() - began_s < 15
    assert node.post(PATH, body, _signed(bob, node, body))[0] == 200


def test_a_database_that_its_owner_has_not_brought_up_to_date_is_named(
    team: NodeTeam, node: Node, bob: Membership, postgres: PostgresServer
) -> None:
    body = _question()
    (document,) = (team.people.home("bob") / "data" / "team").glob("*.json")
    words = json.loads(document.read_text())["conninfo"].split()
    (database,) = (each.partition("=")[2] for each in words if each.startswith("dbname="))
    with postgres.connect(database, "super", autocommit=True) as connection:
        connection.execute("DROP FUNCTION codecairn.may_read")
    code, answer, _ = node.post(PATH, body, _signed(bob, node, body))
    assert code == 503
    assert "its owner runs `codecairn team init`" in answer["error"]["hint"]


def test_hostile_contents_of_the_git_repository_reach_nothing(
    team: NodeTeam, node: Node, bob: Membership
) -> None:
    secret = team.people.folder / "secret.py"
    secret.write_text("def password_of_the_node():\n    return 1\n")
    upstream = team.upstream
    (upstream.root / "linked.py").symlink_to(secret)
    (upstream.root / "linked").symlink_to(team.people.folder, target_is_directory=True)
    marker = team.people.folder / "ran"
    upstream.write(".gitattributes", "* filter=evil diff=evil\n")
    upstream.write(".git/hooks/post-checkout", f"#!/bin/sh\ntouch {marker}\n").chmod(0o755)
    upstream.git("config", "filter.evil.smudge", f"touch {marker}")
    upstream.write(
        ".gitmodules", f'[submodule "evil"]\n\tpath = evil\n\turl = ext::sh -c touch% {marker}\n'
    )
    upstream.git("add", "--all")
    upstream.git(
        "update-index", "--add", "--cacheinfo", f"160000,{upstream.git('rev-parse', 'HEAD')},evil"
    )
    upstream.git("commit", "--quiet", "--message", "hostile")
    body = _question(arguments={"query": "password_of_the_node"})
    code, document, _ = node.post(PATH, body, _signed(bob, node, body))
    assert code == 200
    assert "password_of_the_node" not in json.dumps(document["result"]["hits"])
    assert not marker.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--listen", "0.0.0.0:0"), "unencrypted"),
        (("--listen", "10.1.2.3:0"), "unencrypted"),
        (("--listen", "[::]:0"), "unencrypted"),
        (("--listen", "example.com:0"), "is no address and port"),
        (("--listen", "127.0.0.1:70000"), "is no address and port"),
        (("--certificate", "x.pem"), "belong together"),
        (("--certificate", "x.pem", "--key", "y.pem"), "can't be used"),
        (("--cache-size", "5"), "is no size"),
        (("--clone", "bank"), "names no repository"),
        (("--clone", "bank=ext::sh -c true"), "is no address to clone from"),
        (("--clone", "bank=--upload-pack=x"), "is no address to clone from"),
        (("--clone", "bank=http://git.example.com/bank.git"), "is no address to clone from"),
        (("--clone", "bank=/nowhere"), "no grant for a repository `bank`"),
        (("--name", "a b"), "is no name of a node"),
    ],
)
def test_a_node_that_can_not_be_started_like_this_says_why(
    team: NodeTeam, options: tuple[str, ...], message: str
) -> None:
    refused = team.run("node1", "node", "--clone", f"shop={team.upstream.root}", *options)
    assert (refused.code, message in refused.err) == (2, True), refused.err


def test_by_tls_a_certificate_is_checked(team: NodeTeam, bob: Membership) -> None:
    certificate, key = self_signed(team.people.folder)
    team.nodes[0].stop()
    node = team.node(
        "node1", "--certificate", str(certificate), "--key", str(key),
        "--name", "localhost",
    )  # fmt: skip
    silent = socket.create_connection(("127.0.0.1", node.port))
    url = f"https://localhost:{node.port}"
    refused = team.people("bob", "search", "token", "--node", url, code=1)["error"]
    assert "its certificate is not valid" in refused["message"]
    home = team.people.home("bob")
    (home / "config.toml").write_text(f'[node]\nca_file = "{certificate}"\n')
    assert team.people("bob", "search", "token", "--node", url)["results"]
    other = f"https://127.0.0.1:{node.port}"
    refused = team.people("bob", "search", "token", "--node", other, code=1)["error"]
    assert "its certificate is not valid" in refused["message"]
    silent.settimeout(20)
    with silent, suppress(ConnectionResetError):
        assert silent.recv(100) == b""  # a handshake has ten seconds
