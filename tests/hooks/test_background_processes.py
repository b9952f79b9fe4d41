"""Processes in the background: what is started, how often, with what of the host's, and what they do."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.core import isolation
from codecairn.hooks import background, processes
from hooks.fixtures import hooks_log
from support.repository import Repository


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[str]]]:
    """The commands that would be started."""
    commands: list[list[str]] = []
    inputs: list[int] = []

    def start(command: list[str], *, stdin: int | None = None) -> None:
        commands.append(command)
        if stdin is not None:
            inputs.append(os.dup(stdin))  # or else there is no reader of the event

    monkeypatch.setattr(processes, "_start", start)
    yield commands
    for each in inputs:
        os.close(each)


def test_project_is_looked_after_by_one_process_at_a_time_for_each_kind(
    started: list[list[str]],
) -> None:
    for kind in ("work", "work", "quiet", "quiet"):
        processes.start(kind, "/project")
    processes.start("work", "/another")
    look_after = isolation.command_line("--background", "/project")
    assert started == [
        look_after,
        [*look_after, "when-quiet"],
        isolation.command_line("--background", "/another"),
    ]


_REPORT = (
    "import os, sys; out = open(sys.argv[1] + '.part', 'w'); "
    "print(sys.stdin.read(), os.getcwd(), 'PYTHONPATH' in os.environ, os.getsid(0) == os.getpid(), file=out); "
    "print('noise'); print('noise', file=sys.stderr); out.close(); os.rename(out.name, sys.argv[1])"
)


@pytest.mark.skipif(sys.platform == "win32", reason="`posix_spawn` exists on POSIX only")
@pytest.mark.filterwarnings("ignore:.*Popen:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("system", ["as it is", "without sessions", "without spawn"])
def test_process_reads_its_event_and_has_nothing_else_of_the_host_s(
    system: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    spawn = os.posix_spawn

    def without_sessions(*arguments: object, setsid: bool = False, **options: object) -> int:
        if setsid:
            raise NotImplementedError
        return spawn(*arguments, **options)  # type: ignore[arg-type]

    if system == "without sessions":
        monkeypatch.setattr(os, "posix_spawn", without_sessions)
    elif system == "without spawn":
        monkeypatch.delattr(os, "posix_spawn")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    written = tmp_path / "written"
    monkeypatch.setattr(processes, "_SCRIPT", str(tmp_path / "script.py"))
    (tmp_path / "script.py").write_text(_REPORT.replace("sys.argv[1]", repr(str(written))))
    processes.hand_over(["17", "claude", "Stop"], b"the event")
    for _ in range(600):
        if written.exists():
            break
        threading.Event().wait(0.05)
    has_session = system == "as it is"
    assert written.read_text() == f"the event {tmp_path} False {has_session}\n"
    assert capfd.readouterr() == ("", "")


def test_of_many_late_events_some_are_given_up(started: list[list[str]]) -> None:
    for number in range(5):
        processes.hand_over([str(number), "claude", "Stop"], b"{}")
    late = [command[-4:] for command in started]
    assert late == [["--late", str(number), "claude", "Stop"] for number in range(4)]
    assert "claude Stop: given up, too many are late" in hooks_log()


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of a background process, without its priority and its end after a quarter of an hour."""
    monkeypatch.setattr(os, "nice", lambda _: None, raising=False)
    monkeypatch.setattr(threading.Timer, "start", lambda _: None)


@pytest.mark.usefixtures("in_this_process")
def test_failure_in_the_background_is_logged(tmp_path: Path) -> None:
    background.main([str(tmp_path / "gone")])
    assert "background: " in hooks_log()
    assert "gone" in hooks_log()


@pytest.mark.usefixtures("in_this_process")
def test_session_that_goes_on_is_read_after_the_cooldown_of_the_settings(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setenv("CODECAIRN_EXTRACTION_COOLDOWN_S", "7")
    monkeypatch.setenv("CODECAIRN_EXTRACTION_PROVIDERS", "anthropic")
    with Workspace.open(project.root) as workspace:
        workspace.memory.record("s-1", "tokens are verified by the shop", role="user")
    background.main([str(project.root), processes.WHEN_QUIET])
    assert waits == [7]
    assert "there is no key for anthropic" in hooks_log()
