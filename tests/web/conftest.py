"""Real projects with a real memory, and the page that shows them."""

import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from codecairn import Workspace
from codecairn.web.app import Page, make_app
from codecairn.web.sessions import Sessions
from support.command import command
from support.repository import SMALL_PROJECT, Repository

PORT = 8477
ADDRESS = f"http://127.0.0.1:{PORT}"
PATIENCE_S = 60

FACTS = (
    ("decision", "We verify tokens in `shop/tokens.py` because gateways forward stale ones."),
    ("preference", "Use pytest with plain asserts."),
    ("error-solution", "A 401 after midnight is caused by the clock of the token service."),
)


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An indexed project with three facts and one session."""
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        for type_, text in FACTS:
            workspace.memory.add(text, type=type_)
        workspace.memory.record("s1", "how are tokens verified?", role="user", host="claude")
        workspace.memory.record("s1", "4 passed", role="tool", tool="Bash", command="pytest -q", exit_code=0)  # fmt: skip
    return repository


@dataclass
class Browser:
    """A signed-in client without a browser's own headers, unless they are given."""

    client: TestClient
    page: Page

    def get(self, path: str, status: int = 200) -> str:
        """The text of a page."""
        answer = self.client.get(path, follow_redirects=False)
        assert answer.status_code == status, answer.text
        return answer.text

    @property
    def csrf(self) -> str:
        """The token of this session's forms."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.get("/"))
        assert found is not None
        return found[1]

    def post(self, path: str, status: int = 303, **fields: str | list[str]) -> str:
        """Send a form of the page; the text of the answer, or where it leads."""
        answer = self.client.post(
            path,
            data={"csrf": self.csrf, **fields},
            headers={"origin": ADDRESS},
            follow_redirects=False,
        )
        assert answer.status_code == status, answer.text
        return answer.headers.get("location", answer.text)


@contextmanager
def browsing(here: Path | None, *, is_read_only: bool = False) -> Iterator[Browser]:
    """The page of this folder's project, and a client that is signed in."""
    sessions = Sessions(PORT)
    page = make_app(port=PORT, here=here, is_read_only=is_read_only, sessions=sessions)
    client = TestClient(page, base_url=ADDRESS)
    assert client.get(f"/open?token={sessions.new_link()}").status_code == 200
    try:
        yield Browser(client, page)
    finally:
        page.close()


@pytest.fixture
def browser(project: Repository) -> Iterator[Browser]:
    """A client that is signed in to the page of `project`."""
    with browsing(project.root) as opened:
        yield opened


@dataclass
class Served:
    """`codecairn serve` as a process of its own."""

    process: "subprocess.Popen[bytes]"
    log: Path
    address: str

    def link(self) -> str:
        """The newest link that was printed."""
        return re.findall(r"link: (\S+)\n", self.log.read_text())[-1]

    def stop(self, signal_number: int) -> int:
        """End it by a signal; its exit code."""
        self.process.send_signal(signal_number)
        return self.process.wait(PATIENCE_S)


@contextmanager
def serving(root: Path, log: Path, *arguments: str) -> Iterator[Served]:
    """Runs `codecairn serve` on any free port in a project."""
    with log.open("wb") as opened:
        process = subprocess.Popen(
            command("serve", "--port", "0", *arguments), cwd=root,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=opened,
        )  # fmt: skip
        try:
            yield Served(process, log, _address(process, log))
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    for _ in range(PATIENCE_S * 20):
        found = re.search(r"serving at (\S+);.*\nlink: \S+\n", log.read_text())
        if found is not None:
            return found[1]
        assert process.poll() is None, log.read_text()
        time.sleep(0.05)
    raise AssertionError(log.read_text())


def hook(root: Path, event: str, **payload: object) -> None:
    """What a host sends at an event, by the command that it starts."""
    document = {"session_id": "s2", "cwd": str(root), "hook_event_name": event, **payload}
    subprocess.run(
        command("hook", "--wait", "claude", event), input=json.dumps(document).encode(), cwd=root,
        check=True, capture_output=True, timeout=PATIENCE_S,
    )  # fmt: skip
