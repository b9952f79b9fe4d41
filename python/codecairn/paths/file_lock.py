"""Locks of the operating system on a file, which end with the process that holds them."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codecairn.errors import FileAccessError

_PAUSE_S = 0.01


@contextmanager
def locked(path: Path, *, timeout_s: float) -> Iterator[None]:
    """Hold the lock at `path` until the block ends, once the process that has it lets it go.

    Raises:
        FileAccessError: If another process still has it after the timeout.
    """
    ends_s = time.monotonic() + timeout_s
    while True:
        with lease(path) as is_ours:
            if is_ours:
                yield
                return
        if time.monotonic() >= ends_s:
            raise FileAccessError(
                f"another process has held the lock `{path}` for {timeout_s:g} seconds",
                hint="end it, then run the command again",
            )
        time.sleep(_PAUSE_S)


@contextmanager
def lease(path: Path) -> Iterator[bool]:
    """Whether the lock at `path` is ours until the block ends; false at once if another process has it.

    Where the folder can't be written no other process can write it either, so the answer is yes.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield True
        return
    try:
        yield _lock(handle)
    finally:
        os.close(handle)


def _lock(handle: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
