"""The command line in a real terminal of a given size: a pseudo-terminal, as an emulator gives one."""

import os
import re
import select
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.command import command

_TIMEOUT_S = 60
_LINK = re.compile(r"\x1b\]8;[^;]*;([^\x1b]*)\x1b\\")
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
COLORED = {"TERM": "xterm-256color", "COLORTERM": ""}


@dataclass(frozen=True)
class Shown:
    """What a command printed into a terminal."""

    code: int
    raw: str

    @property
    def text(self) -> str:
        """What a person reads: without colours and links."""
        return _STYLE.sub("", _LINK.sub("", self.raw))

    @property
    def lines(self) -> list[str]:
        """The lines that a person reads."""
        return self.text.splitlines()

    @property
    def links(self) -> list[str]:
        """Where the links lead, in their order."""
        return [url for url in _LINK.findall(self.raw) if url]

    @property
    def screen(self) -> str:
        """The whole with its escape sequences written out, and without what differs from run to run."""
        text = re.sub(r"\x1b\]8;;\x1b\\", "", self.raw)
        text = re.sub(r"\x1b\]8;id=\d+-?\d*(\.\d+-\d+)?;file://[^/]*(/[^\x1b]*)\x1b\\", r"", text)
        return text.replace("\x1b", "\\e")


def show(
    *arguments: str,
    cwd: Path,
    columns: int = 80,
    rows: int = 24,
    environment: Mapping[str, str] | None = None,
    keys: str = "",
    has_keyboard: bool = True,
) -> Shown:
    """Run codecairn in a pseudo-terminal to its end; `keys` are typed into it at once, if standard input is the terminal."""
    if sys.platform == "win32":
        pytest.skip("there are no pseudo-terminals")
    import fcntl
    import pty
    import termios

    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in _UNSET}
    process = subprocess.Popen(
        command(*arguments),
        cwd=cwd,
        env=kept | COLORED | dict(environment or {}),
        stdin=terminal if has_keyboard else subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    if keys:
        os.write(controller, keys.encode())
    raw = _read(controller, process)
    os.close(controller)
    shown = Shown(code=process.wait(), raw=raw.replace("\r\n", "\n"))
    assert "Traceback" not in shown.raw, shown.raw
    return shown


_UNSET = {
    "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "PAGER", "LESS", "CODECAIRN_PAGER",
}  # fmt: skip


def _read(controller: int, process: "subprocess.Popen[bytes]") -> str:
    """All that is printed until the terminal is closed on the other side."""
    ends = time.monotonic() + _TIMEOUT_S
    read = b""
    while time.monotonic() < ends:
        ready, _, _ = select.select([controller], [], [], 0.2)
        if not ready:
            if process.poll() is not None:
                break
            continue
        try:
            more = os.read(controller, 65_536)
        except OSError:  # Linux reports the end in this way
            break
        if not more:
            break
        read += more
    else:
        process.kill()
        process.wait()
        pytest.fail(f"still running after {_TIMEOUT_S} s: {read!r}")
    return read.decode("utf-8", "replace")
