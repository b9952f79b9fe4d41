"""Sums each file's commits of 90 days from `git log`; a commit weighs log2(1 + changed lines of the file).

The 90 days end now, or with the last commit if that is older: what was worked on is known of a repository at rest, too.

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
_WINDOW = timedelta(days=WINDOW_DAYS)

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


@dataclass(slots=True)
class ActivityWindow:
    """The activity of each file in the `WINDOW_DAYS` days up to a day, like 2026-01-31."""

    files: dict[str, Activity]
    last_day: str


def git_activity(root: Path, *, clock: Clock) -> ActivityWindow | None:
    """The activity of each file below `root`; `None` without git's history."""
    end = datetime.fromtimestamp(clock.now_ns() / 1e9, tz=timezone.utc)
    try:
        last = git(root, "log", "--max-count=1", "--format=%ct", "HEAD", "--", ".").strip()
        if last and int(last) < (end - _WINDOW).timestamp():
            end = datetime.fromtimestamp(int(last), tz=timezone.utc)
        since = (end - _WINDOW).isoformat(timespec="seconds")
        files = parse_log(git(root, *log_arguments(since)))
    except HistoryUnavailable:
        return None
    return ActivityWindow(files=files, last_day=end.date().isoformat())


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
