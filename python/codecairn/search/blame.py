"""The last commit of lines: one `git blame` of a file's committed state, mapped to the current lines.

Invariants: git never gets the working tree's file, so no filter of the repository runs on it; git runs in the file's own folder, so
submodules, nested repositories and linked worktrees answer for themselves.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from difflib import SequenceMatcher
from pathlib import Path
from threading import Lock

from codecairn.core.engine import git_head
from codecairn.core.git import git
from codecairn.core.types.provenance import NOT_COMMITTED, Blame
from codecairn.errors import HistoryUnavailable
from codecairn.paths.workspace_files import read_regular

TIMEOUT_S = 20
"""How long git may take for one file."""

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Larger files are not indexed, so no hit lies in one: the core's own limit."""

MAX_KEPT_LINES = 500_000
"""Lines whose last commits are kept: some ten megabytes."""

_MAX_COMPARED = 2000
"""The number of changed lines above which they are not compared line by line."""


@dataclass(frozen=True, slots=True)
class FileBlame:
    """Who changed each line of a file last; lines of the file as it is now, `None` where no commit has them."""

    lines: tuple[Blame | None, ...]

    def of(
        self, start_line: int, end_line: int, *, wanted: Callable[[Blame], bool] | None = None
    ) -> Blame | None:
        """The newest commit among these lines (1-based, inclusive) that is wanted.

        `None` if none is. Without a wish, lines that no commit has come first: nothing is newer.
        """
        found = self.lines[max(start_line - 1, 0) : end_line]
        commits = {each.commit: each for each in found if each is not None}
        if wanted is None and (not commits or None in found):
            return replace(NOT_COMMITTED, commits=len(commits))
        fitting = [each for each in commits.values() if wanted is None or wanted(each)]
        if not fitting:
            return None
        newest = max(fitting, key=lambda each: (each.time_s, each.written_s, each.commit))
        return replace(newest, commits=len(commits))


def blame_of(file: Path) -> FileBlame:
    """Who changed each line of a file last.

    Raises:
        HistoryUnavailable: If there is no git, no repository, or git fails.
    """
    try:
        content = read_regular(file, max_bytes=MAX_FILE_BYTES)
    except OSError:
        return FileBlame(())
    head = git_head(file.parent)[1] or _head(file.parent)
    digest = hashlib.blake2b(content, digest_size=16).digest()
    key = (file, head, digest)
    found = _kept.get(key)
    if found is None:
        found = _blame(file, head, content)
        _kept.put(key, found)
    return found


def _head(folder: Path) -> str:
    """The commit in work as git names it; empty before the first one."""
    head = git(folder, "rev-parse", "--verify", "--quiet", "HEAD", may_fail=True)
    if not head:
        git(folder, "rev-parse", "--git-dir")
    return head.decode("ascii", "replace").strip()


class _KeptBlames:
    """Who changed the lines of the files that were asked about last, up to so many lines. Safe for several threads."""

    def __init__(self, max_lines: int) -> None:
        self._max_lines = max_lines
        self._lines = 0
        self._kept: OrderedDict[tuple[Path, str, bytes], FileBlame] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[Path, str, bytes]) -> FileBlame | None:
        """What is kept under a key, which counts as used from now."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: tuple[Path, str, bytes], blame: FileBlame) -> None:
        """Keep something, and let go of what was not used for the longest time."""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = blame
                self._lines += len(blame.lines)
            while self._lines > self._max_lines:
                self._lines -= len(self._kept.popitem(last=False)[1].lines)


_kept = _KeptBlames(MAX_KEPT_LINES)


def _blame(file: Path, head: str, content: bytes) -> FileBlame:
    now = [line.rstrip(b"\r") for line in content.split(b"\n")]
    output = _committed(file) if head else b""
    blamed, before = parse_porcelain(output)
    lines: list[Blame | None] = [None] * len(now)
    for old, new, count in matching_lines(before, now):
        lines[new : new + count] = blamed[old : old + count]
    return FileBlame(tuple(lines))


def _committed(file: Path) -> bytes:
    """Git's blame of the committed file; empty if the current commit lacks it."""
    names = ("ls-tree", "--name-only", "-z", "HEAD", "--", file.name)
    if not git(file.parent, *names, timeout_s=TIMEOUT_S):
        return b""
    options = ("blame", "--porcelain", "--encoding=UTF-8")
    return git(file.parent, *options, "HEAD", "--", file.name, timeout_s=TIMEOUT_S)


def parse_porcelain(output: bytes) -> tuple[list[Blame], list[bytes]]:
    """Who changed each line last, and the lines, from what `git blame --porcelain` prints.

    Raises:
        HistoryUnavailable: If that is not what it should be.
    """
    commits: dict[str, Blame] = {}
    blamed: list[Blame] = []
    texts: list[bytes] = []
    name, fields = "", dict[str, str]()
    for row in output.split(b"\n"):
        if row.startswith(b"\t"):
            if name not in commits:
                commits[name] = _commit(name, fields)
            blamed.append(commits[name])
            texts.append(row[1:].rstrip(b"\r"))
            name, fields = "", {}
        elif row:
            key, _, value = row.decode("utf-8", "replace").partition(" ")
            if name:
                fields[key] = value
            else:
                name = key
    return blamed, texts


def _commit(name: str, fields: dict[str, str]) -> Blame:
    try:
        time_s, written_s = int(fields["committer-time"]), int(fields["author-time"])
    except (KeyError, ValueError) as err:
        raise HistoryUnavailable(f"git told nothing of the commit `{name[:12]}`") from err
    return Blame(
        commit=name,
        author=fields.get("author", ""),
        email=fields.get("author-mail", "").strip("<>"),
        date=written_date(time_s, fields.get("committer-tz", "")),
        summary=fields.get("summary", ""),
        time_s=time_s,
        written_s=written_s,
        is_boundary="boundary" in fields,
    )


def written_date(time_s: int, zone: str) -> str:
    """A moment in ISO 8601 in a time zone as git writes it, `+0130`; in UTC if that is none."""
    offset = timedelta()
    if len(zone) == 5 and zone[1:].isdecimal():
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:]))
        offset = -offset if zone[0] == "-" else offset
    try:
        return datetime.fromtimestamp(time_s, timezone(offset)).isoformat()
    except (OverflowError, ValueError, OSError):
        return ""


def matching_lines(before: Sequence[bytes], now: Sequence[bytes]) -> list[tuple[int, int, int]]:
    """Runs of equal lines: where they begin in each, and how many they are."""
    most = min(len(before), len(now))
    head = next((at for at in range(most) if before[at] != now[at]), most)
    most -= head
    tail = next((at for at in range(most) if before[-1 - at] != now[-1 - at]), most)
    old, new = before[head : len(before) - tail], now[head : len(now) - tail]
    runs = [(0, 0, head), (len(before) - tail, len(now) - tail, tail)]
    if max(len(old), len(new)) <= _MAX_COMPARED:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        runs += [(head + block.a, head + block.b, block.size) for block in blocks]
    return [run for run in runs if run[2]]
