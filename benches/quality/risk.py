"""Whether the risk that `impact` gives a commit of the past says that a fix of the same files followed within 30 days.

    python -m benches.quality.risk --clones DIR --scratch DIR [--commits 24] [--out FILE]

Of each clone in `--clones`, commits that change code and are older than 40 days are taken at even distances from the last 1,500. Each
is replayed as in `benches.quality.impact`. A fix is a later commit on the same line of history whose message has a word such
as "fix", "bug", "revert" or "regression", and that changes one of the same files outside of tests. The table has the share of commits
with such a fix by risk, and the area under the ROC curve of the risk, of what it is made of, and of the number of commits that
changed the same files in the 90 days before, which needs no graph.
"""

import argparse
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.quality.impact import _git, _is_code, _write
from benches.results import Figure, Results
from codecairn import Workspace
from codecairn.graph.test_detection import is_in_tests, is_test_path

LEVELS = ("LOW", "MEDIUM", "HIGH")

_FIXES = re.compile(
    r"\b(?:fix|fixes|fixed|fixing|bug|bugfix|hotfix|revert|reverts|regression)\b", re.I
)
_DAY_S = 86_400
_LOOKED_AT = 1_500
_MAX_FILES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A commit on the main line: when it was made, what it says, and the code outside of tests that it changes."""

    commit: str
    time_s: int
    is_fix: bool
    files: frozenset[str]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A replayed commit: its risk, what that is made of, how often its files changed before, and whether a fix followed."""

    repository: str
    risk: int
    dependents: int
    touched: int
    hubs: int
    unresolved: int
    is_bare: bool
    before: int
    is_fixed: bool


FEATURES: dict[str, Callable[[Outcome], float]] = {
    "risk": lambda row: row.risk,
    "dependents": lambda row: row.dependents,
    "symbols touched": lambda row: row.touched,
    "hubs touched": lambda row: row.hubs,
    "unresolved uses": lambda row: row.unresolved,
    "no test is known": lambda row: row.is_bare,
    "commits to the files in 90 days before": lambda row: row.before,
}


def history(clone: Path) -> list[Change]:
    """The main line's latest commits, the newest first."""
    log = _git(
        clone, "log", "--first-parent", f"--max-count={2 * _LOOKED_AT}", "--no-renames", "-m",
        "--name-status", "-z", "--format=%x01%H %ct %s",
    )  # fmt: skip
    found = []
    for entry in log.split("\x01")[1:]:
        head, _, rest = entry.partition("\0")
        commit, time_s, subject = head.strip().split(" ", 2)
        parts = [part for part in rest.strip("\n").split("\0") if part]
        changes = dict(zip(parts[1::2], parts[::2], strict=False))
        files = frozenset(
            path
            for path, how in changes.items()
            if how == "M" and _is_code(path) and not is_test_path(path)
        )
        found.append(
            Change(
                commit=commit, time_s=int(time_s), is_fix=bool(_FIXES.search(subject)),
                files=files, count=len(changes),
            )
        )  # fmt: skip
    return found


def replay(clone: Path, scratch: Path, *, count: int) -> Iterator[Outcome]:
    """Commits at even distances, each with its outcome."""
    changes = history(clone)
    latest_s = changes[0].time_s
    old = [
        (at, each)
        for at, each in enumerate(changes[:_LOOKED_AT])
        if each.files and each.count <= _MAX_FILES and latest_s - each.time_s > 40 * _DAY_S
    ]
    tree = scratch / clone.name
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(
        ["git", "clone", "--quiet", "--shared", "--no-checkout", clone, tree], check=True
    )
    for at, each in old[:: max(len(old) // count, 1)][:count]:
        try:
            _git(tree, "checkout", "--quiet", "--force", f"{each.commit}^")
        except subprocess.CalledProcessError:  # a tree that does not lie on this file system
            continue
        for path in each.files:
            _write(tree, each.commit, path)
        with Workspace.open(tree) as workspace:
            found = workspace.graph.impact()
        later = (other for other in changes[:at] if other.time_s - each.time_s <= 30 * _DAY_S)
        earlier = (
            other for other in changes[at + 1 :] if each.time_s - other.time_s <= 90 * _DAY_S
        )
        yield Outcome(
            repository=clone.name,
            risk=LEVELS.index(found.risk),
            dependents=sum(not is_in_tests(one.definition) for one in found.dependents),
            touched=len(found.touched),
            hubs=len(found.hubs),
            unresolved=found.unresolved_count,
            is_bare=any("no test is known" in reason for reason in found.reasons),
            before=sum(not each.files.isdisjoint(other.files) for other in earlier),
            is_fixed=any(
                other.is_fix and not each.files.isdisjoint(other.files) for other in later
            ),
        )
    shutil.rmtree(tree)


def area(rows: Sequence[Outcome], feature: Callable[[Outcome], float]) -> float:
    """The area under the ROC curve, within repositories: how often the fixed one of a pair has more of a feature."""
    by_repository: defaultdict[str, list[Outcome]] = defaultdict(list)
    for row in rows:
        by_repository[row.repository].append(row)
    wins = pairs = 0.0
    for group in by_repository.values():
        for fixed in (row for row in group if row.is_fixed):
            for other in (row for row in group if not row.is_fixed):
                pairs += 1
                more, less = feature(fixed), feature(other)
                wins += 1.0 if more > less else 0.5 if more == less else 0.0
    return wins / pairs if pairs else 0.5


def figures(rows: Sequence[Outcome]) -> Iterator[Figure]:
    """Shares by risk, and the area of each feature."""
    for level, name in enumerate(LEVELS):
        group = [row for row in rows if row.risk == level]
        if group:
            share = sum(row.is_fixed for row in group) / len(group)
            yield Figure(
                measure=f"followed by a fix, {name}", value=share, note=f"{len(group)} commits"
            )
    for name, feature in FEATURES.items():
        yield Figure(measure=f"area under the ROC curve, {name}", value=area(rows, feature))


def main() -> None:
    """Replay, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benches.quality.risk")
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=24)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows: list[Outcome] = []
    clones = sorted(given.clones.iterdir())
    for clone in clones:
        rows += replay(clone.absolute(), given.scratch, count=given.commits)
        print(clone.name, len(rows), flush=True)
    results = Results("Risk of a change")
    results.add(figures(rows))
    if given.out:
        names = ", ".join(clone.name for clone in clones)
        results.write(given.out, notes=[f"{len(rows)} commits of {names}"])


if __name__ == "__main__":
    main()
