"""One run of a program: started headless, ended in time, with nothing of it left running."""

import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from codecairn.errors import UsageError

MARK = "BENCHED_RUN"
"""A variable by which processes of a run are found, even those that left its group."""
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run ended.

    Attributes:
        exit_code: None if it was ended because its time was over.
        seconds: From its start to its end.
        output: What it printed.
        errors: What it printed on standard error.
    """

    exit_code: int | None
    seconds: float
    output: str
    errors: str


def find(command: str) -> str:
    """The absolute path of a program.

    Raises:
        UsageError: If it is not installed.
    """
    found = shutil.which(command)
    if found is None:
        raise UsageError(f"`{command}` is not on PATH", hint="install it, or name another program")
    return str(Path(found).absolute())


def run(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], *, timeout_s: float
) -> Ended:
    """Run a command to its end, without input; nothing of it runs on after this returns or raises."""
    mark = uuid.uuid4().hex
    with _files(folder.parent) as (out, err), out.open("wb") as writing, err.open("wb") as failing:
        began = time.monotonic()
        process = subprocess.Popen(
            words,
            cwd=folder,
            env={**environment, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=failing,
            start_new_session=True,
        )
        try:
            exit_code: int | None = process.wait(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            exit_code = None
        finally:
            seconds = time.monotonic() - began
            _end(process, mark)
        texts = [each.read_text(encoding="utf-8", errors="replace") for each in (out, err)]
    return Ended(exit_code=exit_code, seconds=seconds, output=texts[0], errors=texts[1])


@contextmanager
def _files(folder: Path) -> Iterator[tuple[Path, Path]]:
    out, err = folder / "output", folder / "errors"
    try:
        yield out, err
    finally:
        for file in (out, err):
            file.unlink(missing_ok=True)


def _end(process: "subprocess.Popen[bytes]", mark: str) -> None:
    """End the processes of a group, first by SIGTERM, then those of the run that have left it."""
    _signal_group(process.pid, signal.SIGTERM)
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()
        for number in marked(mark):
            _signal(number, signal.SIGKILL)


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS refuses for a group of zombies
        os.killpg(group, number)


def _signal(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


def marked(mark: str) -> list[int]:
    """The processes of a run, where Linux shows them."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if f"{MARK}={mark}".encode() in environment.split(b"\0"):
            found.append(int(folder.name))
    return found
