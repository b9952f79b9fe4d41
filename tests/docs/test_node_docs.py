"""The page on search nodes leads from a team to a node and an answer: its commands run, each where it belongs."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.documents import PAGES, shell_lines
from support.nodes import NodeTeam
from support.postgres import PostgresServer
from support.team_people import ORIGIN, People, make_team

PAGE = PAGES["docs/how-to/node.md"]
WHO = (
    ("codecairn team invite", "olga"), ("codecairn team join", "node1"), ("codecairn node", "node1"),
    ("codecairn search", "bob"), ("codecairn config", "bob"),
    ("codecairn pull", "bob"),
)  # fmt: skip
"""Who runs a block, by how its first command begins."""

START_S = 60


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    made = PostgresServer()
    yield made
    made.remove()


def _blocks() -> list[list[str]]:
    blocks = re.findall(r"^```sh\n.*?^```", PAGE, re.DOTALL | re.MULTILINE)
    return [[line for line, _ in shell_lines(block + "\n")] for block in blocks]


class _Machines:
    """Runs the page's lines, with its addresses as they are here."""

    def __init__(self, team: NodeTeam) -> None:
        self._team = team
        self._folder = team.people.folder
        self.port = 0
        self.node: subprocess.Popen[str] | None = None

    def run(self, who: str, line: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", self._here(line)], cwd=self._team.people.clone(who).root, text=True,
            env=self._environment(who), capture_output=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), f"{line}\n{done.stderr}"
        return done.stdout

    def start(self, who: str, line: str) -> None:
        """Start the node that a line names, on a free port."""
        log = self._folder / "log"
        with log.open("w") as opened:
            self.node = subprocess.Popen(
                ["/bin/sh", "-c", f"exec {self._here(line)} --listen 127.0.0.1:0"],
                cwd=self._folder, env=self._environment(who), stderr=opened, text=True,
            )  # fmt: skip
        for _ in range(100 * START_S):
            if found := re.search(r"answering at http://127\.0\.0\.1:(\d+)", log.read_text()):
                self.port = int(found[1])
                return
            assert self.node.poll() is None, log.read_text()
            time.sleep(0.01)
        raise AssertionError(log.read_text())

    def _here(self, line: str) -> str:
        line = line.replace(ORIGIN, str(self._team.upstream.root)).replace(":8777", f":{self.port}")
        return re.sub(r"\b(\w+\.invitation)", f"{self._folder}/\\1", line)

    def _environment(self, who: str) -> dict[str, str]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        return os.environ | {"CODECAIRN_HOME": str(self._team.people.home(who)), "PATH": path}


def _has_index(people: People, name: str) -> bool:
    return any((people.home(name) / "data" / "stores").glob("*/index.db"))


@pytest.mark.skipif(sys.platform == "win32", reason="the page's commands are a shell's")
def test_the_page_leads_from_a_team_to_an_answer_of_a_node(
    tmp_path: Path,
    server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    people = People(tmp_path, monkeypatch, capsys)
    make_team(people, server, monkeypatch)
    team = NodeTeam(people, members=())
    people("ann", "index", "--publish", "shop")
    machines, answered = _Machines(team), 0
    try:
        for lines in _blocks():
            (who,) = (who for beginning, who in WHO if lines[0].startswith(beginning))
            for line in lines:
                if line.startswith("codecairn node"):
                    machines.start(who, line)
                    continue
                if line == "codecairn pull":
                    assert not _has_index(people, who)
                out = machines.run(who, line)
                if line.startswith("codecairn search"):
                    assert "shop/tokens.py" in out
                    answered += 1
        assert answered == 4
        assert _has_index(people, "bob")
    finally:
        if machines.node is not None:
            machines.node.terminate()
            machines.node.wait(30)


def test_the_page_names_the_default_port_and_every_status() -> None:
    from codecairn.cli.node import DEFAULT_CACHE, DEFAULT_PORT
    from codecairn.node.answers import ANSWERED

    assert f"`127.0.0.1:{DEFAULT_PORT}`" in PAGE
    assert f"--cache-size {DEFAULT_CACHE}" in PAGE
    by_http = PAGE.partition("\n## By HTTP\n")[2].partition("\n## ")[0]
    for name in ANSWERED:
        assert re.search(rf"(?:/v1/|`){name}`", by_http), name
    for status in (202, 400, 401, 403, 404, 413, 421, 503):
        assert str(status) in by_http
