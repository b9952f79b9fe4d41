"""A watch with a provider: new texts are embedded as they come, and taking in changes never waits for that."""

import queue
import threading
import time
from collections.abc import Callable

import pytest

from codecairn import Workspace
from codecairn.indexing.watch import Update
from contract.conftest import FUNCTIONS, SETUPS, Opener, function
from support.provider_server import Fault, ProviderServer
from support.watched import PATIENCE_S

OPENAI = SETUPS[0]


def _until(holds: Callable[[], bool]) -> None:
    ends_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < ends_s
        time.sleep(0.02)


def _pending(workspace: Workspace) -> int:
    status = workspace.status().embedding
    assert status is not None
    return status.state.pending


def test_watch_has_new_texts_embedded_and_says_once_where_they_go(
    server: ProviderServer, open_with: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    workspace = open_with(OPENAI)
    monkeypatch.setattr(workspace, "_notify", told.append)
    with workspace.watch():
        _until(lambda: len(server.embedded) >= FUNCTIONS and _pending(workspace) == 0)
        for number in (FUNCTIONS, FUNCTIONS + 1):
            (workspace.root / f"later{number}.py").write_text(function(number))
            _until(lambda: f"compute_{number}(" in "".join(server.embedded))  # noqa: B023
        _until(lambda: _pending(workspace) == 0)
    assert len(server.embedded) == len(set(server.embedded))
    assert len(told) == 1
    assert server.url in told[0]
    asked = len(server.embeddings)
    report = workspace.index().embedding
    assert report is not None
    assert (report.embedded, len(server.embeddings)) == (0, asked)


def test_changes_are_taken_in_while_the_provider_is_slow_and_closing_does_not_wait(
    server: ProviderServer, open_with: Opener
) -> None:
    entered, held = threading.Event(), threading.Event()

    def wait(_number: int, _texts: list[str]) -> Fault | None:
        entered.set()
        held.wait(PATIENCE_S)
        return None

    server.fault = wait
    workspace = open_with(OPENAI)
    updates: queue.Queue[Update] = queue.Queue()
    try:
        with workspace.watch(on_update=updates.put):
            assert updates.get(timeout=PATIENCE_S).paths is None
            assert entered.wait(PATIENCE_S)
            (workspace.root / "later.py").write_text(function(FUNCTIONS))
            assert updates.get(timeout=PATIENCE_S).report.added == 1
        assert not held.is_set()
    finally:
        held.set()
    assert _pending(workspace) >= FUNCTIONS


def test_failure_is_told_once_and_what_waits_is_embedded_once_the_provider_is_back(
    server: ProviderServer, open_with: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codecairn.indexing.watch_embedding.FIRST_RETRY_S", 0.05)
    server.fault = lambda _number, _texts: Fault(status=500)
    told: list[str] = []
    workspace = open_with(OPENAI, embedding__retries=0, embedding__concurrency=1)
    monkeypatch.setattr(workspace, "_notify", told.append)

    def stopped() -> list[str]:
        return [text for text in told if "embedding stopped: openai answered 500" in text]

    with workspace.watch() as watch:
        _until(lambda: bool(stopped()))
        asked = len(server.embeddings)
        _until(lambda: len(server.embeddings) > asked)
        server.fault = lambda _number, _texts: None
        _until(lambda: _pending(workspace) == 0)
        assert watch.error is None
    assert len(stopped()) == 1
    assert len(server.embedded) == len(set(server.embedded))


def test_text_that_failed_by_itself_is_sent_again_without_anything_having_changed(
    server: ProviderServer, open_with: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codecairn.indexing.watch_embedding.FIRST_RETRY_S", 0.05)
    alone: list[list[str]] = []

    def refuse_the_first_that_comes_alone(_number: int, texts: list[str]) -> Fault | None:
        if alone:
            return None
        if len(texts) == 1:
            alone.append(texts)
        return Fault(status=500)

    server.fault = refuse_the_first_that_comes_alone
    workspace = open_with(OPENAI, embedding__retries=0, embedding__concurrency=1)
    with workspace.watch() as watch:
        _until(lambda: bool(alone))
        _until(lambda: _pending(workspace) == 0)
        assert watch.error is None
    assert alone[0][0] in server.embedded


def test_used_up_budget_ends_sending_and_not_the_watch(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(OPENAI, embedding__max_tokens=300, embedding__batch_texts=2)
    updates: queue.Queue[Update] = queue.Queue()
    with workspace.watch(on_update=updates.put):
        updates.get(timeout=PATIENCE_S)
        _until(lambda: bool(server.embedded))
        for number in range(FUNCTIONS, FUNCTIONS + 3):
            (workspace.root / f"later{number}.py").write_text(function(number))
            assert updates.get(timeout=PATIENCE_S).report.added == 1
    assert sum(len(text) // 4 + 1 for text in server.embedded) <= 300
