"""The commands of a team, as its people use them: each with a home folder of their own."""

import json
import stat
from collections.abc import Callable
from typing import Any

import pytest

from codecairn.cli.json_documents import SHAPES
from codecairn.team.membership import membership
from support.postgres import PostgresServer
from support.team_people import People, invited

ORIGIN = "https://git.example.com/acme/shop.git"
Run = Callable[..., Any]


def test_a_team_from_its_making_to_its_memory(acme: People, postgres: PostgresServer) -> None:
    file = invited(acme, "ann", "publisher")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    joined = acme("ann", "team", "join", str(file))
    assert (joined["team"], joined["member"], joined["repositories"]) == ("acme", "ann", ["shop"])
    acme("bob", "team", "join", str(invited(acme, "bob", "reader")))
    (found,) = acme("olga", "team", "status")["teams"]
    assert {(each["member"], each["role"]) for each in found["grants"]} == {
        ("olga", "admin"), ("ann", "publisher"), ("bob", "reader"),
    }  # fmt: skip
    assert found["repositories"][0]["project"] == "git.example.com/acme/shop"
    id_ = acme("ann", "memory", "add", "Releases are cut on Fridays", "--type", "rule")["id"]
    assert acme("ann", "team", "promote", id_)["promoted"] == [id_]
    assert acme("bob", "team", "sync", "--dry-run")["is_dry_run"]
    assert acme("bob", "team", "sync")["added"] == 1
    assert "shared by ann" in acme.lines("bob", "memory", "list")
    (found,) = acme("bob", "memory", "search", "when are releases cut")["results"]
    assert found["is_quoted"] is False
    assert found["origin"] == "repository"
    acme("bob", "team", "promote", id_, code=2)
    assert acme("ann", "team", "demote", id_)["withdrawn"] == [id_]
    assert acme("bob", "team", "sync")["ended"] == 1
    assert acme("olga", "team", "grant", "bob", "shop", "admin")["without"] == []
    (collected,) = acme("bob", "team", "gc", "--dry-run")["repositories"]
    assert (collected["stored"], collected["is_dry_run"]) == (0, True)
    assert not acme("bob", "team", "delete-branch", "old", "--repository", "shop")["is_deleted"]
    assert acme("bob", "team", "rotate-key", "shop")["generation"] == 2
    acme("bob", "team", "revoke", "ann", "shop", "--rotate-key")
    assert acme("ann", "team", "sync", code=1)["error"]["kind"] == "remote-refused"
    of_teams = {name for name in SHAPES if name.startswith("team ")}
    assert of_teams <= acme.printed
    for name in ("olga", "ann", "bob"):
        (own,) = (acme.home(name) / "data" / "team").glob("*.json")
        assert stat.S_IMODE(own.stat().st_mode) == 0o600


def test_an_invitation_is_of_no_use_after_it_was_accepted(acme: People) -> None:
    file = invited(acme, "ann", "reader")
    acme("ann", "team", "join", str(file))
    error = acme("mallory", "team", "join", str(file), code=1)["error"]
    assert "password authentication failed" in error["message"]
    assert not (acme.home("mallory") / "data" / "team").exists()
    assert acme("ann", "team", "join", str(file), code=2)["error"]["kind"] == "usage"


def test_an_invitation_that_others_may_read_is_refused(acme: People) -> None:
    file = invited(acme, "ann", "reader")
    file.chmod(0o644)
    error = acme("ann", "team", "join", str(file), code=1)["error"]
    assert "chmod 600" in error["message"]
    file.chmod(0o600)
    acme("ann", "team", "join", str(file))
    again = acme("olga", "team", "invite", "zoe", "--grant", "shop=reader", "--output", str(file), code=1)  # fmt: skip
    assert "is there already" in again["error"]["message"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b'{"format": "x"}', b"\xff\xfe", b"[" * 100_000, b"x" * 5_000_000]
)  # fmt: skip
def test_what_is_no_invitation_is_refused(people: People, content: bytes) -> None:
    file = people.folder / "file"
    file.write_bytes(content)
    file.chmod(0o600)
    error = people("ann", "team", "join", str(file), code=1)["error"]
    assert error["kind"] == "file-access"


