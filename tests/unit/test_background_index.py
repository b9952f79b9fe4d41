"""The index of a server is brought up to date in the background: calls learn how far it is, and no failure ends it."""

import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from codecairn.errors import CodecairnError, IndexLocked
from codecairn.hooks import processes
from codecairn.mcp import background_index
from codecairn.mcp.background_index import BackgroundIndex, Progress

Note = Callable[[str, int, int], None]


class _Indexed:
    """A workspace whose index is made by `work`."""

    def __init__(self, work: Callable[[Note], None], *, looks_after: bool = False) -> None:
        self.root = Path("/project")
        self.settings = SimpleNamespace(hooks_background=looks_after)
        self.runs = 0
        self._work = work

    def pull_first(self, *, progress: Note) -> None:
        """No shared index is set up."""

    def index(self, *, progress: Note) -> None:
        self.runs += 1
        self._work(progress)


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """No workspace of these tests has an index; what would be started in the background is noted."""
    found: list[tuple[str, str]] = []
    monkeypatch.setattr(background_index, "_is_indexed", lambda _: False)
    monkeypatch.setattr(processes, "start", lambda kind, root: found.append((kind, root)))
    return found


@pytest.fixture
def run() -> Iterator[Callable[[_Indexed], BackgroundIndex]]:
    """Begins an index, which is closed at the end of the test."""
    begun: list[BackgroundIndex] = []

    def begin(workspace: _Indexed) -> BackgroundIndex:
        index = BackgroundIndex(workspace)  # type: ignore[arg-type]
        begun.append(index)
        index.start()
        return index

    yield begin
    for each in begun:
        each.close()


def _forever(note: Note) -> None:
    while True:
        note("parsing", 3, 10)


Run = Callable[[_Indexed], BackgroundIndex]


def test_call_that_waits_is_told_how_far_the_first_index_is(run: Run) -> None:
    is_under_way = threading.Event()

    def work(note: Note) -> None:
        note("parsing", 3, 10)
        is_under_way.set()
        _forever(note)

    index = run(_Indexed(work))
    assert is_under_way.wait(30)
    assert str(index.wait(0.1, is_cancelled=lambda: False)) == "parsing, 3 of 10"
    assert index.wait(60, is_cancelled=lambda: True) == index.progress
    assert str(Progress()) == "starting"


def test_call_goes_on_once_there_is_an_index(run: Run, started: list[tuple[str, str]]) -> None:
    workspace = _Indexed(lambda _: None)
    index = run(workspace)
    index.start()
    assert index.wait(60, is_cancelled=lambda: False) is None
    index.close()
    assert (workspace.runs, index.progress, started) == (1, None, [])


def test_index_that_is_there_is_searched_while_it_is_brought_up_to_date(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_index, "_is_indexed", lambda _: True)
    index = run(_Indexed(_forever))
    assert index.wait(60, is_cancelled=lambda: False) is None


def test_failure_is_left_to_the_calls_that_find_it(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(_note: Note) -> None:
        raise IndexLocked("another process is writing")

    with caplog.at_level(logging.INFO):
        index = run(_Indexed(failing))
        assert index.wait(60, is_cancelled=lambda: False) is None
        index.close()
    assert "not brought up to date: another process is writing" in caplog.text


def test_memory_is_looked_after_once_the_index_is_made(
    run: Run, started: list[tuple[str, str]]
) -> None:
    index = run(_Indexed(lambda _: None, looks_after=True))
    assert index.wait(60, is_cancelled=lambda: False) is None
    index._thread.join()
    assert started == [("work", "/project")]


@pytest.mark.parametrize("err", [OSError("no more processes"), CodecairnError("no memory")])
def test_memory_that_can_not_be_looked_after_is_noted(
    run: Run, err: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(_kind: str, _root: str) -> None:
        raise err

    monkeypatch.setattr(processes, "start", failing)
    with caplog.at_level(logging.INFO):
        index = run(_Indexed(lambda _: None, looks_after=True))
        index._thread.join()
    assert f"the memory was not looked after: {err}" in caplog.text


def test_server_that_ends_breaks_off_what_runs_and_starts_nothing(
    run: Run, started: list[tuple[str, str]]
) -> None:
    index = run(_Indexed(_forever, looks_after=True))
    index.close()
    assert not index._thread.is_alive()
    assert (index.progress, started) == (None, [])
