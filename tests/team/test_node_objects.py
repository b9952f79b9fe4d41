"""Sealed objects through search nodes, for members who have no access to the object store."""

import hashlib
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn.errors import RemoteUnavailable
from codecairn.objects.object_store import ObjectStore
from codecairn.team import node_store
from codecairn.team.membership import Membership
from codecairn.team.request_signature import SIGNATURE
from support.nodes import Node, NodeTeam, signed_headers
from support.team_people import People

QUESTION = ("search", "where are tokens verified", "-n", "20")


@pytest.fixture
def team(acme: People) -> Iterator[NodeTeam]:
    """The team, after ann has published the first commit."""
    made = NodeTeam(acme, members=("node1",))
    made.people("ann", "index", "--publish", "shop")
    yield made
    made.close()


@pytest.fixture
def node(team: NodeTeam) -> Node:
    """Its node, which bob's settings name."""
    made = team.node("node1")
    (team.people.home("bob") / "config.toml").write_text(f'[node]\nurls = ["{made.url}"]\n')
    return made


@pytest.fixture
def no_access(monkeypatch: pytest.MonkeyPatch) -> None:
    """The object store refuses this process, and not the node's."""

    def refuse(url: str) -> ObjectStore:
        raise RemoteUnavailable(f"`{url}` refuses access")

    monkeypatch.setattr(node_store, "open_store", refuse)


def _objects(team: NodeTeam) -> list[Path]:
    folder = team.people.folder / "objects"
    return sorted(each for each in folder.glob("*/objects/*/*") if each.is_file())


def _key(team: NodeTeam, file: Path) -> str:
    return file.relative_to(team.people.folder / "objects").as_posix()


def _get(node: Node, path: str, headers: dict[str, str]) -> tuple[int, bytes]:
    request = urllib.request.Request(node.url + path, headers=headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as err:
        with err:
            return err.code, err.read()


def _signed(member: Membership, node: Node, path: str) -> dict[str, str]:
    return signed_headers(member, node, path, method="GET")


def _refused(answer: tuple[int, bytes]) -> tuple[int, str]:
    return answer[0], json.loads(answer[1])["error"]["message"]


@pytest.mark.usefixtures("no_access")
def test_a_member_without_access_to_the_object_store_pulls_through_a_node(
    team: NodeTeam, node: Node
) -> None:
    pulled = team.people("bob", "pull")
    assert pulled["documents"] > 0
    expected = team.local(team.upstream.git("rev-parse", "HEAD"), *QUESTION)
    assert team.people("bob", *QUESTION, "--node", "off") == expected
    assert node.status()["answered"] > 1


def test_without_a_node_that_answers_the_object_store_is_read(team: NodeTeam, node: Node) -> None:
    node.kill()
    assert team.people("bob", "pull")["documents"] > 0


@pytest.mark.usefixtures("no_access")
def test_without_both_the_error_names_both(team: NodeTeam, node: Node) -> None:
    node.kill()
    error = team.people("bob", "pull", code=1)["error"]
    assert error["kind"] == "remote-unavailable"
    assert "refuses access; no node answers: " in error["message"]
    assert f"{node.url}: it can't be reached" in error["message"]


def test_an_object_is_passed_on_to_members_with_a_grant_alone(
    team: NodeTeam, node: Node, bob: Membership
) -> None:
    file = _objects(team)[0]
    path = f"/v1/{_key(team, file)}"
    headers = _signed(bob, node, path)
    assert _get(node, path, headers) == (200, file.read_bytes())
    assert _refused(_get(node, path, headers)) == (401, "the request was answered before")
    unsigned = (401, "the request is not signed by a member of this node's team")
    other = _signed(bob, node, f"/v1/{_key(team, _objects(team)[1])}")
    for wrong in ({}, headers | {SIGNATURE: "x"}, other):
        assert _refused(_get(node, path, wrong)) == unsigned
    no_grant = (403, "this node has no such repository, or you have no grant for it")
    foreign = "/v1/" + "0" * 32 + path.removeprefix("/v1/")[32:]
    assert _refused(_get(node, foreign, _signed(bob, node, foreign))) == no_grant
    team.people("olga", "team", "revoke", "bob", "shop")
    assert _refused(_get(node, path, _signed(bob, node, path))) == no_grant


def test_only_keys_of_objects_are_read(team: NodeTeam, node: Node, bob: Membership) -> None:
    repository = _key(team, _objects(team)[0]).partition("/")[0]
    missing = f"/v1/{repository}/objects/{'0' * 2}/{'0' * 62}"
    assert _refused(_get(node, missing, _signed(bob, node, missing)))[0] == 404
    for path in (
        f"/v1/{repository}/refs/main",
        f"/v1/{repository}/objects/../../config",
        f"/v1/{repository}/objects/ab/{'A' * 62}",
        f"/v1/{repository}/objects/",
        missing + "?x=1",
    ):
        assert _get(node, path, _signed(bob, node, path))[0] in {401, 404}, path


def test_a_damaged_object_is_read_again_and_never_passed_on(
    team: NodeTeam, node: Node, bob: Membership
) -> None:
    file = _objects(team)[0]
    path, content = f"/v1/{_key(team, file)}", file.read_bytes()
    assert _get(node, path, _signed(bob, node, path)) == (200, content)
    cached = node.folder / "objects" / _key(team, file)
    cached.write_bytes(content[:-1] + b"x")
    assert _get(node, path, _signed(bob, node, path)) == (200, content)
    assert hashlib.sha256(cached.read_bytes()).hexdigest() == path[-65:].replace("/", "")
    cached.unlink()
    file.write_bytes(content[:-1])
    damaged = (503, "what the object store has is damaged")
    assert _refused(_get(node, path, _signed(bob, node, path))) == damaged
    for folder in (node.folder / "objects", team.people.folder / "objects"):
        for each in folder.glob("*/objects/*/*"):
            each.write_bytes(each.read_bytes()[:-1])
    assert "is damaged" in team.people("bob", "pull", code=1)["error"]["message"]
