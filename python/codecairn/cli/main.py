"""The entry point: runs the command line and turns every outcome into an exit code and at most a few words.

Exit codes: 0 done (also without hits), 1 the request failed, 2 the request was wrong, 130 interrupted.
"""

import os
import sys
from collections.abc import Callable, Sequence

DEBUG_VARIABLE = "CODECAIRN_DEBUG"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; a traceback is shown only with `CODECAIRN_DEBUG=1`."""
    try:
        return _guarded(lambda: _run(sys.argv[1:] if arguments is None else list(arguments)))
    except KeyboardInterrupt:
        _say("interrupted; what was done before is kept")
        return 130


def _run(arguments: list[str]) -> int:
    from codecairn.cli.app import run

    return run(arguments)


def _guarded(work: Callable[[], int]) -> int:
    from codecairn.cli.output import ReaderLeft
    from codecairn.errors import Cancelled, CodecairnError

    try:
        code = work()
        sys.stdout.flush()
    except (BrokenPipeError, ReaderLeft):
        _abandon_stdout()
        return 0
    except Cancelled as err:
        _debug()
        _say("interrupted; what was done before is kept")
        return err.exit_code
    except CodecairnError as err:
        _debug()
        _say(f"error: {err.message}", err.hint)
        return err.exit_code
    except Exception as err:  # noqa: BLE001 - the outer edge
        _debug()
        _say(
            f"internal error: {type(err).__name__}: {err}",
            f"`{DEBUG_VARIABLE}=1` shows the traceback",
        )
        return 1
    return code


def _debug() -> None:
    if os.environ.get(DEBUG_VARIABLE):
        import traceback

        traceback.print_exc()


def _say(message: str, hint: str = "") -> None:
    lines = [message, f"hint: {hint}"] if hint else [message]
    for line in lines:
        print(line, file=sys.stderr)


def _abandon_stdout() -> None:
    """Whoever read our output has left: nothing more is written, not even when the interpreter ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
