"""The people of a team on one machine: each with a home folder and a clone of their own, and the commands that they run."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from codecairn.cli.json_documents import SHAPES, schema_of
from codecairn.cli.main import main
from support.postgres import PostgresServer
from support.repository import Repository

ORIGIN = "https://git.example.com/acme/shop.git"


class People:
    """Runs commands as one person or another, in a clone of their own."""

    def __init__(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = tmp_path
        self._patch = monkeypatch
        self._capsys = capsys
        self.printed: set[str] = set()
        self.complained = ""
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
            command = " ".join(words[:2]) if " ".join(words[:2]) in SHAPES else words[0]
            jsonschema.validate(document, schema_of(command))
            self.printed.add(command)
        return document

    def lines(self, name: str, *words: str) -> str:
        """What a command prints for people."""
        self._patch.setenv("CODECAIRN_HOME", str(self.home(name)))
        self._patch.chdir(self.clone(name).root)
        self._capsys.readouterr()
        assert main([*words]) == 0
        printed = self._capsys.readouterr()
        self.complained = printed.err
        return printed.out


def make_team(people: People, postgres: PostgresServer, patch: pytest.MonkeyPatch) -> str:
    """Make a team with the repository `shop`, whose owner is `olga`; returns the address of its database."""
    url = postgres.url(postgres.new_database())
    patch.setenv("CODECAIRN_TEAM_URL", url)
    people("olga", "team", "init", "acme", "--member", "olga")
    patch.delenv("CODECAIRN_TEAM_URL")
    people("olga", "team", "add", "shop", "--store", str(people.folder / "objects"))
    return url


def invited(team: People, name: str, role: str) -> Path:
    """The file of an invitation by olga."""
    file = team.folder / f"{name}.invitation"
    team("olga", "team", "invite", name, "--grant", f"shop={role}", "--output", str(file))
    return file
