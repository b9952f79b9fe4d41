"""Nodes, clients, publishers, the database and the object store die at any moment: every answer is that of its commit."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from support.command import command
from support.nodes import Node, NodeTeam
from support.postgres import PostgresServer
from support.repository import Repository
from support.team_people import People, make_team

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes die otherwise there")

KILLS = int(os.environ.get("NODE_KILLS", "100"))
"""Kills of the slow test: `NODE_KILLS=500 pytest -m slow tests/team/test_node_kills.py`."""

QUESTIONS = ("where are tokens verified", "area of a shape", "limit_3", "shop/tokens.py")
BRANCHES, CLIENTS, PUBLISHERS = 4, 4, 2
MAX_STEPS = 200


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server of this test's own, which may be crashed."""
    made = PostgresServer()
    yield made
    made.remove()


@pytest.fixture
def team(
    people: People, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[NodeTeam]:
    """The team, after ann has published the first commit."""
    make_team(people, server, monkeypatch)
    made = NodeTeam(people)
    made.people("ann", "index", "--publish", "shop")
    yield made
    made.close()


def test_a_node_that_dies_in_mid_request_is_replaced_by_the_other_and_answers_again(
    team: NodeTeam,
) -> None:
    first, second = team.node("node1"), team.node("node2")
    words = ("search", QUESTIONS[0], "-n", "20")
    expected = team.local(team.upstream.git("rev-parse", "HEAD"), *words)
    draw = random.Random(7)
    for _ in range(4):
        shutil.rmtree(first.folder)  # so that its answer takes a while
        first.kill()
        first.start()
        asked = subprocess.Popen(
            command(*words, "--json", "--node", f"{first.url},{second.url}"),
            cwd=team.people.folder / "bob", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"CODECAIRN_HOME": str(team.people.home("bob"))},
        )  # fmt: skip
        time.sleep(draw.uniform(0.3, 0.8))
        first.kill(with_git=draw.random() < 0.5)
        out, err = asked.communicate(timeout=100)
        assert asked.returncode == 0, err
        assert json.loads(out) == expected
        first.start()
        assert team.people("bob", *words, "--node", first.url) == expected


@pytest.mark.timeout(600)
def test_a_node_that_dies_at_any_step_of_preparing_a_commit_answers_when_it_is_started_again(
    team: NodeTeam,
) -> None:
    node = team.node("node1")
    words = ("search", QUESTIONS[0], "-n", "20")
    expected = team.local(team.upstream.git("rev-parse", "HEAD"), *words)
    died = 0
    for step in range(0, MAX_STEPS, 3):
        node.kill()
        shutil.rmtree(node.folder, ignore_errors=True)
        node.start(dies_at=step)
        asked = team.run("bob", *words, "--json", "--node", node.url)
        if asked.code == 0:
            assert asked.document == expected
            break
        died += 1
        assert asked.document["error"]["kind"] == "remote-unavailable"
        node.kill()
        node.start()
        assert team.people("bob", *words, "--node", node.url) == expected
    assert died >= 10


