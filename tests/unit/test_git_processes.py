"""git ends in time, with all that it started, and its errors show no credentials."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from codecairn.core.git import git, start
from codecairn.errors import HistoryUnavailable
from support.repository import Repository

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")

ADDRESS = "ssh://ann:pass-word@git.example.com/x.git"
FETCH = ("fetch", "--end-of-options", ADDRESS, "+refs/heads/*:refs/remotes/origin/*")


@pytest.fixture
def hanging_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in the place of ssh that never answers; the file in which it leaves its process id."""
    program, number = tmp_path / "ssh", tmp_path / "pid"
    program.write_text(f"#!/bin/sh\necho $$ >{number}.new\nmv {number}.new {number}\nsleep 15\n")
    program.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    return number


def _wait_for(number: Path) -> int:
    end_s = time.monotonic() + 10
    while not number.exists():
        assert time.monotonic() < end_s
        time.sleep(0.02)
    return int(number.read_text())


def _has_ended(pid: int) -> bool:
    end_s = time.monotonic() + 5
    while time.monotonic() < end_s:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_git_that_takes_too_long_ends_with_what_it_started(
    repository: Repository, hanging_ssh: Path
) -> None:
    began_s = time.monotonic()
    with pytest.raises(HistoryUnavailable, match="git timed out after 1 s") as caught:
        git(repository.root, *FETCH, timeout_s=1)
    assert time.monotonic() - began_s < 5
    assert "pass-word" not in caught.value.message
    assert "fetch" not in caught.value.message
    assert _has_ended(_wait_for(hanging_ssh))


def test_git_ends_with_what_it_started_when_a_person_interrupts(
    repository: Repository, hanging_ssh: Path
) -> None:
    def interrupt() -> None:
        _wait_for(hanging_ssh)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    began_s = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        git(repository.root, *FETCH)
    assert time.monotonic() - began_s < 5
    assert _has_ended(_wait_for(hanging_ssh))


def test_another_thread_can_end_it(repository: Repository, hanging_ssh: Path) -> None:
    with start(repository.root, *FETCH) as running:

        def end() -> None:
            _wait_for(hanging_ssh)
            running.kill()

        threading.Thread(target=end).start()
        began_s = time.monotonic()
        with pytest.raises(HistoryUnavailable):
            running.output()
    assert time.monotonic() - began_s < 5
    assert _has_ended(_wait_for(hanging_ssh))


def test_what_git_complains_of_is_shown_without_credentials(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ssh"
    program.write_text(f"#!/bin/sh\necho 'fatal: no way to {ADDRESS}' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    with pytest.raises(HistoryUnavailable, match=r"no way to ssh://git\.example\.com/"):
        git(repository.root, *FETCH)


def test_what_git_prints_in_pieces_ends_in_time_and_with_its_failure(
    repository: Repository,
) -> None:
    with (
        start(repository.root, "cat-file", "--batch", is_fed=True) as running,
        pytest.raises(HistoryUnavailable, match=r"git timed out after 0\.3 s"),
    ):
        list(running.chunks(timeout_s=0.3))
    with (
        start(repository.root, "ls-tree", "-r", "no-such-commit") as running,
        pytest.raises(HistoryUnavailable, match="Not a valid object name"),
    ):
        list(running.chunks())
