"""Issues with the places of their fixes, in the form that the sets of SWE-bench's kind share: reading, walking, and options.

MIRRORS has git directories `OWNER+NAME/repo`; issues whose commit is in no mirror are counted and left out.
"""

import argparse
import json
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from benches.agents.scripted import Hits, grep
from benches.public.parts import PARTS, interval, part_of
from benches.public.whole_files import WholeFiles
from benches.quality.lines.checkouts import Checkout, texts
from benches.quality.lines.questions import Target, ranges_of
from benches.quality.lines.systems import System, open_system
from benches.results import Figure, Results
from codecairn.errors import UsageError

ALONE = "grep alone"
BM25 = "bm25-files"

Values = dict[str, dict[str, list[float]]]
"""By measure, then by repository."""
Measured = Iterator[tuple[str, str, float]]
"""System, measure, value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """An issue, and the lines of the tree before its fix that the fix removed, or added others behind.

    Attributes:
        repository: `OWNER/NAME`.
        revision: The commit before the fix.
        text: The issue: a title, then its text.
        changed: Line numbers by path; files that the fix adds are no places of that tree.
    """

    id: str
    repository: str
    revision: str
    text: str
    changed: dict[str, frozenset[int]]

    @property
    def targets(self) -> tuple[Target, ...]:
        """The changed lines as targets of which one suffices."""
        return tuple(
            Target(path=path, ranges=ranges_of(lines))
            for path, lines in sorted(self.changed.items())
        )


_Issue = TypeVar("_Issue", bound=Issue)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[_Issue]):
    """An issue, ready to be asked: the files of its tree, what grep finds in them, and the systems with an index of them."""

    issue: _Issue
    files: dict[str, str]
    hits: Hits
    systems: dict[str, System]


def rows(path: Path, fields: Sequence[str], hint: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON objects of a file, one a line, each with its place for messages.

    Raises:
        UsageError: If the file is missing, or a line is no JSON or lacks a field.
    """
    if not path.is_file():
        raise UsageError(f"{path} is no file", hint=hint)
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UsageError(f"{place}: not JSON: {error}") from error
        missing = [name for name in fields if name not in row]
        if missing:
            raise UsageError(f"{place}: no {', '.join(missing)}")
        yield place, row


def walk(asked: Sequence[_Issue], mirror: Path, names: Sequence[str]) -> Iterator[Step[_Issue]]:
    """A step for each issue of one repository; its tree is written to a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="codecairn-tree-") as folder:
        tree = Path(folder, "tree")
        checkout = Checkout(mirror, tree)
        systems: dict[str, System] = {}
        try:
            for issue in asked:
                checkout.move(issue.revision)
                for system in systems.values():
                    system.refresh()
                for name in names if not systems else ():
                    systems[name] = WholeFiles(tree) if name == BM25 else open_system(name, tree)
                files = texts(tree)
                hits = grep(issue.text, files)
                yield Step(issue=issue, files=files, hits=hits, systems=systems)
        finally:
            for system in systems.values():
                system.close()


def has_commit(mirror: Path, revision: str) -> bool:
    """Whether a mirror is there and has a commit."""
    command = ["git", "-C", str(mirror), "cat-file", "-e", f"{revision}^{{commit}}"]
    return (
        mirror.is_dir() and not subprocess.run(command, check=False, capture_output=True).returncode
    )


def mirror_of(mirrors: Path, repository: str) -> Path:
    """The git directory of a repository; letters may differ in case, as they do in the data.

    Raises:
        UsageError: If there is no folder of mirrors.
    """
    if not mirrors.is_dir():
        raise UsageError(
            f"{mirrors} is no folder",
            hint=f"clone into it: `git clone --bare https://github.com/{repository} {mirrors}/OWNER+NAME/repo`",
        )
    wanted = repository.replace("/", "+")
    found = (each for each in mirrors.iterdir() if each.name.lower() == wanted.lower())
    return next(found, mirrors / wanted) / "repo"


def options_of(prog: str) -> argparse.Namespace:
    """The options that all sets share."""
    parser = argparse.ArgumentParser(prog=prog)
    parser.add_argument("data", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument(
        "--system", nargs="+", default=["codecairn", BM25, "bm25-windows", "keywords"]
    )
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--only", action="append", metavar="OWNER/NAME")
    parser.add_argument("--out", type=Path, help="default: benches/runs/…/public-….json")
    return parser.parse_args()


def measure(
    title: str,
    label: str,
    issues: Iterable[_Issue],
    ask: Callable[[Sequence[_Issue], Path, Sequence[str]], Measured],
    options: argparse.Namespace,
    out: Path,
) -> None:
    """Ask the systems about all issues of the parts, print the figures and write them."""
    found: dict[tuple[str, str], Values] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    by_repository: dict[str, list[_Issue]] = defaultdict(list)
    for issue in issues:
        by_repository[issue.repository].append(issue)
    left_out: dict[str, int] = {}
    for repository, asked in sorted(by_repository.items()):
        part = part_of(repository)
        if part not in options.part or (options.only and repository not in options.only):
            continue
        mirror = mirror_of(options.mirrors, repository)
        there = [each for each in asked if has_commit(mirror, each.revision)]
        if len(there) < len(asked):
            left_out[repository] = len(asked) - len(there)
        for name, of_measure, value in ask(there, mirror, options.system):
            found[part, name][of_measure][repository].append(value)
    results = Results(title)
    for (part, name), values in sorted(found.items()):
        results.add(figures(f"{label}, {part}, {name}", values))
    for repository, count in left_out.items():
        print(f"left out: {count} of {repository}, whose commit is in no mirror")
    results.write(options.out or out, left_out=left_out)


def figures(title: str, values: Values) -> Iterator[Figure]:
    """The figures of one system in one part."""
    for name, groups in values.items():
        is_share = not name.endswith(("tokens", "steps", "answer")) or "within" in name
        factor = 100 if is_share else 1
        mean, low, high = (factor * each for each in interval(groups))
        yield Figure(
            measure=f"{title}: {name}",
            value=mean,
            low=low,
            high=high,
            unit="%" if is_share else "",
            note=f"{sum(map(len, groups.values()))} issues",
        )