@dataclass
class _Storm:
    """What happens at once: clients who ask, publishers who publish, and kills of anything."""

    team: NodeTeam
    nodes: list[Node]
    server: PostgresServer
    end: threading.Event = field(default_factory=threading.Event)
    done: "Counter[str]" = field(default_factory=Counter)
    answers: list[tuple[str, str, Any]] = field(default_factory=list)
    running: list["subprocess.Popen[str]"] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, name: str, home: str, *arguments: str) -> tuple[int, Any]:
        """Run a command that may be killed meanwhile; its exit code and document."""
        process = subprocess.Popen(
            command(*arguments, "--json"), cwd=self.team.people.folder / name, text=True,
            env=os.environ | {"CODECAIRN_HOME": str(self.team.people.home(home))},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        with self.lock:
            self.running.append(process)
        out, err = process.communicate(timeout=300)
        with self.lock:
            self.running.remove(process)
        assert "Traceback" not in err, err
        if process.returncode < 0:
            return process.returncode, None
        return process.returncode, json.loads(out)

    def count(self, what: str) -> None:
        with self.lock:
            self.done[what] += 1

    def ask(self, name: str, draw: random.Random) -> None:
        """Have a client check out a branch and ask about it."""
        clone = Repository(self.team.people.folder / name)
        clone.git("fetch", "--quiet", "upstream")
        branch = f"b{draw.randrange(BRANCHES)}"
        clone.git("checkout", "--quiet", "--force", "-B", branch, f"upstream/{branch}")
        commit, question = clone.git("rev-parse", "HEAD"), draw.choice(QUESTIONS)
        urls = ",".join(node.url for node in self.nodes)
        code, document = self.run(name, "bob", "search", question, "-n", "20", "--node", urls)
        if code == 0:
            with self.lock:
                self.answers.append((commit, question, document["results"]))
            self.count("answered")
        elif document is None:
            self.count("clients killed")
        else:
            # All nodes were dead, or the database: then nothing is answered.
            assert document["error"]["kind"] == "remote-unavailable", document
            self.count("unanswered")

    def publish(self, name: str, draw: random.Random) -> None:
        """Have a publisher push a change and publish its index."""
        clone = Repository(self.team.people.folder / name)
        clone.git("fetch", "--quiet", "upstream")
        branch, number = f"b{draw.randrange(BRANCHES)}", draw.randrange(1_000)
        clone.git("checkout", "--quiet", "--force", "-B", branch, f"upstream/{branch}")
        clone.write(
            f"shop/part{number % 7}.py",
            f'LIMIT_{number} = {number}\n\n\ndef limit_{number % 10}():\n    """The limit {number}."""\n',
        )
        clone.commit(f"limit {number}")
        try:
            clone.git("push", "--quiet", "upstream", branch)
        except AssertionError:
            return  # another publisher was first
        code, document = self.run(name, name, "index", "--publish", "shop")
        if code == 0:
            self.count("published")
        elif document is None:
            self.count("publishers killed")
        else:
            kinds = {"remote-unavailable", "remote-conflict"}
            assert document["error"]["kind"] in kinds, document
            self.count("unpublished")

    def kill(self, draw: random.Random) -> None:
        """Kill something, and start it again."""
        victim = draw.random()
        if victim < 0.5:
            node = draw.choice(self.nodes)
            node.kill(with_git=draw.random() < 0.5)
            if draw.random() < 0.1:
                shutil.rmtree(node.folder, ignore_errors=True)
            time.sleep(draw.uniform(0, 0.5))
            node.start()
            self.count("kills of nodes")
        elif victim < 0.8:
            with self.lock:
                alive = [each for each in self.running if each.poll() is None]
            if not alive:
                return
            draw.choice(alive).send_signal(signal.SIGKILL)
            self.count("kills of clients and publishers")
        elif victim < 0.9:
            self.server.stop()
            time.sleep(draw.uniform(0, 0.5))
            self.server.start()
            self.count("kills of PostgreSQL")
        else:
            store = self.team.people.folder / "objects"
            away = store.with_name("away")
            store.rename(away)
            time.sleep(draw.uniform(0, 0.5))
            if store.exists():  # a publisher has begun to write there
                shutil.copytree(store, away, dirs_exist_ok=True)
                shutil.rmtree(store)
            away.rename(store)
            self.count("losses of the object store")

    def work(self, act: Callable[[str, random.Random], None], name: str) -> None:
        draw = random.Random(name)
        while not self.end.is_set():
            act(name, draw)


def _begun(team: NodeTeam) -> None:
    """Branches, all of them published, and the clones of all."""
    for number in range(20):
        team.upstream.write(
            f"shapes/shape{number}.py",
            f'def area_{number}(width, height):\n    """The area of shape {number}."""\n    return width * height\n',
        )
    team.upstream.commit("shapes")
    for number in range(BRANCHES):
        team.upstream.git("branch", f"b{number}")
    for number in range(PUBLISHERS):
        clone = team.clone(f"publisher{number}")
        shutil.copytree(team.people.home("ann"), team.people.home(f"publisher{number}"))
        clone.git("fetch", "--quiet", "upstream")
    for number in range(CLIENTS):
        team.clone(f"client{number}")


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(6, marks=pytest.mark.timeout(600)),
        pytest.param(KILLS, marks=[pytest.mark.slow, pytest.mark.timeout(7_200)]),
    ],
)
def test_each_answer_is_that_of_its_commit_whatever_is_killed(
    team: NodeTeam,
    server: PostgresServer,
    kills: int,
    record_property: Callable[[str, object], None],
) -> None:
    _begun(team)
    storm = _Storm(team, [team.node("node1"), team.node("node2")], server)
    began_s, draw = time.monotonic(), random.Random(kills)
    acts = [(storm.ask, f"client{number}") for number in range(CLIENTS)]
    acts += [(storm.publish, f"publisher{number}") for number in range(PUBLISHERS)]
    with ThreadPoolExecutor(len(acts)) as pool:
        working = [pool.submit(storm.work, act, name) for act, name in acts]
        try:
            while (
                sum(storm.done[what] for what in storm.done if what.startswith(("kills", "losses")))
                < kills
            ):
                time.sleep(draw.uniform(0, 1.5))
                storm.kill(draw)
                assert not any(each.done() and each.exception() for each in working)
        finally:
            storm.end.set()
        for each in working:
            each.result()
    record_property("seconds", round(time.monotonic() - began_s))
    expected: dict[tuple[str, str], Any] = {}
    for commit, question, results in storm.answers:
        if (commit, question) not in expected:
            expected[commit, question] = _reference(team, commit, question)
        assert results == expected[commit, question], (commit, question)
    for what, times in (
        storm.done | Counter(commits=len({each[0] for each in storm.answers}))
    ).items():
        record_property(what, times)
    # Nothing is left half done: both nodes answer about every branch as an index made in place.
    for number in range(BRANCHES):
        commit = team.upstream.git("rev-parse", f"b{number}")
        for node in storm.nodes:
            code, document = storm.run(
                "client0",
                "bob",
                "search",
                QUESTIONS[0],
                "-n",
                "20",
                "--node",
                node.url,
                "--branch",
                f"b{number}",
            )
            assert (code, document["results"]) == (0, _reference(team, commit, QUESTIONS[0]))


def _reference(team: NodeTeam, commit: str, question: str) -> Any:
    """What an index of a commit answers that was made from its files alone."""
    target = team.people.folder / "reference"
    if not target.is_dir():
        team.clone("reference")
    clone = Repository(target)
    clone.git("fetch", "--quiet", "upstream")
    clone.git("checkout", "--quiet", "--force", "--detach", commit)
    assert team.run("reference", "index", "--force").code == 0
    return team.run("reference", "search", question, "-n", "20", "--json").document["results"]
