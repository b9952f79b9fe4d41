"""A program that leads a process group, on POSIX: its group is killed before its process id can be reused."""

import os
import signal
import subprocess
import time
from contextlib import suppress

_LONGEST_PAUSE_S = 0.05


class GroupLeader(subprocess.Popen[bytes]):
    """The program; `communicate` ends with a call of `wait`."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, and kill the rest of its group.

        Raises:
            subprocess.TimeoutExpired: If it does not end within `timeout` seconds.
        """
        if self.returncode is None and hasattr(os, "waitid"):  # older Pythons have none on macOS
            self._await_end(timeout)
            with suppress(OSError):  # nothing is left
                os.killpg(self.pid, signal.SIGKILL)
        return super().wait(timeout)

    def _await_end(self, timeout: float | None) -> None:
        """As `wait`, without reaping the process, which would free its id."""
        ends_s = None if timeout is None else time.monotonic() + timeout
        pause_s = 0.0005
        with suppress(ChildProcessError):  # another thread has just waited for it
            while not os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
                if timeout is not None and ends_s is not None and time.monotonic() >= ends_s:
                    raise subprocess.TimeoutExpired(self.args, timeout)
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
