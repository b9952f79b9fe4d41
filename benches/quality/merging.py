"""How well the answers of several stores are merged into one list.

    python -m benches.quality.merging --data DATA --packages SITE_PACKAGES --stores DIR [--out FILE]

Three ways are compared: by the scores as they are, by scores to which the likelihood of the question in each store is added, and by
ranks. `SITE_PACKAGES` is a folder with Python packages. Those that `DATA` (the public benchmark) has annotations for ask their questions,
all named packages that are there answer, each from a store of its own. The right file in the right package counts, by NDCG@10; the package comes first
or last of those whose hits are equal.
"""

import argparse
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benches.results import Figure, Results
from codecairn.config import layers
from codecairn.core.engine import stemmed_words
from codecairn.core.types.hits import SearchResult
from codecairn.workspace.knowledge.hit_merge import Part, merged
from codecairn.workspace.organization.query_likelihood import relevances
from codecairn.workspace.organization.summaries import Summary
from codecairn.workspace.workspace import Workspace

ASKING = ("httpx", "starlette", "pydantic")
ANSWERING = (*ASKING, "click", "rich", "anyio", "jinja2", "mcp", "hypothesis", "PIL")
LIMIT = 10

Answers = Mapping[str, SearchResult]
Question = tuple[str, str, frozenset[str]]


def questions(data: Path, packages: Path) -> list[Question]:
    """Package, question, right files inside of it."""
    found = []
    for package in ASKING:
        for row in json.loads((data / "annotations" / f"{package}.json").read_text("utf-8")):
            places = [str(place).partition(f"{package}/")[2] for place in row["relevant"]]
            right = {place for place in places if place and (packages / package / place).is_file()}
            if right:
                found.append((package, row["query"], frozenset(right)))
    return found


def ndcg(places: Sequence[tuple[str, str]], package: str, right: frozenset[str]) -> float:
    """Of the first ten places (package, path)."""
    gain = sum(
        1 / math.log2(rank + 2)
        for rank, (base, path) in enumerate(places[:LIMIT])
        if base == package and path.removeprefix(f"{package}/") in right
    )
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(LIMIT, len(right))))


def places(
    answers: Answers, relevance: Mapping[str, float], *, by_rank: bool
) -> list[tuple[str, str]]:
    """The merged list."""
    parts = [
        Part(base=name, prefix=f"{name}/", result=result, relevance=relevance.get(name, 0.0))
        for name, result in answers.items()
    ]
    return [(hit.base, hit.path) for hit in merged(parts, limit=LIMIT, by_rank=by_rank)]


def main() -> None:
    """Ask, merge, and print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--data", "--packages", "--stores"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--out", type=Path, help="write the figures here, as JSON")
    given = parser.parse_args()
    settings = layers.load(None, arguments={"search.refresh": False}).settings
    names = [name for name in ANSWERING if (given.packages / name).is_dir()]
    workspaces = {
        name: Workspace(given.packages / name, settings, store=given.stores / name)
        for name in names
    }
    for workspace in workspaces.values():
        workspace.index()
    summaries = {
        name: Summary.of(each.stem_counts(), state=b"") for name, each in workspaces.items()
    }

    def relevance(query: str, of: Sequence[str]) -> dict[str, float]:
        stems = [stem for _, stem in stemmed_words(query)]
        counts = [summaries[name].stem_counts(stems) for name in of]
        return dict(zip(of, relevances(stems, counts), strict=True))

    asked = [
        (
            package,
            query,
            right,
            {name: each.search(query, limit=LIMIT) for name, each in workspaces.items()},
        )
        for package, query, right in questions(given.data, given.packages)
    ]

    def beside(package: str, answers: Answers) -> list[Answers]:
        return [
            {package: answers[package], name: answers[name]} for name in names if name != package
        ]

    def after(package: str, answers: Answers) -> list[Answers]:
        return [dict(reversed(list(each.items()))) for each in beside(package, answers)]

    def last(package: str, answers: Answers) -> list[Answers]:
        return [{**{n: a for n, a in answers.items() if n != package}, package: answers[package]}]

    ways: dict[str, Callable[[str, Answers], list[Answers]]] = {
        "alone": lambda package, answers: [{package: answers[package]}],
        "first of two": beside,
        "second of two": after,
        "first of all": lambda package, answers: [{package: answers[package], **answers}],
        "last of all": last,
    }
    results = Results("Several stores in one list")
    for words, ways_of in ways.items():
        for how in ("scores", "scores and likelihood", "ranks"):
            scores = [
                ndcg(
                    places(
                        each,
                        relevance(query, list(each)) if how == "scores and likelihood" else {},
                        by_rank=how == "ranks",
                    ),
                    package,
                    right,
                )
                for package, query, right, answers in asked
                for each in ways_of(package, answers)
            ]
            mean = sum(scores) / len(scores)
            note = f"{len(scores):,} lists"
            results.add(Figure(measure=f"merging: {words}, by {how}", value=mean, note=note))
    if given.out:
        results.write(given.out)


if __name__ == "__main__":
    main()
