"""How many of the test files that a commit changed are among the first ten that `impact` names.

    python -m benches.quality.impact --clones DIR --scratch DIR [--judge NAME]... [--commits 12] [--into FILE]

Each folder in `--clones` is a clone with history. Of its latest commits that change code and tests, the parent is checked out and
indexed in `--scratch`, the part of the change that is no test is laid on it, and `impact` is asked for the working tree's changes.
Only tests that were there before count. The share of them among the first ten is reported for `impact`, for the same names alone
and for history alone. Clones named by `--judge` are scored apart: weights are fitted without them.

`--into` keeps each commit's candidates with their features, from which `--fit FILE` fits the weights by logistic regression.
"""

import argparse
import json
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from statistics import fmean

from codecairn import Workspace
from codecairn.core.engine import git_head
from codecairn.graph.changes import working_tree
from codecairn.graph.co_changes import co_changes
from codecairn.graph.impact import reach_of
from codecairn.graph.likely_tests import WEIGHTS, evidence_of
from codecairn.graph.test_detection import is_in_tests, is_test_path

FIRST = 10
_MAX_FILES = 12
_LOOKED_AT = 800
_CODE = frozenset((
    ".py", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".java", ".kt", ".rb", ".php", ".cs", ".c", ".h", ".cc", ".cpp",
    ".hpp", ".lua", ".ex", ".exs", ".scala", ".swift",
))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A commit, the test files that it changed, and what was named for the rest of it.

    `features` are those of each candidate; `named` are the paths by each method, the first first.
    """

    repository: str
    commit: str
    expected: tuple[str, ...]
    named: dict[str, tuple[str, ...]]
    risk: str
    is_low_without_test: bool
    features: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def share(self, method: str) -> float:
        """The share of the expected files among the first ten of a method."""
        first = self.named[method][:FIRST]
        return sum(path in first for path in self.expected) / len(self.expected)


def candidates(
    clone: Path, *, count: int
) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """The latest commits that change code and tests: the id, the files of code, and the test files that exist before it."""
    log = _git(
        clone,
        "log",
        f"--max-count={_LOOKED_AT}",
        "--no-merges",
        "--no-renames",
        "--name-status",
        "-z",
        "--format=%x01%H",
    )
    found = 0
    for entry in log.split("\x01")[1:]:
        commit, *parts = entry.replace("\n", "").split("\0")
        parts = [part for part in parts if part]
        changes = dict(zip(parts[1::2], parts[::2], strict=False))
        code = [path for path in changes if _is_code(path)]
        tests = tuple(path for path in code if is_test_path(path) and changes[path] == "M")
        own = tuple(path for path in code if not is_test_path(path))
        is_modified = any(changes[path] == "M" for path in own)
        if tests and own and is_modified and len(changes) <= _MAX_FILES:
            yield commit, own, tests
            found += 1
        if found == count:
            return


def replay(clone: Path, scratch: Path, *, count: int) -> Iterator[Replayed]:
    """Each commit in turn; the index is kept from one to the next."""
    tree = scratch / clone.name / "tree"
    shutil.rmtree(scratch / clone.name, ignore_errors=True)
    subprocess.run(
        ["git", "clone", "--quiet", "--shared", "--no-checkout", clone, tree], check=True
    )
    for commit, own, tests in candidates(clone, count=count):
        _git(tree, "checkout", "--quiet", "--force", f"{commit}^")
        for path in own:
            _write(tree, commit, path)
        with Workspace.open(tree) as workspace:
            yield _replayed(workspace, tree, clone.name, commit, tests)
    shutil.rmtree(scratch / clone.name)


def _replayed(
    workspace: Workspace, tree: Path, name: str, commit: str, tests: tuple[str, ...]
) -> Replayed:
    found = workspace.graph.impact()
    engine = workspace.graph.engine(refresh=False)
    branch, head = git_head(tree)
    change = working_tree(tree, branch=branch, head=head)
    reach = reach_of(engine, change, max_depth=5, hub_threshold=10)
    history, _ = co_changes(tree, found.files)
    evidence = evidence_of(engine, reach, found.files, history)
    by_history = sorted(
        (path for path in history if is_test_path(path) and _is_code(path)),
        key=lambda path: (-history[path].share, path),
    )
    by_name = sorted(evidence, key=lambda path: (-evidence[path].same_name, path))
    has_own = any(not is_in_tests(symbol) for symbol in found.touched)
    return Replayed(
        repository=name,
        commit=commit,
        expected=tests,
        named={
            "impact": tuple(each.path for each in found.test_files),
            "same name": tuple(path for path in by_name if evidence[path].same_name),
            "history": tuple(by_history),
        },
        risk=found.risk,
        is_low_without_test=has_own
        and found.risk == "LOW"
        and any("no test is known" in each for each in found.reasons),
        features={path: each.features for path, each in evidence.items()},
    )


def report(rows: Sequence[Replayed]) -> str:
    """The mean share of each method, by repository and over all."""
    groups: defaultdict[str, list[Replayed]] = defaultdict(list)
    for row in rows:
        groups[row.repository].append(row)
    lines = [
        "| repository | commits | impact | same name | history | LOW, no test known |",
        "|---|---|---|---|---|---|",
    ]
    for name, group in (*sorted(groups.items()), ("all", list(rows))):
        shares = " | ".join(
            f"{fmean(row.share(method) for row in group):.3f}"
            for method in ("impact", "same name", "history")
        )
        lines.append(
            f"| {name} | {len(group)} | {shares} | {sum(row.is_low_without_test for row in group)} |"
        )
    risks = Counter(row.risk for row in rows)
    lines.append(f"risks: {dict(sorted(risks.items()))}")
    return "\n".join(lines)


def fit(rows: Sequence[dict[str, object]]) -> tuple[float, ...]:
    """Weights with which the most of the expected files are among the first ten, by coordinate ascent from those in use."""
    weights, best = list(WEIGHTS), _objective(rows, WEIGHTS)
    for _ in range(3):
        for at in range(len(weights)):
            for value in (0.0, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0):
                trial = [*weights[:at], value, *weights[at + 1 :]]
                score = _objective(rows, trial)
                if score > best + 1e-9:
                    weights, best = trial, score
    return tuple(weights)


def _objective(rows: Sequence[dict[str, object]], weights: Sequence[float]) -> float:
    """The mean share among the first ten, and a little of the mean reciprocal rank to tell equal weights apart."""
    total = 0.0
    for row in rows:
        features: dict[str, list[float]] = row["features"]  # type: ignore[assignment]
        expected: list[str] = row["expected"]  # type: ignore[assignment]
        order = sorted(features, key=lambda path: (-_dot(weights, features[path]), path))
        ranks = [order.index(path) if path in features else len(order) + FIRST for path in expected]
        total += fmean((rank < FIRST) + 0.1 / (1 + rank) for rank in ranks)
    return total / len(rows)


def _dot(weights: Sequence[float], features: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, features, strict=True))


def _is_code(path: str) -> bool:
    return PurePosixPath(path).suffix in _CODE


def _write(tree: Path, commit: str, path: str) -> None:
    """Lays the state of a file after a commit on the working tree."""
    done = subprocess.run(
        ["git", "-C", tree, "show", f"{commit}:{path}"], capture_output=True, check=False
    )
    file = tree / path
    if done.returncode:
        file.unlink(missing_ok=True)
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(done.stdout)


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def main() -> None:
    """Replay, report, and fit if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benches.quality.impact")
    parser.add_argument("--clones", type=Path)
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--judge", action="append", default=[])
    parser.add_argument("--commits", type=int, default=12)
    parser.add_argument("--into", type=Path)
    parser.add_argument("--fit", type=Path)
    given = parser.parse_args()
    if given.fit:
        rows = [json.loads(line) for line in given.fit.read_text().splitlines()]
        weights = fit([row for row in rows if row["repository"] not in given.judge])
        print(weights)
        return
    rows = []
    for clone in sorted(given.clones.iterdir()):
        for row in replay(clone.absolute(), given.scratch, count=given.commits):
            rows.append(row)
            if given.into:
                with given.into.open("a") as out:
                    out.write(
                        json.dumps({name: getattr(row, name) for name in Replayed.__slots__}) + "\n"
                    )
    for title, is_judge in (("fit", False), ("judge", True)):
        part = [row for row in rows if (row.repository in given.judge) is is_judge]
        if part:
            print(f"{title}\n{report(part)}\n")


if __name__ == "__main__":
    main()
