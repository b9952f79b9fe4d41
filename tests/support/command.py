"""The command line as a process of its own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_NOBODY = 65534
_MEASURED = Path(__file__).with_name("measured.py")


@dataclass(frozen=True)
class Outcome:
    """What a process left."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.out)


def command(*arguments: str) -> list[str]:
    """How to start codecairn."""
    return [sys.executable, "-m", "codecairn", *arguments]


def isolated(script: Path, *arguments: str) -> list[str]:
    """How a host starts one of our scripts; while coverage is measured, in a process that takes part in it."""
    if "COVERAGE_PROCESS_CONFIG" in os.environ:
        return [sys.executable, "-I", str(_MEASURED), str(script), *arguments]
    return [sys.executable, "-I", "-S", str(script), *arguments]


def as_nobody() -> list[str]:
    """What drops the rights of root, before which no mode means anything; nothing if they are not held."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root can read everything, and setpriv is missing")
    return [setpriv, f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"]


def run(
    *arguments: str,
    cwd: Path,
    stdin: str = "",
    environment: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    encoding: str = "utf-8",
) -> Outcome:
    """Run codecairn to its end; no outcome ever holds a traceback."""
    done = subprocess.run(
        [*prefix, *command(*arguments)],
        cwd=cwd,
        input=stdin,
        env=os.environ | dict(environment or {}),
        capture_output=True,
        text=True,
        encoding=encoding,
        timeout=100,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Outcome(code=done.returncode, out=done.stdout, err=done.stderr)
