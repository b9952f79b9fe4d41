"""The log of a store: a ring of entries in its folder, written by every process that uses the store.

An entry is one line of JSON, appended by one write, so lines of several processes never mix. The ring has two files: a full
newer file replaces the older one. Logging never fails and never blocks: without write access nothing is logged. Neither
queries nor texts are logged.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.clock import Clock, SystemClock
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import CodecairnError, IndexLocked

if TYPE_CHECKING:
    from json import JSONEncoder

LEVELS = ("debug", "info", "warn", "error")
"""From the least to the most important."""

CATEGORIES = ("search", "index", "watch", "store", "gc")

FILE_BYTES = 256 * 1024
"""Size at which the newer of the two files becomes the older."""

_NEWER, _OLDER = "log.jsonl", "log.1.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that was done.

    Attributes:
        time_ns: When it was over, nanoseconds since 1970.
        level: One of `LEVELS`.
        category: One of `CATEGORIES`.
        message: What was done, in a few words that are always the same.
        process: The process that did it.
        numbers: Counts, and times in seconds.
        detail: What else there is to say, such as why it failed.
    """

    time_ns: int
    level: str
    category: str
    message: str
    process: int
    numbers: Mapping[str, float] = field(default_factory=dict)
    detail: str = ""


class Logbook:
    """The ring of one store. `level` is the least level that is written; "off" writes nothing."""

    def __init__(self, store: Path, *, level: str, clock: Clock | None = None) -> None:
        self._store = store
        self._least = LEVELS.index(level) if level in LEVELS else len(LEVELS)
        self._clock = clock or SystemClock()

    def add(
        self,
        category: str,
        message: str,
        *,
        level: str = "info",
        numbers: Mapping[str, float] | None = None,
        detail: str = "",
    ) -> None:
        """Write an entry, if its level is one that is written and the store can be."""
        if LEVELS.index(level) < self._least:
            return
        document = {
            "time_ns": self._clock.now_ns(),
            "level": level,
            "category": category,
            "message": message,
            "process": os.getpid(),
            "numbers": {name: round(value, 6) for name, value in (numbers or {}).items()},
            "detail": detail[:2000],
        }
        with suppress(OSError):
            self._append(f"{_encoder().encode(document)}\n".encode("utf-8", "replace"))

    @contextmanager
    def timed(self, category: str, message: str) -> Iterator[dict[str, float]]:
        """Write an entry about the block, with its time as `total_s` and the numbers put into what is yielded.

        A failure is written, too, and goes on.
        """
        numbers: dict[str, float] = {}
        started_s = self._clock.monotonic_s()
        level, detail = "info", ""
        try:
            yield numbers
        except CodecairnError as err:
            level = "warn" if isinstance(err, IndexLocked) else "error"
            detail = f"{err.code}: {err.message}"
            raise
        finally:
            numbers["total_s"] = self._clock.monotonic_s() - started_s
            self.add(category, message, level=level, numbers=numbers, detail=detail)

    def _append(self, line: bytes) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(f"{self._store}/{_NEWER}", flags, 0o600)
        try:
            os.write(handle, line)
            if os.fstat(handle).st_size >= FILE_BYTES:
                make_older(self._store, handle)
        finally:
            os.close(handle)


def make_older(store: Path, handle: int) -> None:
    """Make the newer file the older one, if it still is the one that is open as `handle`.

    Several processes may find it full at once. One at a time does it; who comes late finds another file in its place,
    and must not put that in place of the one that just became the older.
    """
    with suppress(ImportError):
        import fcntl

        # Let go of when the file is closed. Where there are no locks, only the look at the file below is left.
        fcntl.flock(handle, fcntl.LOCK_EX)
    newer = store / _NEWER
    if os.path.samestat(newer.stat(), os.fstat(handle)):
        newer.replace(store / _OLDER)


@cache
def _encoder() -> "JSONEncoder":
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False)


def read_entries(
    store: Path,
    *,
    limit: int | None = None,
    categories: tuple[str, ...] = (),
    level: str = "debug",
) -> list[Entry]:
    """The latest entries of at least this level, oldest first; of all categories if none is given."""
    least = LEVELS.index(level)
    found = [
        entry
        for name in (_OLDER, _NEWER)
        for entry in _entries(store / name)
        if LEVELS.index(entry.level) >= least and (not categories or entry.category in categories)
    ]
    return found if limit is None else found[-limit:]


def forget(store: Path) -> None:
    """Remove all entries."""
    for name in (_NEWER, _OLDER):
        (store / name).unlink(missing_ok=True)


def _entries(file: Path) -> Iterator[Entry]:
    """The entries of a file; lines that were torn or make no sense are passed over."""
    import json

    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        with suppress(ValueError, KeyError, TypeError):
            document = json.loads(line)
            entry = Entry(
                time_ns=int(document["time_ns"]),
                level=str(document["level"]),
                category=str(document["category"]),
                message=str(document["message"]),
                process=int(document["process"]),
                numbers={str(k): float(v) for k, v in dict(document["numbers"]).items()},
                detail=str(document["detail"]),
            )
            if entry.level in LEVELS:
                yield entry
