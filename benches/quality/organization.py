"""How well many repositories are searched as one: which are asked, and how their hits compare.

    python -m benches.quality.organization --data DATA --repos CHECKOUTS --stores DIR [--out FILE]

`DATA` is the public benchmark and `CHECKOUTS` has its repositories at their revisions. Each answers from a store of its own. The
right file in the right repository counts, by NDCG@10, among ten repositories (nine are drawn for each question) and among all.
The weight of the likelihood is chosen on three quarters of the repositories and judged on the last one, four times.
"""

import argparse
import hashlib
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from benches.quality.merging import LIMIT, ndcg
from benches.results import Figure, Results, spread
from codecairn.config import layers
from codecairn.core.engine import stemmed_words
from codecairn.workspace.organization.query_likelihood import WEIGHT, relevances
from codecairn.workspace.organization.summaries import Summary
from codecairn.workspace.workspace import Workspace

FOLDS = 4
TEN = 10
WEIGHTS = tuple(step / 10 for step in range(16))

Hits = Sequence[tuple[str, float]]


@dataclass(frozen=True)
class Question:
    """A question, its answers, and the likelihood of its words, at a weight of 1, by repository.

    `others` are the repositories in the order in which they are drawn to answer, too.
    """

    repository: str
    right: frozenset[str]
    hits: Mapping[str, Hits]
    stems: Sequence[str]
    others: Sequence[str]

    def score(self, summaries: Mapping[str, Summary], *, size: int, weight: float) -> float:
        """NDCG of the merged list."""
        asked = [self.repository, *self.others[: size - 1]]
        counts = [summaries[name].stem_counts(self.stems) for name in asked]
        gains = relevances(self.stems, counts)
        ranked = sorted(
            (-score - gain * weight / WEIGHT, name, path)
            for name, gain in zip(asked, gains, strict=True)
            for path, score in self.hits[name]
        )
        return ndcg([(name, path) for _, name, path in ranked], self.repository, self.right)

    def rank(self, summaries: Mapping[str, Summary]) -> int:
        """The place of its repository among all, by likelihood alone."""
        asked = [self.repository, *self.others]
        own, *rest = relevances(
            self.stems, [summaries[name].stem_counts(self.stems) for name in asked]
        )
        return 1 + sum(other > own for other in rest)


def collect(
    data: Path, specs: Sequence[Mapping[str, str]], workspaces: Mapping[str, Workspace]
) -> Iterator[Question]:
    """All questions, each put to all repositories."""
    draw = random.Random(1)
    for spec in specs:
        name, top = spec["name"], spec["benchmark_root"]
        for row in json.loads((data / "annotations" / f"{name}.json").read_text("utf-8")):
            places = (_path(each) for each in row["relevant"])
            right = frozenset(each.removeprefix(f"{top}/") if top else each for each in places)
            others = [other for other in workspaces if other != name]
            draw.shuffle(others)
            yield Question(
                name,
                right,
                {
                    other: [(hit.path, hit.score) for hit in each.search(row["query"], limit=LIMIT)]
                    for other, each in workspaces.items()
                },
                [stem for _, stem in stemmed_words(row["query"])],
                others,
            )


def held_out(
    questions: Sequence[Question], summaries: Mapping[str, Summary], *, size: int
) -> tuple[float, list[float]]:
    """The mean score with the weight that other repositories chose, and these weights."""
    scores: list[float] = []
    chosen = []
    table = [
        {weight: each.score(summaries, size=size, weight=weight) for weight in WEIGHTS}
        for each in questions
    ]
    for fold in range(FOLDS):
        inside = [_fold(each.repository) == fold for each in questions]
        fit = [row for row, is_judged in zip(table, inside, strict=True) if not is_judged]
        weight = max(WEIGHTS, key=lambda weight: mean(row[weight] for row in fit))
        chosen.append(weight)
        scores += [row[weight] for row, is_judged in zip(table, inside, strict=True) if is_judged]
    return mean(scores), chosen


def _fold(name: str) -> int:
    return hashlib.sha256(name.encode()).digest()[0] % FOLDS


def _path(place: str | Mapping[str, str]) -> str:
    return place if isinstance(place, str) else place["path"]


def main() -> None:
    """Ask, merge, and print a line for each way."""
    parser = argparse.ArgumentParser(prog="python -m benches.quality.organization")
    for name in ("--data", "--repos", "--stores"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--out", type=Path, help="write the figures here, as JSON")
    given = parser.parse_args()
    settings = layers.load(None, arguments={"search.refresh": False}).settings
    specs = json.loads((given.data / "repos.json").read_text("utf-8"))
    workspaces = {
        spec["name"]: Workspace(
            given.repos / spec["root"], settings, store=given.stores / spec["name"]
        )
        for spec in specs
    }
    summaries, times_ms, sizes = {}, [], []
    for name, workspace in workspaces.items():
        workspace.index()
        started_s = time.perf_counter()
        summaries[name] = Summary.of(workspace.stem_counts(), state=b"")
        times_ms.append((time.perf_counter() - started_s) * 1_000)
        sizes.append(len(summaries[name].hashes) * 12 / 1_000)
    questions = list(collect(given.data, specs, workspaces))
    results = Results("Many repositories, searched as one")
    results.add(spread("making a summary", times_ms, "ms", note=f"{len(specs)} repositories"))
    results.add(spread("size of a summary", sizes, "kB"))
    alone = mean(each.score(summaries, size=1, weight=0.0) for each in questions)
    results.add(Figure(measure="alone", value=alone, note=f"{len(questions)} questions"))
    for size in (TEN, len(specs)):
        plain = mean(each.score(summaries, size=size, weight=0.0) for each in questions)
        merged, weights = held_out(questions, summaries, size=size)
        note = f"weights {', '.join(f'{weight:g}' for weight in weights)}"
        results.add(Figure(measure=f"of {size}, by scores", value=plain))
        results.add(Figure(measure=f"of {size}, by scores and likelihood", value=merged, note=note))
    for first in (1, 3, 5, 10):
        share = mean(each.rank(summaries) <= first for each in questions)
        results.add(Figure(measure=f"the right repository is among the first {first}", value=share))
    if given.out:
        results.write(given.out)


if __name__ == "__main__":
    main()
