"""Fifty clients on twenty branches while ten writers publish: each answer is that of an index made in place."""

import json
import random
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.command import Outcome, run
from support.repository import SMALL_PROJECT, Repository
from support.team_people import ORIGIN, People, invited

CLIENTS, WRITERS, BRANCHES, MINUTES = 50, 10, 20, 10
AT_ONCE = 8
QUESTIONS = ("where are tokens verified", "area of a shape", "limit_3", "shop/tokens.py")


@dataclass
class Storm:
    """A repository with its people, and what they have done."""

    folder: Path
    upstream: Repository
    done: "Counter[str]" = field(default_factory=Counter)
    expected: dict[str, Any] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    reference_lock: threading.Lock = field(default_factory=threading.Lock)

    def home(self, name: str) -> Path:
        return self.folder / f"{name}-home"

    def run(self, name: str, *arguments: str) -> Outcome:
        environment = {"CODECAIRN_HOME": str(self.home(name))}
        return run(*arguments, "--json", cwd=self.folder / name, environment=environment)

    def clone(self, name: str, home: str) -> Repository:
        """A clone of its own, and a home with the membership in another."""
        target = self.folder / name
        self.upstream.git("clone", "--quiet", str(self.upstream.root), str(target))
        made = Repository(target)
        made.git("remote", "rename", "origin", "upstream")
        made.git("remote", "add", "origin", ORIGIN)
        if home != name:
            shutil.copytree(self.home(home), self.home(name))
        return made

    def count(self, what: str) -> None:
        with self.lock:
            self.done[what] += 1

    def answers(self, name: str, question: str) -> Any:
        found = self.run(name, "search", question, "-n", "20")
        assert found.code == 0, found
        return found.document["results"]

    def reference(self, commit: str) -> Any:
        """What an index of a commit answers that was made from its files alone."""
        with self.reference_lock:
            if commit not in self.expected:
                reference = Repository(self.folder / "reference")
                reference.git("fetch", "--quiet", "upstream")
                reference.git("checkout", "--quiet", "--detach", commit)
                assert self.run("reference", "index", "--force").code == 0
                self.expected[commit] = {
                    question: self.answers("reference", question) for question in QUESTIONS
                }
            return self.expected[commit]


def _switch(clone: Repository, branch: str) -> str:
    """Check out the newest commit of a branch."""
    clone.git("fetch", "--quiet", "upstream")
    clone.git("checkout", "--quiet", "--force", "-B", branch, f"upstream/{branch}")
    return clone.git("rev-parse", "HEAD")


def _write(storm: Storm, name: str, draw: random.Random) -> None:
    """Change a file on some branch, push it, and publish its index."""
    clone, branch = Repository(storm.folder / name), f"b{draw.randrange(BRANCHES)}"
    _switch(clone, branch)
    number = draw.randrange(1_000)
    clone.write(
        f"shop/part{number % 7}.py",
        f'LIMIT_{number} = {number}\n\n\ndef limit_{number % 10}():\n    """The limit {number}."""\n',
    )
    clone.commit(f"limit {number}")
    try:
        clone.git("push", "--quiet", "upstream", branch)
    except AssertionError:
        storm.count("pushed too late")
        return
    published = storm.run(name, "index", "--publish", "shop")
    kind = "" if published.code == 0 else json.loads(published.out)["error"]["kind"]
    assert kind in {"", "remote-conflict"}, published
    storm.count(kind or "published")


def _read(storm: Storm, name: str, draw: random.Random) -> None:
    """Pull the index of some branch, and ask."""
    clone, branch = Repository(storm.folder / name), f"b{draw.randrange(BRANCHES)}"
    commit = _switch(clone, branch)
    pulled = storm.run(name, "pull")
    assert pulled.code == 0, pulled
    storm.count("pulled")
    question = draw.choice(QUESTIONS)
    assert storm.answers(name, question) == storm.reference(commit)[question], (commit, question)
    storm.count("answered")


def _begun(acme: People, folder: Path, writers: list[str], clients: list[str]) -> Storm:
    """The repository with its branches, all of them published, and the clones of all."""
    upstream = Repository.make(folder / "upstream")
    upstream.git("config", "receive.denyCurrentBranch", "ignore")
    upstream.write_all(SMALL_PROJECT)
    for number in range(30):
        upstream.write(
            f"shapes/shape{number}.py",
            f'def area_{number}(width, height):\n    """The area of shape {number}."""\n    return width * height\n',
        )
    upstream.commit("first")
    for number in range(BRANCHES):
        upstream.git("branch", f"b{number}")
    storm = Storm(folder, upstream)
    storm.clone("reference", "reference")
    for name, role in (("ann", "publisher"), ("bob", "reader")):
        storm.clone(name, name)
        acme(name, "team", "join", str(invited(acme, name, role)))
    for name in (*writers, *clients):
        storm.clone(name, "ann" if name in writers else "bob")
    for number in range(BRANCHES):
        _switch(Repository(storm.folder / writers[0]), f"b{number}")
        assert storm.run(writers[0], "index", "--publish", "shop").code == 0
    return storm


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_each_answer_is_that_of_an_index_made_in_place(
    acme: People, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    writers = [f"writer{number}" for number in range(WRITERS)]
    clients = [f"client{number}" for number in range(CLIENTS)]
    storm = _begun(acme, tmp_path, writers, clients)
    end_s = time.monotonic() + 60 * MINUTES
    idle = {name: threading.Lock() for name in (*writers, *clients)}

    def work(seed: int) -> None:
        draw = random.Random(seed)
        while time.monotonic() < end_s:
            name = draw.choice(writers if draw.random() < 0.3 else clients)
            if idle[name].acquire(blocking=False):
                try:
                    (_write if name in writers else _read)(storm, name, draw)
                finally:
                    idle[name].release()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for each in [pool.submit(work, seed) for seed in range(AT_ONCE)]:
            each.result()
    for what, times in (storm.done | Counter(commits=len(storm.expected))).items():
        record_property(what, times)
    assert storm.done["published"] > BRANCHES
    assert storm.done["answered"] > CLIENTS
