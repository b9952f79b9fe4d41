"""Runs a command as a newcomer does: on a terminal, in a home folder of its own, and with nothing else in the environment.

What is printed is kept as a person sees it: without escape sequences, and of a line that was drawn several times the last drawing.
"""

import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Za-z]|[=>78DEHM])"
)
_REMEDY = re.compile(r"^\s*hint: \S|did you mean", re.MULTILINE | re.IGNORECASE)
_SIZE = (40, 100)
"""Rows and columns of the terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One command that has ended; `silence` is the longest time, in seconds, in which nothing was printed."""

    exit_code: int
    seconds: float
    processor_seconds: float
    silence: float
    text: str

    @property
    def has_remedy(self) -> bool:
        """Whether a failure names what to do."""
        return bool(_REMEDY.search(self.text))


@dataclass(frozen=True, slots=True)
class Shell:
    """An empty home folder and the environment that goes with it."""

    home: Path
    environment: Mapping[str, str]

    @classmethod
    def make(cls, home: Path, more: Sequence[str] = ()) -> "Shell":
        """A shell whose `PATH` begins with the environment that the newcomer makes; `more` are further folders.

        It has no pager, which would wait for a key.
        """
        folders = [str(home / "venv" / "bin"), *more, "/usr/local/bin", "/usr/bin", "/bin"]
        own = {"HOME": str(home), "PATH": os.pathsep.join(folders)}
        return cls(home, own | {"LANG": "C.UTF-8", "TERM": "xterm-256color", "PAGER": ""})

    def run(self, words: Sequence[str], folder: Path) -> Ran:
        """Run a command to its end; its output goes to one terminal, its input is empty."""
        master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *_SIZE, 0, 0))
        begin = time.monotonic()
        process = subprocess.Popen(
            list(words),
            cwd=folder,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        raw, silence = _read(master)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Ran(
            exit_code=process.returncode,
            seconds=round(time.monotonic() - begin, 3),
            processor_seconds=round(used.ru_utime + used.ru_stime, 3),
            silence=round(silence, 3),
            text=seen(raw.decode("utf-8", "replace")),
        )


def seen(raw: str) -> str:
    """The text that is left on a terminal: no escape sequences, and the last drawing of each line."""
    lines = _ESCAPES.sub("", raw).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2].rstrip() for line in lines).strip("\n")


def _read(master: int) -> tuple[bytes, float]:
    """Everything that is written to a terminal until its last writer ends, and the longest pause in seconds."""
    parts: list[bytes] = []
    last, silence = time.monotonic(), 0.0
    while True:
        select.select([master], [], [])
        try:
            part = os.read(master, 65536)
        except OSError:  # Linux: nothing has the other end open any more
            part = b""
        now = time.monotonic()
        silence, last = max(silence, now - last), now
        if not part:
            os.close(master)
            return b"".join(parts), silence
        parts.append(part)
