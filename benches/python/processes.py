"""Running a program and measuring the whole of it: wall time, processor time, peak memory."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one process cost, from its start to its end."""

    wall_s: float
    processor_s: float
    peak_bytes: int
    out: str


def measure(command: Sequence[str], *, cwd: Path, environment: Mapping[str, str]) -> Run:
    """Run a command to its end.

    Raises:
        RuntimeError: If it fails; a figure of a failed run means nothing.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=os.environ | dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stdout is not None
    assert process.stderr is not None
    out = process.stdout.read()
    err = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    if process.returncode != 0:
        message = f"{' '.join(command)} ended with {process.returncode}: {err}"
        raise RuntimeError(message)
    unit = 1 if sys.platform == "darwin" else 1024
    return Run(
        wall_s=wall_s,
        processor_s=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss * unit,
        out=out,
    )


def python(code: str) -> list[str]:
    """A command that runs this code in a fresh interpreter."""
    return [sys.executable, "-c", code]


def codecairn(*arguments: str) -> list[str]:
    """A command that runs codecairn as its users do: the installed script."""
    script = Path(sys.executable).parent / "codecairn"
    return [str(script), *arguments]
