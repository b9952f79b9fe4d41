"""Ask real repositories questions whose answers were read in their source beforehand.

Each checkout gets an empty data folder, so its seconds are those of a first index.

python -m benches.quality.repositories --repos DIR [--only NAME] [--command codecairn] [--out FILE] [--verbose]
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.results import Figure, Results

QUESTIONS = Path(__file__).with_name("repositories.json")
KINDS = ("definition", "parts", "question")
TOP = 20
"""How many results are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A right place: the line that must be shown."""

    path: str
    line: int
    symbol: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and every place that answers it."""

    kind: str
    query: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A public repository at one revision."""

    name: str
    language: str
    url: str
    revision: str
    files: int
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Where the answer was found."""

    question: Question
    # Place of the first hit in a right file; None if it is not among the first.
    rank: int | None
    # Whether that hit shows a right line.
    shows_line: bool

    def __str__(self) -> str:
        if self.rank is None:
            return "none"
        return f"{self.rank}{'' if self.shows_line else ', other span'}"


def main() -> None:
    """Index, ask and print."""
    options = _options()
    command = shlex.split(options.command)
    rows: list[str] = []
    outcomes: list[Outcome] = []
    for repository in load(QUESTIONS):
        root = options.repos / repository.name
        if not root.is_dir() or (options.only and repository.name not in options.only):
            continue
        with tempfile.TemporaryDirectory(prefix="codecairn-bench-") as home:
            os.environ["CODECAIRN_HOME"] = home
            report = _run(command, root, "index")
            found = [ask(command, root, question) for question in repository.questions]
        if report["files"] != repository.files:
            print(
                f"{repository.name}: {report['files']} files, {repository.files} were expected",
                file=sys.stderr,
            )
        outcomes += found
        rows.append(_row(repository, report, found))
        for outcome in found if options.verbose else ():
            print(f"{outcome!s:<16} {repository.name}: {outcome.question.query}", file=sys.stderr)
    if not outcomes:
        raise SystemExit("no repository is checked out there")
    print("\n".join([_heading(), *rows, "", *_summary(outcomes)]))
    if options.out:
        results = Results("Real repositories")
        results.add(_figures(outcomes))
        results.write(options.out)


def load(path: Path) -> tuple[Repository, ...]:
    """Read the repositories with their questions."""

    def question(given: dict[str, Any]) -> Question:
        answers = tuple(Answer(**answer) for answer in given["answers"])
        return Question(kind=given["kind"], query=given["query"], answers=answers)

    def repository(given: dict[str, Any]) -> Repository:
        questions = tuple(question(each) for each in given.pop("queries"))
        return Repository(**given, questions=questions)

    return tuple(repository(given) for given in json.loads(path.read_text(encoding="utf-8")))


def ask(command: list[str], root: Path, question: Question) -> Outcome:
    """Search for the answer of one question."""
    hits = _run(command, root, "search", question.query, "--limit", str(TOP))["results"]
    for rank, hit in enumerate(hits, start=1):
        lines = [answer.line for answer in question.answers if answer.path == hit["path"]]
        if lines:
            shows = any(hit["start_line"] <= line <= hit["end_line"] for line in lines)
            return Outcome(question=question, rank=rank, shows_line=shows)
    return Outcome(question=question, rank=None, shows_line=False)


def _run(command: list[str], root: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [*command, *arguments, "--path", str(root), "--json"],
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _heading() -> str:
    columns = ["repository", "language", "files", "chunks", "seconds", *KINDS]
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


def _row(repository: Repository, report: dict[str, Any], outcomes: list[Outcome]) -> str:
    by_kind = {outcome.question.kind: str(outcome) for outcome in outcomes}
    cells = [
        f"[{repository.name}]({repository.url}/tree/{repository.revision})",
        repository.language,
        f"{report['files']:,}",
        f"{report['chunks']:,}",
        f"{report['seconds']:.2f}",
        *(by_kind[kind] for kind in KINDS),
    ]
    return f"| {' | '.join(cells)} |"


def _summary(outcomes: list[Outcome]) -> list[str]:
    lines = ["| | queries | right file first | and right line shown | right file in first ten |"]
    lines.append("|---|---|---|---|---|")
    for kind in KINDS:
        asked = [outcome for outcome in outcomes if outcome.question.kind == kind]
        first = [outcome for outcome in asked if outcome.rank == 1]
        shown = sum(outcome.shows_line for outcome in first)
        near = sum(outcome.rank is not None and outcome.rank <= 10 for outcome in asked)
        lines.append(f"| {kind} | {len(asked)} | {len(first)} | {shown} | {near} |")
    return lines


def _figures(outcomes: list[Outcome]) -> Iterator[Figure]:
    for kind in KINDS:
        asked = [outcome for outcome in outcomes if outcome.question.kind == kind]
        first = sum(outcome.rank == 1 for outcome in asked)
        near = sum(outcome.rank is not None and outcome.rank <= 10 for outcome in asked)
        subject = f"repositories: {kind}, right file"
        yield Figure(measure=f"{subject} first of {len(asked)}", value=first)
        yield Figure(measure=f"{subject} in ten of {len(asked)}", value=near)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benches.quality.repositories",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument(
        "--repos", type=Path, required=True, help="folder with one checkout for each repository"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this repository"
    )
    parser.add_argument("--command", default="codecairn", help="how codecairn is called")
    parser.add_argument("--out", type=Path, help="write the figures here, as JSON")
    parser.add_argument("--verbose", action="store_true", help="show each query's outcome")
    return parser.parse_args()


if __name__ == "__main__":
    main()
