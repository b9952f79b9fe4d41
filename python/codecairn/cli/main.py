"""The entry point: runs the command line and turns every outcome into an exit code and a short message.

Exit codes: 0 done (also without hits), 1 the request failed, 2 the request was wrong, 130 interrupted.

Every command and every event of a host starts here, so this imports built-in modules alone, and its functions the rest.
"""

import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

DEBUG_VARIABLE = "CODECAIRN_DEBUG"


def command() -> "NoReturn":
    """The program `codecairn`: runs the command line and ends the process."""
    code = main()
    threading = sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        # All is closed and flushed. Taking the interpreter apart would take as long as a short command's own work.
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            pass  # the exit code is all that can still be reported
        os._exit(code)
    sys.exit(code)


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run the command line and return its exit code; a traceback is shown only with `CODECAIRN_DEBUG=1`."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["hook"] and len(given) == 3 and not given[1].startswith("-"):
        from codecairn.hooks.call import main as serve

        serve(given[1:])  # a host waits for it: nothing of the command line is loaded
    try:
        _prepare_streams()
        return _guarded(lambda: _run(given), _Report(given))
    except KeyboardInterrupt:
        _say("interrupted; what was done before is kept")
        return 130


def _run(arguments: list[str]) -> int:
    from codecairn.cli.app import run

    return run(arguments)


class _Report:
    """Reports a failure: on stderr for people and, where machine output was asked for, as a document on stdout."""

    def __init__(self, given: list[str]) -> None:
        from codecairn.cli.output import document_count

        self._printed_before = document_count()
        options = given[: given.index("--")] if "--" in given else given
        self._indent = 2 if "--json" in options else None
        self._has_document = "--json" in options or "--jsonl" in options

    def error(self, kind: str, message: str, hint: str) -> None:
        from codecairn.cli import output

        is_first = output.document_count() == self._printed_before
        if self._has_document and is_first:
            document = {"error": {"kind": kind, "message": message, "hint": hint}}
            try:
                output.print_json(document, indent=self._indent)
                sys.stdout.flush()
            except OSError:
                _abandon_stdout()
        _say(f"error: {message}", hint)


def _guarded(work: "Callable[[], int]", report: _Report) -> int:
    from codecairn.cli.output import OutputFailed, ReaderLeft
    from codecairn.errors import Cancelled, CodecairnError, disk_full

    try:
        code = work()
        sys.stdout.flush()
    except (BrokenPipeError, ReaderLeft):
        _abandon_stdout()
        return 0
    except OutputFailed as err:
        _abandon_stdout()
        _say(f"error: the result can't be written: {err}", "free some space, or write it elsewhere")
        return 1
    except Cancelled as err:
        _debug()
        _say("interrupted; what was done before is kept")
        return err.exit_code
    except CodecairnError as err:
        _debug()
        report.error(err.code, err.message, err.hint)
        return err.exit_code
    except Exception as err:  # noqa: BLE001 - the outer edge
        _debug()
        if full := disk_full(err):
            report.error(full.code, full.message, full.hint)
        else:
            hint = f"please report it; `{DEBUG_VARIABLE}=1` shows the traceback"
            report.error("internal", f"internal error: {type(err).__name__}: {err}", hint)
        return 1
    return code


def _debug() -> None:
    if os.environ.get(DEBUG_VARIABLE):
        import traceback

        traceback.print_exc()


def _say(message: str, hint: str = "") -> None:
    from codecairn.core.text_format import visible

    lines = [message, f"hint: {hint}"] if hint else [message]
    try:
        for line in lines:
            text = visible(line).encode("utf-8", "backslashreplace")  # a name may hold any bytes
            print(text.decode("utf-8"), file=sys.stderr)
    except OSError:
        pass  # there is nowhere else to write to


def _prepare_streams() -> None:
    """Make standard streams that are closed or can't hold every character harmless.

    A closed one is opened on nothing, or else the next file to be opened, a database perhaps, would get its number
    and with it what is printed.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            mode = "r" if number == 0 else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _abandon_stdout() -> None:
    """The reader of stdout has closed it: nothing more is written, not even at the interpreter's exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
