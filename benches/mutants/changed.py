"""Which lines a commit, or what is not committed yet, changed."""

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from benches.mutants.mutant import Mutant

_PLAIN = [
    *("--unified=0", "--no-color", "--no-ext-diff", "--no-renames"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
]

_HUNK = re.compile(r"@@ -\S+ \+(?P<first>\d+)(?:,(?P<count>\d+))? @@")


def changed_lines(since: str, root: Path) -> dict[str, set[int]]:
    """The lines of the files as they are now that differ from a commit's."""
    diff = subprocess.run(
        ["git", "diff", *_PLAIN, since, "--"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return read_diff(diff.stdout)


def read_diff(diff: str) -> dict[str, set[int]]:
    """The lines that a unified diff without context adds or replaces, by file."""
    lines: dict[str, set[int]] = {}
    path = ""
    in_head = True
    for row in diff.splitlines():
        if row.startswith("diff --git "):
            in_head = True
        elif in_head and row.startswith("+++ b/"):
            path = row.removeprefix("+++ b/")
        elif hunk := _HUNK.match(row):
            in_head = False
            first, count = int(hunk["first"]), int(hunk["count"] or 1)
            if count:
                lines.setdefault(path, set()).update(range(first, first + count))
    return lines


def of_lines(mutants: Iterable[Mutant], lines: dict[str, set[int]]) -> Iterator[Mutant]:
    """The mutants that begin on one of these lines."""
    return (mutant for mutant in mutants if mutant.line in lines.get(mutant.path, ()))
