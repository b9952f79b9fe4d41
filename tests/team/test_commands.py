"""The commands of a team, as its people use them: each with a home folder of their own."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from codecairn.cli.json_documents import SHAPES, schema_of
from codecairn.cli.main import main
from codecairn.team.membership import membership
from support.postgres import PostgresServer
from support.repository import Repository

ORIGIN = "https://git.example.com/acme/shop.git"
Run = Callable[..., Any]


class People:
    """Runs commands as one person or another, in a clone of their own."""

    def __init__(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = tmp_path
        self._patch = monkeypatch
        self._capsys = capsys
        self.printed: set[str] = set()
        self._patch.setattr("sys.argv", ["codecairn"])

    def clone(self, name: str) -> Repository:
        root = self.folder / name
        if root.is_dir():
            return Repository(root)
        found = Repository.make(root)
        found.write("a.py", "x = 1\n")
        found.commit("first")
        found.git("remote", "add", "origin", ORIGIN)
        return found

    def home(self, name: str) -> Path:
        return self.folder / f"{name}-home"

    def __call__(self, name: str, *words: str, code: int = 0) -> Any:
        """The document that a command prints as JSON; compared with its schema."""
        self._patch.setenv("CODECAIRN_HOME", str(self.home(name)))
        self._patch.chdir(self.clone(name).root)
        self._capsys.readouterr()
        done = main([*words, "--json"])
        printed = self._capsys.readouterr()
        assert done == code, printed.out + printed.err
        document = json.loads(printed.out)
        if code == 0:
            command = " ".join(words[:2])
            jsonschema.validate(document, schema_of(command))
            self.printed.add(command)
        return document

    def lines(self, name: str, *words: str) -> str:
        """What a command prints for people."""
        self._patch.setenv("CODECAIRN_HOME", str(self.home(name)))
        self._patch.chdir(self.clone(name).root)
        self._capsys.readouterr()
        assert main([*words]) == 0
        return self._capsys.readouterr().out


@pytest.fixture
def people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> People:
    return People(tmp_path, monkeypatch, capsys)


@pytest.fixture
def team(people: People, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> People:
    """A team with the repository `shop`, whose owner is `olga`."""
    monkeypatch.setenv("CODECAIRN_TEAM_URL", postgres.url(postgres.new_database()))
    people("olga", "team", "init", "acme", "--member", "olga")
    monkeypatch.delenv("CODECAIRN_TEAM_URL")
    people("olga", "team", "add", "shop", "--store", str(people.folder / "objects"))
    return people


def _invited(team: People, name: str, role: str) -> Path:
    file = team.folder / f"{name}.invitation"
    team("olga", "team", "invite", name, "--grant", f"shop={role}", "--output", str(file))
    return file


def test_a_team_from_its_making_to_its_memory(team: People, postgres: PostgresServer) -> None:
    file = _invited(team, "ann", "publisher")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    joined = team("ann", "team", "join", str(file))
    assert (joined["team"], joined["member"], joined["repositories"]) == ("acme", "ann", ["shop"])
    team("bob", "team", "join", str(_invited(team, "bob", "reader")))
    (acme,) = team("olga", "team", "status")["teams"]
    assert {(each["member"], each["role"]) for each in acme["grants"]} == {
        ("olga", "admin"), ("ann", "publisher"), ("bob", "reader"),
    }  # fmt: skip
    assert acme["repositories"][0]["project"] == "git.example.com/acme/shop"
    id_ = team("ann", "memory", "add", "Releases are cut on Fridays", "--type", "rule")["id"]
    assert team("ann", "team", "promote", id_)["promoted"] == [id_]
    assert team("bob", "team", "sync", "--dry-run")["is_dry_run"]
    assert team("bob", "team", "sync")["added"] == 1
    assert "shared by ann" in team.lines("bob", "memory", "list")
    (found,) = team("bob", "memory", "search", "when are releases cut")["results"]
    assert found["is_quoted"] is False
    assert found["origin"] == "repository"
    team("bob", "team", "promote", id_, code=2)
    assert team("ann", "team", "demote", id_)["withdrawn"] == [id_]
    assert team("bob", "team", "sync")["ended"] == 1
    assert team("olga", "team", "grant", "bob", "shop", "admin")["without"] == []
    (collected,) = team("bob", "team", "gc", "--dry-run")["repositories"]
    assert (collected["stored"], collected["is_dry_run"]) == (0, True)
    team("bob", "team", "revoke", "ann", "shop", "--rotate-key")
    assert team("ann", "team", "sync", code=1)["error"]["kind"] == "remote-refused"
    of_teams = {name for name in SHAPES if name.startswith("team ")}
    assert of_teams <= team.printed
    for name in ("olga", "ann", "bob"):
        (own,) = (team.home(name) / "data" / "team").glob("*.json")
        assert stat.S_IMODE(own.stat().st_mode) == 0o600


def test_an_invitation_is_of_no_use_after_it_was_accepted(team: People) -> None:
    file = _invited(team, "ann", "reader")
    team("ann", "team", "join", str(file))
    error = team("mallory", "team", "join", str(file), code=1)["error"]
    assert "password authentication failed" in error["message"]
    assert not (team.home("mallory") / "data" / "team").exists()
    assert team("ann", "team", "join", str(file), code=2)["error"]["kind"] == "usage"


def test_an_invitation_that_others_may_read_is_refused(team: People) -> None:
    file = _invited(team, "ann", "reader")
    file.chmod(0o644)
    error = team("ann", "team", "join", str(file), code=1)["error"]
    assert "chmod 600" in error["message"]
    file.chmod(0o600)
    team("ann", "team", "join", str(file))
    again = team("olga", "team", "invite", "zoe", "--grant", "shop=reader", "--output", str(file), code=1)  # fmt: skip
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
    team: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keys(name: str) -> dict[int, bytes]:
        monkeypatch.setenv("CODECAIRN_HOME", str(team.home(name)))
        return dict(*(each.keys for each in membership(None).repositories.values()))

    for name in ("ann", "bob"):
        team(name, "team", "join", str(_invited(team, name, "reader")))
    assert keys("ann") == keys("bob") == keys("olga")
    revoked = team("olga", "team", "revoke", "bob", "shop", "--rotate-key")
    assert revoked["rotated"][0]["generation"] == 2
    team("ann", "team", "status")
    assert sorted(keys("ann")) == [1, 2]
    assert keys("ann") == keys("olga")
    assert keys("ann")[1] != keys("ann")[2]
    assert team("bob", "team", "status", code=1)["error"]["kind"] == "remote-refused"
    assert sorted(keys("bob")) == [1]


def test_who_left_gets_nothing_and_is_told(team: People) -> None:
    team("ann", "team", "join", str(_invited(team, "ann", "reader")))
    team("olga", "team", "revoke", "ann")
    error = team("ann", "team", "status", code=1)["error"]
    assert (error["kind"], error["message"]) == (
        "remote-refused", "you are no longer a member of this team",
    )  # fmt: skip
    assert team("olga", "team", "revoke", "ann", code=2)["error"]["kind"] == "usage"


def test_without_its_database_the_copy_is_searched_and_the_command_says_so(
    team: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    team("ann", "team", "join", str(_invited(team, "ann", "publisher")))
    team("bob", "team", "join", str(_invited(team, "bob", "reader")))
    id_ = team("ann", "memory", "add", "Releases are cut on Fridays", "--type", "rule")["id"]
    team("ann", "team", "promote", id_)
    team("bob", "team", "sync")
    (file,) = (team.home("bob") / "data" / "team").glob("*.json")
    document = json.loads(file.read_text())
    moved = [word for word in document["conninfo"].split() if not word.startswith("port=")]
    file.write_text(json.dumps({**document, "conninfo": " ".join([*moved, "port=1"])}))
    file.chmod(0o600)
    error = team("bob", "team", "sync", code=1)["error"]
    assert error["kind"] == "remote-unavailable"
    assert "local index and memory work without it" in error["hint"]
    (found,) = team("bob", "memory", "search", "when are releases cut")["results"]
    assert found["text"] == "Releases are cut on Fridays"


def test_no_command_prints_a_password_or_a_key(
    team: People, monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer
) -> None:
    team("ann", "team", "join", str(_invited(team, "ann", "admin")))
    monkeypatch.setenv("CODECAIRN_HOME", str(team.home("ann")))
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
        shown += [team.lines("ann", *words), json.dumps(team("ann", *words))]
    assert not [secret for secret in secrets if secret in "".join(shown)]
    assert str([*own.signing_key]) not in "".join(shown)


def test_a_workspace_names_no_team(team: People) -> None:
    clone = team.clone("mallory")
    clone.write(".codecairn.toml", '[team]\nurl = "postgresql://evil.example/x"\n')
    assert team("mallory", "search", "x", code=2)["error"]["kind"] == "config"


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


def test_a_membership_that_others_may_read_is_refused(team: People) -> None:
    (file,) = (team.home("olga") / "data" / "team").glob("*.json")
    file.chmod(0o644)
    error = team("olga", "team", "status", code=1)["error"]
    assert error["kind"] == "file-access"
    assert "chmod 600" in error["message"]


def test_init_again_keeps_the_team_and_another_user_is_sent_to_an_invitation(
    team: People, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_HOME", str(team.home("olga")))
    own = membership(None)
    database = own.conninfo.split("dbname=")[1].split()[0]
    monkeypatch.setenv("CODECAIRN_TEAM_URL", postgres.url(database))
    assert team("olga", "team", "init", "other")["team"] == "acme"
    error = team("mallory", "team", "init", "acme", code=2)["error"]
    assert "made by another user or on another machine" in error["message"]
    assert not (team.home("mallory") / "data" / "team").exists()
