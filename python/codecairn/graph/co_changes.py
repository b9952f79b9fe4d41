"""Files that git's history changed together with those of a change.

A commit of many files says little about any two of them, so each commit counts by 1 / log2(1 + files): the share of a
file is the sum over the commits that it has in common with the change, by the sum over all commits of the change's files.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from codecairn.core.engine import git_head
from codecairn.core.git import git
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import HistoryUnavailable

MAX_COMMITS = 1_000
"""The latest commits that are read."""
MAX_FILES = 100
"""Commits of more files than this are no evidence: renames of folders, new licences, the end of a shallow clone."""

_TIMEOUT_S = 10
_BEGIN = b"\x01"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoChange:
    """How often a file was changed together with those of a change.

    Attributes:
        together: In how many commits.
        commits: How many commits changed the change's files.
        share: The damped share, 0 to 1.
    """

    together: int
    commits: int
    share: float


def co_changes(
    root: Path, paths: Collection[str], *, head: str = ""
) -> tuple[Mapping[str, CoChange], tuple[str, ...]]:
    """The files that the latest commits up to `head` changed together with any of `paths`; a note if git could not tell.

    Without a history there are none.
    """
    head = head or git_head(root)[1]
    if not head:
        return {}, ()
    try:
        output = git(
            root,
            "log",
            "--format=%x01",
            "--name-only",
            "-z",
            "--relative",
            "--no-renames",
            "--no-merges",
            f"--max-count={MAX_COMMITS}",
            head,
            "--",
            ".",
            timeout_s=_TIMEOUT_S,
        )
    except HistoryUnavailable as err:
        return {}, (f"files that changed together are not known: {err.message}",)
    return counted_together(_commits(output), frozenset(paths)), ()


def counted_together(
    commits: Iterator[frozenset[str]], paths: frozenset[str]
) -> Mapping[str, CoChange]:
    """The counts and shares of the files of these commits, each a set of files."""
    count, weight = 0, 0.0
    together: defaultdict[str, int] = defaultdict(int)
    weights: defaultdict[str, float] = defaultdict(float)
    for files in commits:
        if len(files) <= MAX_FILES and not paths.isdisjoint(files):
            damped = 1 / math.log2(1 + len(files))
            count += 1
            weight += damped
            for file in files - paths:
                together[file] += 1
                weights[file] += damped
    return {
        file: CoChange(together=times, commits=count, share=weights[file] / weight)
        for file, times in together.items()
    }


def _commits(output: bytes) -> Iterator[frozenset[str]]:
    """The files of each commit in the output of `git log`; names that are not UTF-8 are never indexed and left out."""
    files: set[str] = set()
    for part in output.split(b"\0"):
        if part == _BEGIN:
            yield frozenset(files)
            files = set()
            continue
        with suppress(UnicodeDecodeError):
            files.add(part.lstrip(b"\n").decode("utf-8"))
    yield frozenset(files)
