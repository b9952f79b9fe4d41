"""A team's index by its commands: published, pulled, refused after a revocation, and done without while the database is gone."""

import json
from typing import Any

import pytest

from support.postgres import PostgresServer
from support.repository import SMALL_PROJECT
from support.team_people import People, invited

QUESTION = ("search", "where are tokens verified")


def _clone(acme: People, name: str) -> None:
    clone = acme.clone(name)
    clone.write_all(SMALL_PROJECT)
    clone.commit("project")


def _join(acme: People, name: str, role: str) -> None:
    _clone(acme, name)
    acme(name, "team", "join", str(invited(acme, name, role)))


def _answers(acme: People, name: str) -> Any:
    return acme(name, *QUESTION)["results"]


@pytest.fixture
def published(acme: People) -> People:
    """The team, after `ann` has published and `bob` has joined."""
    _join(acme, "ann", "publisher")
    acme("ann", "index", "--publish", "shop")
    _join(acme, "bob", "reader")
    return acme


def test_a_pulled_index_answers_as_one_that_was_made_here(published: People) -> None:
    pulled = published("bob", "pull")
    assert (pulled["remote"], pulled["branch"], pulled["epoch"]) == ("shop", "main", 1)
    assert _answers(published, "bob") == _answers(published, "ann")
    (status,) = published("olga", "team", "status")["teams"]
    assert status["repositories"][0]["branches"] == 1
    assert status["repositories"][0]["uses"]["publish"] == 1


def test_the_memory_comes_along_with_the_index(
    published: People, capsys: pytest.CaptureFixture[str]
) -> None:
    id_ = published("ann", "memory", "add", "Releases are cut on Fridays", "--type", "rule")["id"]
    published("ann", "team", "promote", id_)
    published.lines("bob", "pull")
    assert "the memory of the team `acme`: 1 taken in" in published.complained
    found = published("bob", "memory", "list")["results"]
    assert [each["text"] for each in found] == ["Releases are cut on Fridays"]


def test_who_was_revoked_pulls_nothing_and_searches_what_was_pulled(published: People) -> None:
    published("bob", "pull")
    before = _answers(published, "bob")
    published("olga", "team", "revoke", "bob", "shop")
    assert published("bob", "pull", code=1)["error"]["kind"] == "remote-refused"
    assert _answers(published, "bob") == before
    published("bob", "pull", code=2)


def test_without_the_database_a_first_search_makes_the_index_here(
    published: People, postgres: PostgresServer
) -> None:
    (file,) = (published.home("bob") / "data" / "team").glob("*.json")
    document = json.loads(file.read_text())
    moved = [word for word in document["conninfo"].split() if not word.startswith("port=")]
    file.write_text(json.dumps({**document, "conninfo": " ".join([*moved, "port=1"])}))
    assert published("bob", "pull", code=1)["error"]["kind"] == "remote-unavailable"
    answers = published.lines("bob", *QUESTION)
    assert "shop/tokens.py" in answers
    assert "no shared index is used: the team's database does not answer" in published.complained


def test_garbage_of_real_publications_is_collected_and_what_is_used_stays(
    published: People,
) -> None:
    clone = published.clone("ann")
    for number in range(3):
        clone.write("shop/tokens.py", SMALL_PROJECT["shop/tokens.py"] + f"\n\nLIMIT = {number}\n")
        clone.commit(f"limit {number}")
        published("ann", "index", "--publish", "shop")
    (planned,) = published("olga", "team", "gc", "--grace-days", "0", "--dry-run")["repositories"]
    (done,) = published("olga", "team", "gc", "--grace-days", "0")["repositories"]
    assert planned["deleted"] == done["deleted"] > 0
    assert done["stored"] == done["live"] + done["deleted"]
    bob = published.clone("bob")
    bob.write("shop/tokens.py", SMALL_PROJECT["shop/tokens.py"] + "\n\nLIMIT = 2\n")
    bob.commit("limit")
    assert published("bob", "pull")["epoch"] == 4
    assert _answers(published, "bob") == _answers(published, "ann")
