"""Runs git.

Invariants: git is run by its absolute path, without a shell, in a neutral working directory, with the settings and the
environment of `git_options`, so nothing that a repository's configuration names is run; no index is refreshed and no
password is asked for. A caller that passes a user's value joins it to its option, or places it where git takes no options.
Each git leads a process group that ends with us (`process_group`). All gits of one call of ours have one time together
(`call_time`), and none is started where it would wait for a pipe (`git_waits`). Errors name neither its arguments nor what comes
before the host in an address: both may be credentials.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from codecairn.core.call_time import TIMEOUT_S, call_time
from codecairn.core.closeable import Closeable
from codecairn.core.git_options import (
    READS_FILES,
    arguments_of,
    filter_names,
    git_environment,
    is_foreign,
)
from codecairn.core.git_waits import endless_file
from codecairn.core.process_group import ProcessGroup
from codecairn.core.programs import find_program
from codecairn.errors import HistoryUnavailable

_CHUNK_BYTES = 1 << 16

_USER = re.compile(r"(?<=://)[^/\s]*@")
_FILTERS = ("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
_NONE_FOUND = 1
"""What `git config --get-regexp` exits with where no setting matches."""


class Running(Closeable):
    """A git command that was started. Ends with the `with` block it is used in, whatever happens.

    Args:
        root: The folder it runs in.
        group: Its processes.
    """

    def __init__(self, root: Path, group: ProcessGroup) -> None:
        self._root = root
        self._group = group
        self._process = group.process
        self._time = call_time()

    def output(
        self,
        *,
        given: bytes | None = None,
        timeout_s: float = TIMEOUT_S,
        may_fail: bool = False,
        hint: str | None = None,
    ) -> bytes:
        """What it prints, with `given` on its standard input; nothing if it fails and may.

        Raises:
            HistoryUnavailable: If it fails, or refuses the repository because another user owns it.
        """
        code, out, complaint = self._end(given, timeout_s, hint)
        if code == 0:
            return out
        if is_foreign(complaint):
            trusted = shlex.quote(str(self._root))
            hint = f"if you trust it: `git config --global --add safe.directory {trusted}`"
        elif may_fail:
            return b""
        raise HistoryUnavailable(
            f"can't read the history of `{self._root}`: {complaint}", hint=hint
        )

    def filters(self, *, hint: str | None = None) -> list[str]:
        """The filters that it lists, being `git config`."""
        code, out, complaint = self._end(None, TIMEOUT_S, hint)
        if code not in (0, _NONE_FOUND):
            raise HistoryUnavailable(
                f"can't read the settings of git for `{self._root}`: {complaint}", hint=hint
            )
        try:
            return filter_names(out)
        except ValueError as err:
            raise HistoryUnavailable(
                f"can't compare files of `{self._root}`: {err}",
                hint="rename it in git's configuration",
            ) from err

    def succeeds(self, *, timeout_s: float = TIMEOUT_S) -> bool:
        """Whether it ends without a failure; what it prints is dropped.

        Raises:
            HistoryUnavailable: If it does not end in time.
        """
        return self._end(None, timeout_s, None)[0] == 0

    def chunks(self, *, timeout_s: float = TIMEOUT_S) -> Iterator[bytes]:
        """What it prints, as it comes, in pieces that end anywhere.

        Raises:
            HistoryUnavailable: If it fails, or does not end in time.
        """
        import threading

        assert self._process.stdout is not None
        read = partial(self._process.stdout.read1, _CHUNK_BYTES)  # type: ignore[attr-defined]
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            self.kill()

        timer = threading.Timer(self._left_s(timeout_s), end)
        timer.daemon = True
        try:
            with self._time.waiting():
                timer.start()
                chunk = read()
            while chunk:
                yield chunk
                with self._time.waiting():
                    chunk = read()
            code, _, complaint = self._end(None, timeout_s, None)
        finally:
            timer.cancel()
        if code:
            reason = f"git timed out after {timeout_s:g} s" if is_late.is_set() else complaint
            raise HistoryUnavailable(f"can't read the history of `{self._root}`: {reason}")

    def _end(
        self, given: bytes | None, timeout_s: float, hint: str | None
    ) -> tuple[int, bytes, str]:
        """The exit code, what it printed, and the first line of what it complained of."""
        import subprocess

        try:
            with self._time.waiting():
                out, complaints = self._process.communicate(given, timeout=self._left_s(timeout_s))
        except subprocess.TimeoutExpired:
            self.kill()
            time_s = TIMEOUT_S if self._time.left_s() <= 0 else timeout_s
            raise HistoryUnavailable(
                f"can't read the history of `{self._root}`: git timed out after {time_s:g} s",
                hint=hint,
            ) from None
        except (OSError, ValueError) as err:
            raise HistoryUnavailable(
                f"can't read the history of `{self._root}`: {err}", hint=hint
            ) from err
        first = complaints.decode("utf-8", "replace").strip().partition("\n")[0]
        return self._process.returncode, out, _USER.sub("", first)

    def _left_s(self, timeout_s: float) -> float:
        return max(min(timeout_s, self._time.left_s()), 0)

    def kill(self) -> None:
        """End it and what it started, at once. May be called by another thread than the one that waits for it."""
        self._group.kill()

    def close(self) -> None:
        """End it, if it still runs."""
        self._group.close()


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
    with start(root, *arguments, hint=hint) as running:
        return running.output(may_fail=may_fail, hint=hint, timeout_s=timeout_s)


def start(root: Path, *arguments: str, is_fed: bool = False, hint: str | None = None) -> Running:
    """Start a git command in a folder; several may run at once. `is_fed` gives it a standard input.

    Raises:
        HistoryUnavailable: If there is no git.
    """
    filters: list[str] = []
    if arguments[0] in READS_FILES:
        with (
            _started(root, ("rev-parse", "--git-dir"), hint=hint) as repository,
            _started(root, _FILTERS, hint=hint) as listing,
        ):
            repository.output(
                hint=hint
            )  # `git diff` needs none, and gives no reason for finding none
            filters = listing.filters(hint=hint)
    return _started(root, arguments, filters, is_fed=is_fed, hint=hint)


def _started(
    root: Path,
    arguments: Sequence[str],
    filters: Sequence[str] = (),
    *,
    is_fed: bool = False,
    hint: str | None = None,
) -> Running:
    program = find_program("git", workspace=root)
    if program is None:
        raise HistoryUnavailable("the `git` command was not found", hint=hint)
    reason = endless_file(root)
    if not reason and call_time().left_s() <= 0:
        reason = f"git timed out after {TIMEOUT_S:g} s"
    if reason:
        raise HistoryUnavailable(f"can't read the history of `{root}`: {reason}", hint=hint)
    try:
        group = ProcessGroup(
            [program, *arguments_of(root, arguments, filters)],
            env=git_environment(root, arguments[0]),
            is_fed=is_fed,
        )
    except (OSError, ValueError) as err:
        raise HistoryUnavailable(f"can't read the history of `{root}`: {err}", hint=hint) from err
    return Running(root, group)


def text(output: bytes) -> str:
    """What git printed, as text without its last line break."""
    return output.decode("utf-8", "replace").strip()
