"""Sums each file's commits of the last 90 days from `git log`; a commit weighs log2(1 + changed lines of the file).

Invariant: git is run only by `codecairn.core.git`, which runs no program of the repository's own.
"""

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from codecairn.clock import Clock
from codecairn.core.git import git
from codecairn.errors import HistoryUnavailable

WINDOW_DAYS = 90

_COMMIT = "\x01"
_BETWEEN = "\x1f"


@dataclass(slots=True)
class Activity:
    """What was done with one file.

    Attributes:
        commits: Commits that touched it.
        lines: Lines that they added and removed.
        weight: How active it is: each commit counts by the logarithm (base 2) of its lines.
        last_day: The day of the last of them, like 2026-01-31.
        authors: Who made them.
    """

    commits: int = 0
    lines: int = 0
    weight: float = 0.0
    last_day: str = ""
    authors: set[str] = field(default_factory=set)


def git_activity(root: Path, *, clock: Clock) -> dict[str, Activity] | None:
    """The activity of each file below `root` in the last `WINDOW_DAYS` days; `None` without git's history."""
    now = datetime.fromtimestamp(clock.now_ns() / 1e9, tz=timezone.utc)
    since = (now - timedelta(days=WINDOW_DAYS)).isoformat(timespec="seconds")
    try:
        return parse_log(git(root, *log_arguments(since)))
    except HistoryUnavailable:
        return None


def log_arguments(since: str) -> list[str]:
    """What makes git print each commit, and how many lines it added and removed in each file."""
    command = ["log", "--numstat", "-z", "--relative", "--no-renames"]
    command += ["--format=%x01%ae%x1f%cs", f"--since={since}"]
    return [*command, "HEAD", "--", "."]


def parse_log(output: bytes) -> dict[str, Activity]:
    """What git printed, by file; names that are not UTF-8 are never indexed and left out."""
    found: dict[str, Activity] = {}
    author = day = ""
    for raw in output.split(b"\0"):
        try:
            part = raw.decode("utf-8").lstrip("\n")
        except UnicodeDecodeError:
            continue
        if part.startswith(_COMMIT):
            author, _, day = part[1:].partition(_BETWEEN)
        elif part.count("\t") >= 2:
            added, removed, path = part.split("\t", 2)
            lines = sum(int(count) for count in (added, removed) if count.isdecimal())
            activity = found.setdefault(path, Activity())
            activity.commits += 1
            activity.lines += lines
            activity.weight += math.log2(1 + lines)
            activity.last_day = max(activity.last_day, day)
            activity.authors.add(author)
    return found
