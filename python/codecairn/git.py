"""Running git.

Invariants: git is run without a shell; nothing of the repository's own configuration that starts programs is in force; no
index is refreshed and nobody is asked for a password. Who passes a value that a user gave must join it to its
option, or put it where git takes no options.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.closing import Closing
from codecairn.errors import HistoryUnavailable

if TYPE_CHECKING:
    import subprocess

TIMEOUT_S = 60

QUIET = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "core.quotePath=false",
)


def git(
    root: Path,
    *arguments: str,
    may_fail: bool = False,
    hint: str | None = None,
    timeout_s: float = TIMEOUT_S,
) -> bytes:
    """What a git command prints in a folder; nothing if it fails and may.

    Raises:
        HistoryUnavailable: If there is no git, or it fails; `hint` says what to do then.
    """
    command = ["git", "--no-pager", *QUIET, *arguments]
    return run(root, command, may_fail=may_fail, hint=hint, timeout_s=timeout_s)


def run(
    root: Path,
    command: Sequence[str],
    *,
    may_fail: bool = False,
    hint: str | None = None,
    timeout_s: float = TIMEOUT_S,
) -> bytes:
    """What a whole command line of git prints; as `git`."""
    with started(root, command, hint=hint) as running:
        return running.output(may_fail=may_fail, hint=hint, timeout_s=timeout_s)


class Running(Closing):
    """A git command that was started. Ends with the `with` block it is used in, whatever happens."""

    def __init__(self, root: Path, process: "subprocess.Popen[bytes]") -> None:
        self._root = root
        self._process = process

    def output(
        self,
        *,
        given: bytes | None = None,
        timeout_s: float = TIMEOUT_S,
        may_fail: bool = False,
        hint: str | None = None,
    ) -> bytes:
        """What it prints, with `given` on its standard input; nothing if it fails and may."""
        import subprocess

        try:
            out, complaints = self._process.communicate(given, timeout=timeout_s)
        except (OSError, ValueError, subprocess.TimeoutExpired) as err:
            raise HistoryUnavailable(
                f"can't read the history of `{self._root}`: {err}", hint=hint
            ) from err
        if self._process.returncode == 0:
            return out
        if may_fail:
            return b""
        complaint = complaints.decode("utf-8", "replace").strip().partition("\n")[0]
        raise HistoryUnavailable(
            f"can't read the history of `{self._root}`: {complaint}", hint=hint
        )

    def close(self) -> None:
        """End it, if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


def start(root: Path, *arguments: str, is_fed: bool = False) -> Running:
    """Start a git command in a folder; several may run at once. `is_fed` gives it a standard input.

    Raises:
        HistoryUnavailable: If there is no git.
    """
    return started(root, ["git", "--no-pager", *QUIET, *arguments], is_fed=is_fed)


def started(
    root: Path, command: Sequence[str], *, is_fed: bool = False, hint: str | None = None
) -> Running:
    """Start a whole command line of git; as `start`."""
    import subprocess  # only where git is asked

    environment = os.environ | {
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",  # what a partial clone lacks is not asked of the network
    }
    try:
        process = subprocess.Popen(
            command,
            cwd=root,
            env=environment,
            stdin=subprocess.PIPE if is_fed else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except FileNotFoundError as err:
        raise HistoryUnavailable("the `git` command was not found", hint=hint) from err
    except (OSError, ValueError) as err:
        raise HistoryUnavailable(f"can't read the history of `{root}`: {err}", hint=hint) from err
    return Running(root, process)


def text(output: bytes) -> str:
    """What git printed, as text without its last line break."""
    return output.decode("utf-8", "replace").strip()
