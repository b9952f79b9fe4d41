"""The outer edge of a hook: whatever fails, its host gets an answer in time and exit code 0."""

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from codecairn.hooks import call, processes
from hooks.fixtures import PROMPT, events_of, hooks_log
from support.repository import Repository


class _Left(BaseException):
    """Raised in place of the end of the process."""


@pytest.fixture(autouse=True)
def _left(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(code: int) -> None:
        raise _Left(code)

    monkeypatch.setattr(call, "leave", leave)


@pytest.fixture
def send() -> Iterator[Callable[[bytes], None]]:
    """Puts what a host sends into standard input."""
    before = os.dup(0)

    def put(raw: bytes) -> None:
        reading, writing = os.pipe()
        os.write(writing, raw)
        os.close(writing)
        os.dup2(reading, 0)
        os.close(reading)

    yield put
    os.dup2(before, 0)
    os.close(before)


def _served(*arguments: str) -> int:
    """The exit code of a call."""
    with pytest.raises(_Left) as left:
        call.main(["--wait", *arguments])
    (code,) = left.value.args
    assert isinstance(code, int)
    return code


def _failing(*_arguments: object, **_options: object) -> Any:
    raise RuntimeError("out of order")


def _prompt(project: Repository) -> bytes:
    payload = {"session_id": "s-1", "cwd": str(project.root), "prompt": PROMPT, "prompt_id": "p-1"}
    return json.dumps(payload).encode()


def test_failure_of_the_core_is_logged_and_answered_with_nothing(
    send: Callable[[bytes], None],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("codecairn._native.hook", _failing)
    send(b"{}")
    assert _served("claude", "Stop") == 0
    assert capfd.readouterr() == ("{}", "")
    assert "claude Stop: RuntimeError: out of order" in hooks_log()


def test_event_without_an_end_is_not_read_to_it(
    send: Callable[[bytes], None],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(call, "_MAX_BYTES", 10)
    send(b"{" + b" " * 10)
    assert _served("codex", "Stop") == 0
    assert capfd.readouterr() == ("{}", "")
    assert "codex Stop: ValueError: the event is too large" in hooks_log()


def test_process_that_can_not_be_started_is_logged_after_the_answer(
    send: Callable[[bytes], None],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    answer = ('{"continue": true}', ("work", "/project"))
    monkeypatch.setattr("codecairn._native.hook", lambda *_, **__: answer)
    monkeypatch.setattr(processes, "start", _failing)
    send(b"{}")
    assert _served("claude", "SessionStart") == 0
    assert capfd.readouterr() == ('{"continue": true}', "")
    assert "claude SessionStart: RuntimeError: out of order" in hooks_log()


def test_event_of_a_host_that_reads_no_answer_is_recorded(
    project: Repository, send: Callable[[bytes], None]
) -> None:
    send(_prompt(project))
    before = os.dup(1)
    reading, writing = os.pipe()
    os.close(reading)
    os.dup2(writing, 1)
    os.close(writing)
    try:
        assert _served("claude", "UserPromptSubmit") == 0
    finally:
        os.dup2(before, 1)
        os.close(before)
    assert [event.body for event in events_of(project)] == [PROMPT]


def test_failure_that_can_not_be_logged_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codecairn._native.hooks_log", _failing)
    call.Call("claude", "Stop", 0).log("without a core")


def test_host_is_answered_once(capfd: pytest.CaptureFixture[str]) -> None:
    one = call.Call("claude", "Stop", 0)
    assert [one.answer("first"), one.answer("second")] == [True, False]
    assert call.Call("claude", "Stop", 1).answer("its host was answered long ago")
    assert capfd.readouterr().out == "first"


def test_call_that_the_deadline_has_ended_waits_until_its_event_is_handed_over(
    send: Callable[[bytes], None],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(call.time, "sleep", waits.append)
    monkeypatch.setattr(call.Call, "answer", lambda *_: False)
    send(b"{}")
    assert _served("claude", "Stop") == 0
    assert waits == [call.DEADLINE_S]
    assert capfd.readouterr().out == ""


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], bytes]]:
    """What the deadline has handed to other processes."""
    given: list[tuple[list[str], bytes]] = []
    monkeypatch.setattr(call, "DEADLINE_S", 0.0)
    monkeypatch.setattr(processes, "hand_over", lambda *each: given.append(each))
    return given


def _watched(event: call.Call) -> None:
    with pytest.raises(_Left, match="0"):
        call._watch(event)


def test_deadline_hands_over_what_was_read_and_is_not_recorded(
    handed_over: list[tuple[list[str], bytes]], capfd: pytest.CaptureFixture[str]
) -> None:
    unread, recorded, read = (call.Call("claude", "Stop", 0) for _ in range(3))
    recorded.raw = read.raw = b"{}"
    recorded.note_recorded()
    for each in (unread, recorded, read):
        _watched(each)
    assert handed_over == [([str(read.happened_ms), "claude", "Stop"], b"{}")]
    assert capfd.readouterr().out == call.NEUTRAL * 3
    assert hooks_log().count("claude Stop: not done within 0 ms") == 3


def test_deadline_leaves_a_call_alone_that_was_answered(
    handed_over: list[tuple[list[str], bytes]],
) -> None:
    answered = call.Call("claude", "Stop", 0)
    answered.raw = b"{}"
    answered.answer("{}")
    call._watch(answered)
    assert (handed_over, hooks_log()) == ([], "")
