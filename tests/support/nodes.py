"""Search nodes as processes of their own, for a team whose people share one repository."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from codecairn.clock import SystemClock
from codecairn.team.membership import Membership
from codecairn.team.request_signature import new_request
from support.command import Outcome, command, run
from support.repository import SMALL_PROJECT, Repository
from support.team_people import ORIGIN, People, invited

START_S = 60
TESTS = str(Path(__file__).parents[1])


class Node:
    """A node, which can be killed and started again at the same port.

    Attributes:
        home: Its home folder.
        url: Its address.
    """

    def __init__(
        self, home: Path, source: str, *options: str, environment: Mapping[str, str] | None = None
    ) -> None:
        self.home = home
        self._source = source
        self._options = options
        self._environment = dict(environment or {})
        self.port = 0
        self.process: subprocess.Popen[str] | None = None
        self.log = home / "log"
        self.start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def folder(self) -> Path:
        """Where its cache lies."""
        return self.home / "data" / "node"

    def start(self, *, dies_at: int | None = None, wait_s: float | None = None) -> None:
        """Start it, and wait until it answers.

        Args:
            dies_at: The step of preparing a commit that it dies at.
            wait_s: How long its requests wait for a commit.
        """
        program = command()
        if dies_at is not None:
            program = [sys.executable, "-m", "support.dying_node", str(dies_at)]
        if wait_s is not None:
            program = [sys.executable, "-m", "support.impatient_node", str(wait_s)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    *program, "node", "--listen", f"127.0.0.1:{self.port}", "--clone", f"shop={self._source}",
                    *self._options,
                ],
                cwd=self.home, env=os.environ | {"CODECAIRN_HOME": str(self.home), "PYTHONPATH": TESTS} | self._environment, stderr=log,
                stdout=subprocess.DEVNULL, text=True, start_new_session=True,
            )  # fmt: skip
        end_s = time.monotonic() + START_S
        while True:
            found = re.search(r"answering at https?://\S+:(\d+);", self.log.read_text())
            if found:
                self.port = int(found[1])
                return
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < end_s, self.log.read_text()
            time.sleep(0.02)

    def kill(self, *, with_git: bool = False) -> None:
        """End it at once, wherever it is; `with_git` also what it has started."""
        if self.process is not None:
            pids = _with_children(self.process.pid) if with_git else [self.process.pid]
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait(30)
            self.process = None

    def stop(self) -> int:
        """End it as an operator does; returns its exit code."""
        assert self.process is not None
        self.process.terminate()
        code = self.process.wait(30)
        self.process = None
        assert "Traceback" not in self.log.read_text(), self.log.read_text()
        return code

    def post(
        self, path: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, dict[str, Any], dict[str, str]]:
        """The status, the document and the headers of an answer."""
        request = urllib.request.Request(self.url + path, data=body, headers=headers, method="POST")
        return _answer(request)

    def status(self) -> dict[str, Any]:
        """What anyone may know of it."""
        code, document, _ = _answer(urllib.request.Request(self.url + "/v1/status"))
        assert code == 200
        return document


def _with_children(pid: int) -> list[int]:
    """A process and all that it has started, also in sessions of their own."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], check=True, capture_output=True, text=True
    ).stdout
    pairs = [line.split() for line in listed.splitlines()]
    found = [pid]
    for each in found:
        found += [int(child) for child, parent in pairs if int(parent) == each]
    return found


def signed_headers(
    member: Membership,
    node: Node,
    path: str,
    *,
    method: str = "POST",
    body: bytes = b"",
    name: str = "",
    seconds: int = 0,
) -> dict[str, str]:
    """The headers of a request that a member signs for a node, or for one of another name, some seconds from now."""
    request = new_request(
        member,
        method=method,
        path=path,
        body=body,
        node=name or f"127.0.0.1:{node.port}",
        time_s=SystemClock().now_ns() // 10**9 + seconds,
    )
    return request.headers(member)


def _answer(request: urllib.request.Request) -> tuple[int, dict[str, Any], dict[str, str]]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as response:
            return response.status, json.load(response), dict(response.headers)
    except urllib.error.HTTPError as err:
        with err:
            return err.code, json.loads(err.read()), dict(err.headers)


class NodeTeam:
    """A team with the repository `shop`: ann publishes, bob asks, and `node1` and `node2` are members who run nodes.

    Attributes:
        people: Runs commands in this process.
        upstream: What all clone, and nodes fetch.
    """

    def __init__(self, people: People, members: Sequence[str] = ("node1", "node2")) -> None:
        self.people = people
        self.upstream = Repository.make(people.folder / "upstream")
        self.upstream.git("config", "receive.denyCurrentBranch", "ignore")
        self.upstream.write_all(SMALL_PROJECT)
        self.upstream.commit("first")
        for name, role in (("ann", "publisher"), ("bob", "reader")):
            self.clone(name)
            people(name, "team", "join", str(invited(people, name, role)))
        for name in members:
            people(name, "team", "join", str(invited(people, name, "reader")))
        self.nodes: list[Node] = []

    def clone(self, name: str) -> Repository:
        """A fresh clone of a person."""
        target = self.people.folder / name
        self.upstream.git("clone", "--quiet", str(self.upstream.root), str(target))
        made = Repository(target)
        made.git("remote", "rename", "origin", "upstream")
        made.git("remote", "add", "origin", ORIGIN)
        return made

    def node(
        self,
        name: str,
        *options: str,
        source: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Node:
        """A node of a member, which is ended with the team."""
        address = source or str(self.upstream.root)
        made = Node(self.people.home(name), address, *options, environment=environment)
        self.nodes.append(made)
        return made

    def run(self, name: str, *arguments: str) -> Outcome:
        """Run a command of a person in a process of its own."""
        environment = {"CODECAIRN_HOME": str(self.people.home(name))}
        return run(*arguments, cwd=self.people.folder / name, environment=environment)

    def push(
        self, files: dict[str, str], *, branch: str = "main", is_published: bool = True
    ) -> str:
        """Have ann commit files, push them and publish their index; returns the commit."""
        ann = self.people.clone("ann")
        if ann.git("branch", "--show-current") != branch:
            ann.git("checkout", "--quiet", "-B", branch)
        ann.write_all(files)
        commit = ann.commit("change")
        ann.git("push", "--quiet", "--force", "upstream", branch)
        if is_published:
            self.people("ann", "index", "--publish", "shop")
        return commit

    def follow(self, commit: str, *, name: str = "bob", branch: str = "main") -> None:
        """Have a person check out a commit."""
        clone = self.people.clone(name)
        clone.git("fetch", "--quiet", "upstream")
        clone.git("checkout", "--quiet", "--force", "-B", branch, commit)

    def local(self, commit: str, *words: str, branch: str = "main") -> Any:
        """What an index answers that is made from the files of a commit alone."""
        name = f"reference-{commit[:8]}-{branch}"
        if not (self.people.folder / name).is_dir():
            self.clone(name)
            self.follow(commit, name=name, branch=branch)
        return self.people(name, *words)

    def close(self) -> None:
        """End the nodes."""
        for node in self.nodes:
            node.kill()
