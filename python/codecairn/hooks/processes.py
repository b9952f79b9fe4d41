"""Starts background processes: they outlive the hook, inherit nothing of the host's, and are limited in number.

Each is an isolated interpreter: it imports nothing from the host's working directory, nor from paths in the environment.
"""

import os
import sys

from codecairn import _native
from codecairn.core import isolation

_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")
_REST_S = 30.0
WHEN_QUIET = "when-quiet"
"""The argument of a process that waits until the sessions of a project are quiet."""

_MAX_LATE = 4


def start(kind: str, root: str) -> None:
    """Have `background` look after a project, or read what is new in its sessions once they are quiet.

    Args:
        kind: `work`, which nothing is done for if it was a moment ago, or `quiet`, which one process waits for at a time.
        root: The project's root.
    """
    if _native.hooks_claimed(kind, root, within_s=_REST_S):
        _start(
            isolation.command_line(isolation.BACKGROUND, root, *[WHEN_QUIET] * (kind == "quiet"))
        )


def hand_over(arguments: "list[str]", raw: bytes) -> None:
    """Have an event recorded that could not be in time; of many at once, some are given up rather than all be late."""
    for slot in range(_MAX_LATE):
        if _native.hooks_claimed("late", str(slot), within_s=2.0):
            break
    else:
        _native.hooks_log(f"{' '.join(arguments[1:])}: given up, too many are late")
        return
    reading, writing = os.pipe()
    _start([sys.executable, "-I", "-S", _SCRIPT, "--late", *arguments], stdin=reading)
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(raw)


def _start(command: "list[str]", *, stdin: int | None = None) -> None:
    if not hasattr(os, "posix_spawn"):
        _start_anywhere(command, stdin)
        return
    environment = isolation.child_environment()
    nowhere = os.open(os.devnull, os.O_RDWR)
    actions = [
        (os.POSIX_SPAWN_DUP2, nowhere if stdin is None else stdin, 0),
        (os.POSIX_SPAWN_DUP2, nowhere, 1),
        (os.POSIX_SPAWN_DUP2, nowhere, 2),
    ]
    try:
        os.posix_spawn(command[0], command, environment, file_actions=actions, setsid=True)
    except NotImplementedError:
        os.posix_spawn(command[0], command, environment, file_actions=actions, setpgroup=0)
    finally:
        os.close(nowhere)


def _start_anywhere(command: "list[str]", stdin: int | None) -> None:
    import subprocess

    flags = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(
        subprocess, "CREATE_NEW_PROCESS_GROUP", 0
    )
    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=flags,
        env=isolation.child_environment(),
    )
