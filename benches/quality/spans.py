"""Score the lines that are shown, not only the file: questions for definitions, answered by their positions.

    python -m benches.quality.spans --data DIR --repos DIR [--out FILE]

Every repository of the benchmark's development half is asked for its own names (`names`), in words and as written. An answer
counts if it covers the line of the definition. Where the benchmark itself names lines, its queries are scored the
same way.
"""

import argparse
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.quality.annotations import load
from benches.quality.metrics import Place
from benches.quality.names import ask_names
from benches.quality.plugin import Index
from benches.results import Figure, Results

NAMES = 10
# Others than those that the fit sees.
SEED = 11
TOP = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One question: the place of the first answer with the right file, and of the first with the right lines."""

    repository: str
    query: str
    kind: str
    file_place: int | None
    span_place: int | None
    lines: int
    first: Place | None


def judge(
    repository: str, kind: str, query: str, places: Sequence[Place], path: str, start: int, end: int
) -> Judged:
    """Judge the places, best first, by a path and the lines that must be met."""
    files = [at for at, place in enumerate(places, start=1) if place[0] == path]
    spans = [at for at in files if places[at - 1][1] <= end and places[at - 1][2] >= start]
    shown = places[spans[0] - 1] if spans else None
    return Judged(
        repository=repository,
        query=query,
        kind=kind,
        file_place=files[0] if files else None,
        span_place=spans[0] if spans else None,
        lines=shown[2] - shown[1] + 1 if shown else 0,
        first=places[0] if places else None,
    )


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(prog="python -m benches.quality.spans")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="write the figures here, as JSON")
    parser.add_argument("--verbose", action="store_true", help="list what was not shown first")
    options = parser.parse_args()
    judged: list[Judged] = []
    for repository in load(options.data, options.repos.resolve()):
        index = Index(str(repository.root))
        for kind, as_words in (("a name in words", True), ("a name", False)):
            for name in ask_names(repository.root, count=NAMES, as_words=as_words, seed=SEED):
                places = index.search(name.query, TOP)
                judged.append(
                    judge(
                        repository.name, kind, name.query, places, name.path, name.line, name.line
                    )
                )
        for question in repository.questions:
            target = question.targets[0]
            if target.start_line is None or target.end_line is None or len(question.targets) > 1:
                continue
            places = index.search(question.query, TOP)
            found = next((place[0] for place in places if target.covers(place[0], 1, 1 << 30)), "")
            judged.append(
                judge(
                    repository.name,
                    "of the benchmark",
                    question.query,
                    places,
                    found,
                    target.start_line,
                    target.end_line,
                )
            )
        index.close()
    print(report(judged))
    if options.out:
        results = Results("Lines, not only files")
        results.add(_figures(judged))
        results.write(options.out)
    for each in judged if options.verbose else ():
        if each.span_place != 1:
            print(f"{each.repository}: {each.query!r}: {each.span_place}, first is {each.first}")


def _figures(judged: list[Judged]) -> Iterator[Figure]:
    for kind in sorted({each.kind for each in judged}):
        group = [each for each in judged if each.kind == kind]
        note = f"{len(group)} questions"
        for name, shares in (
            ("right file first", [each.file_place == 1 for each in group]),
            ("right lines first", [each.span_place == 1 for each in group]),
            ("right lines in five", [each.span_place is not None for each in group]),
        ):
            yield Figure(measure=f"lines, {kind}: {name}", value=statistics.mean(shares), note=note)


def report(judged: list[Judged]) -> str:
    """The table, in Markdown."""
    lines = [
        "| questions | | right file first | right lines first | right lines in five | lines shown, median |",
        "|---|---|---|---|---|---|",
    ]
    for kind in sorted({each.kind for each in judged}):
        group = [each for each in judged if each.kind == kind]
        shown = [each.lines for each in group if each.span_place]
        shares = [
            statistics.mean(each.file_place == 1 for each in group),
            statistics.mean(each.span_place == 1 for each in group),
            statistics.mean(each.span_place is not None for each in group),
        ]
        figures = " | ".join(f"{share:.3f}" for share in shares)
        median = statistics.median(shown) if shown else 0
        lines.append(f"| {kind} | {len(group)} | {figures} | {median:.0f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
