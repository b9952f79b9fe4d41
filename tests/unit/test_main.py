"""The outer edge of the command line: every failure has an exit code and a message, and none a traceback by default."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from codecairn.cli import app, main
from codecairn.cli.output import OutputFailed, ReaderLeft
from codecairn.errors import Cancelled, NotIndexed, UsageError


def _failing(monkeypatch: pytest.MonkeyPatch, err: BaseException) -> None:
    def run(_arguments: list[str]) -> int:
        raise err

    monkeypatch.setattr(app, "run", run)


@pytest.fixture(autouse=True)
def _streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is given up at the outer edge is not this process's own output."""
    monkeypatch.setattr(main, "_abandon_stdout", lambda: None)


@pytest.mark.parametrize(
    ("err", "code", "message"),
    [
        (UsageError("no such thing", hint="name another"), 2, "error: no such thing\nhint: name another\n"),
        (NotIndexed("no index"), 1, "error: no index\n"),
        (KeyboardInterrupt(), 130, "interrupted; what was done before is kept\n"),
        (Cancelled("stopped"), Cancelled.exit_code, "interrupted; what was done before is kept\n"),
        (BrokenPipeError(), 0, ""),
        (ReaderLeft(), 0, ""),
        (
            OutputFailed("No space left on device"),
            1,
            "error: the result can't be written: No space left on device\n"
            "hint: free some space, or write it elsewhere\n",
        ),
        (
            ValueError("a \x1b[31mname"),
            1,
            "error: internal error: ValueError: a \\x1b[31mname\n"
            "hint: please report it; `CODECAIRN_DEBUG=1` shows the traceback\n",
        ),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, BaseException) else "",
)  # fmt: skip
def test_failure_is_an_exit_code_and_a_message(
    err: BaseException,
    code: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv(main.DEBUG_VARIABLE, raising=False)
    _failing(monkeypatch, err)
    assert main.main(["status"]) == code
    out, shown = capsys.readouterr()
    assert (out, shown.startswith(message)) == ("", True)
    assert "Traceback" not in shown


@pytest.mark.parametrize("err", [ValueError("x"), NotIndexed("x"), Cancelled("x")])
def test_traceback_is_shown_where_it_is_asked_for(
    err: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(main.DEBUG_VARIABLE, "1")
    _failing(monkeypatch, err)
    main.main(["status"])
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "has_document"),
    [
        (["status", "--json"], True),
        (["search", "--jsonl", "x"], True),
        (["status"], False),
        (["search", "--", "--json"], False),
    ],
)
def test_failure_is_a_document_where_documents_are_asked_for(
    arguments: list[str],
    has_document: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _failing(monkeypatch, UsageError("no such thing", hint="name another"))
    assert main.main(arguments) == 2
    out = capsys.readouterr().out
    assert bool(out) is has_document
    if has_document:
        error = json.loads(out)["error"]
        assert (error["message"], error["hint"]) == ("no such thing", "name another")


class _Full(io.StringIO):
    def write(self, _text: str) -> int:
        raise OSError(28, "No space left on device")


def test_failure_that_can_be_written_nowhere_keeps_its_exit_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _failing(monkeypatch, UsageError("no such thing"))
    monkeypatch.setattr(sys, "stdout", _Full())
    monkeypatch.setattr(sys, "stderr", _Full())
    assert main.main(["status", "--json"]) == 2


@pytest.mark.parametrize("is_alone", [True, False])
def test_process_ends_with_the_code_whether_or_not_threads_run(
    is_alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    class Left(BaseException):
        pass

    def leave(code: int) -> None:
        raise Left(code)

    monkeypatch.setattr(main, "main", lambda: 7)
    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(threading, "active_count", lambda: 1 if is_alone else 2)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    sys.stdout.close()
    with pytest.raises(Left if is_alone else SystemExit) as left:
        main.command()
    assert left.value.args == (7,)


def test_event_of_a_host_is_served_before_the_command_line_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from codecairn.hooks import call

    class Served(BaseException):
        pass

    def serve(arguments: list[str]) -> None:
        raise Served(*arguments)

    monkeypatch.setattr(call, "main", serve)
    with pytest.raises(Served) as served:
        main.main(["hook", "claude", "Stop"])
    assert served.value.args == ("claude", "Stop")
    _failing(monkeypatch, UsageError("an option is the command line's"))
    assert main.main(["hook", "--help", "Stop"]) == 2


@pytest.mark.parametrize("name", ["stdin", "stdout", "stderr"])
def test_stream_that_is_closed_is_opened_on_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = ("stdin", "stdout", "stderr").index(name)
    kept = os.dup(number)
    os.close(number)
    try:
        monkeypatch.setattr(sys, name, None)
        main._prepare_streams()
        stream = getattr(sys, name)
        assert stream.fileno() == number
        assert os.fstat(number).st_rdev == Path(os.devnull).stat().st_rdev
        if number == 0:
            assert stream.read() == ""
        else:
            stream.write("into nothing")
            stream.flush()
        stream.close()
    finally:
        os.dup2(kept, number)
        os.close(kept)