def test_a_changed_key_reaches_who_has_a_grant_alone(
    acme: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keys(name: str) -> dict[int, bytes]:
        monkeypatch.setenv("CODECAIRN_HOME", str(acme.home(name)))
        return dict(*(each.keys for each in membership(None).repositories.values()))

    for name in ("ann", "bob"):
        acme(name, "team", "join", str(invited(acme, name, "reader")))
    assert keys("ann") == keys("bob") == keys("olga")
    revoked = acme("olga", "team", "revoke", "bob", "shop", "--rotate-key")
    assert revoked["rotated"][0]["generation"] == 2
    acme("ann", "team", "status")
    assert sorted(keys("ann")) == [1, 2]
    assert acme("olga", "team", "rotate-key", "shop")["generation"] == 3
    assert acme("ann", "team", "rotate-key", "shop", code=1)["error"]["kind"] == "remote-refused"
    assert sorted(keys("ann")) == [1, 2, 3]
    assert keys("ann") == keys("olga")
    assert keys("ann")[1] != keys("ann")[2]
    assert acme("bob", "team", "status", code=1)["error"]["kind"] == "remote-refused"
    assert sorted(keys("bob")) == [1]


def test_who_left_gets_nothing_and_an_error_that_says_so(acme: People) -> None:
    acme("ann", "team", "join", str(invited(acme, "ann", "reader")))
    acme("olga", "team", "revoke", "ann")
    error = acme("ann", "team", "status", code=1)["error"]
    assert (error["kind"], error["message"]) == (
        "remote-refused", "you are no longer a member of this team",
    )  # fmt: skip
    assert acme("olga", "team", "revoke", "ann", code=2)["error"]["kind"] == "usage"


def test_without_its_database_the_copy_is_searched_and_the_command_says_so(
    acme: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme("ann", "team", "join", str(invited(acme, "ann", "publisher")))
    acme("bob", "team", "join", str(invited(acme, "bob", "reader")))
    id_ = acme("ann", "memory", "add", "Releases are cut on Fridays", "--type", "rule")["id"]
    acme("ann", "team", "promote", id_)
    acme("bob", "team", "sync")
    (file,) = (acme.home("bob") / "data" / "team").glob("*.json")
    document = json.loads(file.read_text())
    moved = [word for word in document["conninfo"].split() if not word.startswith("port=")]
    file.write_text(json.dumps({**document, "conninfo": " ".join([*moved, "port=1"])}))
    file.chmod(0o600)
    error = acme("bob", "team", "sync", code=1)["error"]
    assert error["kind"] == "remote-unavailable"
    assert "local index and memory work without it" in error["hint"]
    (found,) = acme("bob", "memory", "search", "when are releases cut")["results"]
    assert found["text"] == "Releases are cut on Fridays"


def test_no_command_prints_a_password_or_a_key(
    acme: People, monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer
) -> None:
    acme("ann", "team", "join", str(invited(acme, "ann", "admin")))
    monkeypatch.setenv("CODECAIRN_HOME", str(acme.home("ann")))
    own = membership(None)
    secrets = [own.password, own.signing_key.hex(), own.sealing_key.hex(), postgres.password]
    secrets += [key.hex() for each in own.repositories.values() for key in each.keys.values()]
    shown = [repr(own)]
    for words in (
        ["team", "status"],
        ["team", "sync"],
        ["config", "list"],
        ["team", "gc", "--dry-run"],
    ):
        shown += [acme.lines("ann", *words), json.dumps(acme("ann", *words))]
    assert not [secret for secret in secrets if secret in "".join(shown)]
    assert str([*own.signing_key]) not in "".join(shown)


def test_a_workspace_names_no_team(acme: People) -> None:
    clone = acme.clone("mallory")
    clone.write(".codecairn.toml", '[team]\nurl = "postgresql://evil.example/x"\n')
    assert acme("mallory", "search", "x", code=2)["error"]["kind"] == "config"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("team", "init", "acme"), "no team's database is named"),
        (("team", "sync"), "you belong to no team"),
        (("team", "gc"), "you belong to no team"),
        (("team", "invite", "a", "--grant", "x", "--output", "f"), "`x` is no grant"),
        (("team", "join", "nowhere"), "there is no invitation"),
        (("team", "promote", "f00"), "you belong to no team"),
    ],
)
def test_what_can_not_be_done_says_why(
    people: People, words: tuple[str, ...], message: str
) -> None:
    code = 1 if "nowhere" in words else 2
    assert message in people("ann", *words, code=code)["error"]["message"]


def test_a_membership_that_others_may_read_is_refused(acme: People) -> None:
    (file,) = (acme.home("olga") / "data" / "team").glob("*.json")
    file.chmod(0o644)
    error = acme("olga", "team", "status", code=1)["error"]
    assert error["kind"] == "file-access"
    assert "chmod 600" in error["message"]


def test_init_again_keeps_the_team_and_another_user_is_sent_to_an_invitation(
    acme: People, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_HOME", str(acme.home("olga")))
    own = membership(None)
    database = own.conninfo.split("dbname=")[1].split()[0]
    monkeypatch.setenv("CODECAIRN_TEAM_URL", postgres.url(database))
    assert acme("olga", "team", "init", "other")["team"] == "acme"
    error = acme("mallory", "team", "init", "acme", code=2)["error"]
    assert "made by another user or on another machine" in error["message"]
    assert not (acme.home("mallory") / "data" / "team").exists()
