"""Starts a program in a process group of its own, which ends with this process, however that ends.

A process that is killed can't end its children. On POSIX a shell waits for the end of a pipe that this process alone holds open, and
then kills the groups it was told of; on Windows each program is in a job that the system ends with its last handle. A program that
starts a session of its own leaves its group, and one that Windows starts further programs by before it is in its job leaves that.
"""

import atexit
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from codecairn.core.programs import NEUTRAL_FOLDER

if TYPE_CHECKING:
    import subprocess

_END_S = 1.0
"""How long a program that was ended may still hold its pipes."""

_SHELL = "/bin/sh"
_WATCH = """
trap '' HUP INT QUIT TERM
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
"""
"""Reads the groups that begin (`+ ID`) and end (`- ID`), and kills those that are left when nothing can be read any more."""


class ProcessGroup:
    """A program that was started with pipes, and all that it starts.

    Attributes:
        process: The program.
    """

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str], is_fed: bool = False
    ) -> None:
        """Start a program in a neutral folder; `is_fed` gives it a standard input.

        Raises:
            OSError: If it can't be started.
            ValueError: If an argument has a zero byte.
        """
        import subprocess  # only where a program is started

        self.process = _popen()(
            command,
            cwd=NEUTRAL_FOLDER,
            env=env,
            stdin=subprocess.PIPE if is_fed else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Windows does not look at it
        )
        try:
            if sys.platform == "win32":
                from codecairn.core.windows_job import Job

                self._job = Job(self.process.pid)
            else:
                _watchdog.add(self.process.pid)
        except BaseException:  # a person interrupts
            self.kill()
            raise

    def kill(self) -> None:
        """End the group at once. May be called by another thread than the one that waits for the program."""
        import signal

        if self.process.returncode is not None:
            return  # its number may belong to another process
        with suppress(OSError):  # it has just ended
            if sys.platform == "win32":
                self.process.kill()
                self._job.close()
            else:
                os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the group, if the program still runs, and let go of its pipes, which a process that left the group may hold."""
        import subprocess

        if self.process.returncode is None:
            self.kill()
        with suppress(OSError, ValueError, subprocess.TimeoutExpired):  # its pipes may be closed
            self.process.communicate(timeout=_END_S)
        is_over = self.process.poll() is not None
        if sys.platform == "win32":
            if is_over:
                self._job.close()
            return  # threads read the pipes there, and closing would wait for them
        if is_over:
            _watchdog.remove(self.process.pid)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _popen() -> "type[subprocess.Popen[bytes]]":
    if sys.platform == "win32":
        import subprocess

        return subprocess.Popen
    from codecairn.core.group_leader import GroupLeader

    return GroupLeader


class _Watchdog:
    """The shell that kills the process groups that this process leaves. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        """Watch a group; without a shell on this machine nothing does."""
        with self._lock:
            self._groups.add(group)
            if not self._tell(f"+ {group}\n"):
                self._start()

    def remove(self, group: int) -> None:
        """Watch a group no longer."""
        with self._lock:
            self._groups.discard(group)
            self._tell(f"- {group}\n")

    def close(self) -> None:
        """End the shell, with the groups that are left."""
        shell, self._shell = self._shell, None
        if shell is not None and shell.stdin is not None:
            with suppress(OSError):
                shell.stdin.close()
            shell.wait()

    def forget(self) -> None:
        """In a process that was forked off: the groups are its parent's, and so is the pipe."""
        self._lock, self._groups = threading.Lock(), set()
        shell, self._shell = self._shell, None
        if shell is not None and shell.stdin is not None:
            os.close(shell.stdin.fileno())
            shell.stdin = None
            shell.returncode = 0

    def _start(self) -> None:
        """Start a shell, also in the place of one that was killed, and tell it of all groups."""
        import subprocess

        if self._shell is not None:
            self._shell.wait()
        try:
            self._shell = subprocess.Popen(
                [_SHELL, "-c", _WATCH],
                bufsize=0,
                cwd=NEUTRAL_FOLDER,
                env={},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            self._shell = None
            return
        self._tell("".join(f"+ {group}\n" for group in self._groups))

    def _tell(self, lines: str) -> bool:
        if self._shell is None or self._shell.stdin is None:
            return False
        try:
            self._shell.stdin.write(lines.encode())
        except OSError:  # it was killed
            return False
        return True


_watchdog = _Watchdog()
atexit.register(_watchdog.close)
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_watchdog.forget)
