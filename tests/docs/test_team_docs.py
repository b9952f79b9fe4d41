"""The page on teams leads from an empty server to a shared index and memory: its commands run, each by the person it is for."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg import sql

from support.documents import PAGES, ROOT, shell_lines
from support.postgres import PostgresServer
from support.repository import SMALL_PROJECT, Repository

PAGE = PAGES["docs/how-to/team.md"]
ORIGIN = "https://git.example.com/acme/shop.git"

PEOPLE = (
    ("codecairn team init", "olga"), ("codecairn team join", "ann"), ("codecairn index", "ann"), ("codecairn pull", "bob"),
    ("codecairn memory add", "ann"), ("codecairn team sync", "bob"), ("codecairn team grant", "olga"),
    ("codecairn team gc", "olga"),
)  # fmt: skip
"""Who runs a block, by how its first command begins."""


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    made = PostgresServer()
    yield made
    made.remove()


class _Place:
    """The page's addresses as they are here, and a clone and a home folder for each person."""

    def __init__(self, folder: Path, server: PostgresServer) -> None:
        self._folder = folder
        self._server = server
        self.fact = ""
        self.exports: dict[str, str] = {}

    def run(self, person: str, line: str) -> str:
        clone = self._clone(person)
        line = re.sub(r"\bID\b", self.fact, line)
        line = line.replace("s3://acme-index", str(self._folder / "objects"))
        line = re.sub(r"\b(\w+\.invitation)", f"{self._folder}/\\1", line)
        done = subprocess.run(
            ["/bin/sh", "-c", line], cwd=clone.root, env=self._environment(person), text=True,
            capture_output=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), f"{line}\n{done.stderr}"
        return done.stdout

    def _clone(self, person: str) -> Repository:
        root = self._folder / person
        if root.is_dir():
            return Repository(root)
        clone = Repository.make(root)
        clone.write_all(SMALL_PROJECT)
        clone.commit("first")
        clone.git("remote", "add", "origin", ORIGIN)
        return clone

    def _environment(self, person: str) -> dict[str, str]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        own = {"CODECAIRN_HOME": str(self._folder / f"{person}-home"), "PATH": path}
        exports = {
            name: value.replace("@db.example.com", f"@127.0.0.1:{self._server.port}")
            for name, value in self.exports.items()
        }
        return {**os.environ, **own, **(exports if person == "olga" else {})}


def _blocks() -> list[list[str]]:
    blocks = re.findall(r"^```sh\n.*?^```", PAGE, re.DOTALL | re.MULTILINE)
    return [[line for line, _ in shell_lines(block + "\n")] for block in blocks]


@pytest.mark.timeout(400)
def test_the_page_leads_from_nothing_to_a_shared_index_and_memory(
    tmp_path: Path, server: PostgresServer
) -> None:
    (statements,) = re.findall(r"^```sql\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    with server.connect("postgres", "super", autocommit=True) as connection:
        for statement in statements.strip().split("\n"):
            connection.execute(sql.SQL(statement))
    place, run = _Place(tmp_path, server), set()
    for lines in _blocks():
        if lines[0].startswith("export "):
            name, _, value = lines.pop(0).removeprefix("export ").partition("=")
            place.exports[name] = value
        (person,) = (who for beginning, who in PEOPLE if lines[0].startswith(beginning))
        for line in lines:
            if line.startswith("codecairn memory add"):
                place.fact = json.loads(place.run(person, f"{line} --json"))["id"]
            else:
                out = place.run(person, line)
                run.add(line)
            if line == "rm ann.invitation":
                place.run("bob", "codecairn team join bob.invitation")
    assert "Releases are cut on Fridays" in place.run("bob", "codecairn memory list --json")
    assert "deleted 0 of" in out
    assert any(line.startswith("codecairn team revoke") for line in run)


def test_the_compose_file_makes_what_the_page_names() -> None:
    yaml = pytest.importorskip("yaml")
    file = ROOT / "docs/how-to/team-compose.yaml"
    (service,) = yaml.safe_load(file.read_text(encoding="utf-8"))["services"].values()
    assert service["image"].startswith("postgres:")
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    names = service["environment"]
    assert (names["POSTGRES_USER"], names["POSTGRES_DB"]) == ("acme_owner", "acme")
    assert "(team-compose.yaml)" in PAGE
