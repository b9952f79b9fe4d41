"""The state that hooks keep between calls: small files in one folder of the user's data.

- `log`, `log.1`: errors, without any prompt, path or output.
- `places/`: the project of a folder and its settings, as `project_resolution` found them.
- `claims/`: events that are being served, so an event that is delivered twice is served once.
- `hints/`: the hints on tools that a session was given.
- `spoken/`: the files that a project's memory has anchored facts for, so no other file needs a query.
- `sessions/`: sessions that the user excluded, and those that lost their context.
"""

import sys
import time

from codecairn.hooks.os_subset import dirname, expanduser, join, os, variable

try:
    from _sha1 import sha1  # type: ignore[import-not-found]
except ImportError:  # an interpreter built without it
    from hashlib import sha1

_LOG_BYTES = 256_000
_HEAD_BYTES = 256_000
_TAIL_BYTES = 1_000_000
_FILE_TYPE, _REGULAR = 0o170000, 0o100000
"""As in `stat`, which takes long to load."""


def folder() -> str:
    """The folder; `paths.user.data_folder` and the directories' standards say the same in a slower way."""
    moved = variable("CODECAIRN_HOME")
    if moved:
        return join(expanduser(moved), "data", "hooks")
    if sys.platform == "win32":
        base = variable("LOCALAPPDATA") or expanduser("~\\AppData\\Local")
    elif sys.platform == "darwin":
        base = expanduser("~/Library/Application Support")
    else:
        base = variable("XDG_DATA_HOME").strip() or expanduser("~/.local/share")
    return join(base, "codecairn", "hooks")


def name_of(*parts: str) -> str:
    """A file name for what some texts say together."""
    digest: str = sha1(
        "\0".join(parts).encode("utf-8", "replace"), usedforsecurity=False
    ).hexdigest()
    return digest


def read(*names: str) -> str | None:
    """The text of a file; `None` if there is none."""
    try:
        with open(join(folder(), *names), encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return None


def head_of(path: str) -> bytes:
    """The beginning of a file that is not ours; empty if there is none, or if it is no regular file: a pipe has no end."""
    return _part_of(path, _HEAD_BYTES, is_tail=False)


def tail_of(path: str) -> bytes:
    """The end of a file that is not ours; empty as for `head_of`."""
    return _part_of(path, _TAIL_BYTES, is_tail=True)


def _part_of(path: str, size: int, *, is_tail: bool) -> bytes:
    try:
        found = os.stat(path)
        if found.st_mode & _FILE_TYPE != _REGULAR:
            return b""
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return b""
    try:
        if is_tail and found.st_size > size:
            os.lseek(handle, found.st_size - size, 0)
        return os.read(handle, size)
    except OSError:
        return b""
    finally:
        os.close(handle)


def write(text: str, *names: str) -> None:
    """Write a file whole, or not at all; readable for its user only."""
    path = join(folder(), *names)
    temporary = f"{path}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    try:
        handle = os.open(temporary, flags, 0o600)
    except FileNotFoundError:
        _make(dirname(path))
        handle = os.open(temporary, flags, 0o600)
    with open(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def remove(*names: str) -> None:
    """Remove a file if it is there."""
    try:
        os.unlink(join(folder(), *names))
    except OSError:
        return


def claimed(*parts: str, within_s: float) -> bool:
    """Whether this call is the first to do something; another one within some seconds is not."""
    path = join(folder(), "claims", name_of(*parts))
    for _ in range(2):
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            return _is_older(path, within_s) and _retaken(path)
        except FileNotFoundError:
            _make(dirname(path))
            continue
        except OSError:
            return True  # where nothing can be kept, twice is better than never
        return True
    return True


def sweep(sub: str, *, older_s: float) -> None:
    """Remove files of a folder that were not touched for so long."""
    try:
        with os.scandir(join(folder(), sub)) as entries:
            for entry in entries:
                if entry.stat().st_mtime < _now() - older_s:
                    os.unlink(entry.path)
    except OSError:
        return


def log(message: str) -> None:
    """Note what went wrong; the log holds a bounded number of bytes."""
    path = join(folder(), "log")
    try:
        _make(dirname(path))
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = f"{stamp} {os.getpid()} {message}"[:2000].replace("\n", " ") + "\n"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(line)
            is_long = file.tell() > _LOG_BYTES
        if is_long:
            os.replace(path, path + ".1")
    except OSError:
        return


def _is_older(path: str, age_s: float) -> bool:
    try:
        return os.stat(path).st_mtime < _now() - age_s
    except OSError:
        return False


def _retaken(path: str) -> bool:
    """Take over an expired claim: of concurrent processes, the one whose rename succeeds."""
    try:
        os.rename(path, f"{path}.{os.getpid()}")
        os.unlink(f"{path}.{os.getpid()}")
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        return False
    return True


def _make(path: str) -> None:
    """Make a folder and those above it, for this user alone."""
    missing = []
    while not _is_there(path):
        missing.append(path)
        path = dirname(path)
    for each in reversed(missing):
        try:
            os.mkdir(each, 0o700)
        except FileExistsError:
            continue


def _is_there(path: str) -> bool:
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    return True


def now_ms() -> int:
    """The time, in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def _now() -> float:
    """The same in seconds, as the times of files are given."""
    return now_ms() / 1000
