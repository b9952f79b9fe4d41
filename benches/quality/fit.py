"""Fit the linear ranker on the development half of the public retrieval benchmark.

    python -m benches.quality.fit --data DIR --repos DIR [--write native/core/model/ranker.json]

Every query's pool comes from the engine itself with `explain`, so the features are those of the
running system. Beside the benchmark's queries stand questions for the repository's own names (`names`), which
weigh less and are never scored. The loss is listwise softmax (the log-probability of the relevant files under a
softmax over the pool), with L2 regularisation towards zero, one weight vector for queries that look
like a symbol and one for all others. Figures are cross-validated by repository: a repository's
queries are scored by weights that never saw it. NDCG@10 is taken over files.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benches.quality.names import ask_names
from codecairn.engine import Engine, EngineFilters, EngineOptions

POOL = 400
FOLDS = 5
EPOCHS = 60
BATCH = 32
LEARNING_RATE = 0.03
L2 = 2e-3
TEMPERATURE = 5.0
# The benchmark asks for code alone, so it can't tell when a document is the answer; without a bound the fit would learn
# that a document never is.
FLOORS = {"prose": -0.5}
# Names asked for a repository, as words and as written, and what one weighs beside a query of the benchmark.
NAMES = 15
NAME_WEIGHT = 0.3
NAME = "name"

Vector: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One query with its pool: features (files by features) and which targets each file covers."""

    repository: str
    category: str
    symbol: bool
    features: Vector
    covers: NDArray[np.bool_]
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A query and the files that answer it."""

    query: str
    category: str
    targets: tuple[str, ...]

    @classmethod
    def of_item(cls, item: dict[str, Any]) -> _Asked:
        """A query of the benchmark."""
        targets = item.get("relevant", []) + item.get("secondary", [])
        return cls(
            query=item["query"],
            category=item.get("category", "semantic"),
            targets=tuple(t if isinstance(t, str) else t["path"] for t in targets),
        )


def same_file(result: str, target: str) -> bool:
    """Whether a result's path names the target, one being relative to a folder of the other."""
    return result == target or result.endswith("/" + target) or target.endswith("/" + result)


def collect(data: Path, repos: Path, store: Path, embedder: str) -> tuple[list[str], list[Example]]:
    """Index every repository and gather the pools of its queries."""
    names: list[str] = []
    examples: list[Example] = []
    for spec in json.loads((data / "repos.json").read_text(encoding="utf-8")):
        options = EngineOptions(
            root=repos / spec["root"],
            store=store / spec["name"],
            embedder=embedder,
            include=(),
            exclude=(),
            read_only=False,
            writer="fit",
            user_ignore=None,
        )
        engine = Engine(options)
        engine.index(force=False, progress=None)
        items = json.loads(
            (data / "annotations" / f"{spec['name']}.json").read_text(encoding="utf-8")
        )
        asked = [_Asked.of_item(item) for item in items]
        for as_words in (True, False):
            found = ask_names(options.root, count=NAMES, as_words=as_words)
            asked += [
                _Asked(query=name.query, category=NAME, targets=(name.path,)) for name in found
            ]
        for each in asked:
            hits = engine.search(
                each.query,
                limit=POOL,
                filters=EngineFilters(),
                context_lines=0,
                explain=True,
                ranking="model",
                fusion="rrf",
                text=False,
            )
            if not hits:
                continue
            names = [part.feature for part in hits[0].contributions]
            examples.append(
                Example(
                    repository=spec["name"],
                    category=each.category,
                    symbol=" " not in each.query.strip(),
                    features=np.array([[part.value for part in hit.contributions] for hit in hits]),
                    covers=np.array(
                        [[same_file(hit.path, t) for hit in hits] for t in each.targets]
                    ),
                    weight=NAME_WEIGHT if each.category == NAME else 1.0,
                )
            )
        engine.close()
    return names, examples


def fit(examples: list[Example], floor: Vector, seed: int) -> Vector:
    """Weights (2 by features): row 0 for words, row 1 for symbols. Adam on the listwise loss, none below its floor."""
    rng = np.random.default_rng(seed)
    usable = [e for e in examples if e.covers.any()]
    width = usable[0].features.shape[1]
    weights, first, second = (np.zeros((2, width)) for _ in range(3))
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(usable))
        for start in range(0, len(order), BATCH):
            gradient = 2 * L2 * weights
            batch = [usable[i] for i in order[start : start + BATCH]]
            for example in batch:
                row = int(example.symbol)
                scores = TEMPERATURE * (example.features @ weights[row])
                probability = np.exp(scores - scores.max())
                probability /= probability.sum()
                relevant = example.covers.any(axis=0)
                wanted = relevant / relevant.sum()
                pull = example.weight * TEMPERATURE / len(batch)
                gradient[row] -= pull * (wanted - probability) @ example.features
            step += 1
            first = 0.9 * first + 0.1 * gradient
            second = 0.999 * second + 0.001 * gradient**2
            scale = math.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            step_size = LEARNING_RATE * scale * first / (np.sqrt(second) + 1e-8)
            weights = np.maximum(weights - step_size, floor)
    return weights


def ndcg(example: Example, weights: Vector) -> float:
    """NDCG@10 of one pool under `weights`; a rank gains at most once."""
    order = np.argsort(-(example.features @ weights[int(example.symbol)]), kind="stable")[:10]
    ranks = {int(np.argmax(row[order])) for row in example.covers if row[order].any()}
    ideal = sum(1 / math.log2(i + 2) for i in range(min(10, len(example.covers))))
    return sum(1 / math.log2(rank + 2) for rank in ranks) / ideal if ideal else 0.0


def by_repository(scores: list[tuple[Example, float]]) -> float:
    """The mean over repositories of their means."""
    groups: dict[str, list[float]] = {}
    for example, value in scores:
        groups.setdefault(example.repository, []).append(value)
    return float(np.mean([np.mean(values) for values in groups.values()]))


def cross_validate(
    examples: list[Example], floor: Vector, seed: int
) -> list[tuple[Example, float]]:
    """Every example scored by weights fitted on other repositories."""
    repositories = sorted({e.repository for e in examples})
    np.random.default_rng(seed).shuffle(repositories)
    scored: list[tuple[Example, float]] = []
    for fold in range(FOLDS):
        held = set(repositories[fold::FOLDS])
        weights = fit([e for e in examples if e.repository not in held], floor, seed)
        scored += [(e, ndcg(e, weights)) for e in examples if e.repository in held]
    return scored


def main() -> None:
    """Fit, report, and write the weights if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with repos.json and annotations/"
    )
    parser.add_argument("--repos", type=Path, required=True, help="folder with the checkouts")
    parser.add_argument(
        "--store", type=Path, required=True, help="folder for the indexes that are made"
    )
    parser.add_argument("--embedder", default="static")
    parser.add_argument(
        "--without", default="", help="features to leave out, joined by commas, to see their worth"
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--write", type=Path, help="where to write the weights")
    arguments = parser.parse_args()
    names, examples = collect(arguments.data, arguments.repos, arguments.store, arguments.embedder)
    left_out = [i for i, name in enumerate(names) if name in arguments.without.split(",")]
    for example in examples:
        example.features[:, left_out] = 0
    floor = np.array([FLOORS.get(name, -math.inf) for name in names])
    for seed in range(arguments.seeds):
        all_scored = cross_validate(examples, floor, seed)
        scored = [s for s in all_scored if s[0].category != NAME]
        parts = {
            category: by_repository([s for s in scored if s[0].category == category])
            for category in ("architecture", "semantic", "symbol")
        }
        for kind, is_symbol in (("name in words", False), ("name", True)):
            parts[kind] = by_repository(
                [s for s in all_scored if s[0].category == NAME and s[0].symbol == is_symbol]
            )
        print(
            f"seed {seed}: {by_repository(scored):.4f}", {k: round(v, 4) for k, v in parts.items()}
        )
    weights = np.mean([fit(examples, floor, seed) for seed in range(arguments.seeds)], axis=0)
    print(
        f"fitted here: {by_repository([(e, ndcg(e, weights)) for e in examples if e.category != NAME]):.4f}"
    )
    for name, natural, symbol in zip(names, *weights.tolist(), strict=True):
        print(f"  {name:<18} {natural:8.3f} {symbol:8.3f}")
    if arguments.write:
        natural, symbol = ([round(w, 4) for w in row] for row in weights.tolist())
        document = {
            "features": names,
            "symbol": symbol,
            "path": path_weights(names, natural),
            "natural": natural,
        }
        arguments.write.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def path_weights(names: list[str], natural: list[float]) -> list[float]:
    """Queries that are paths are not in the benchmark: the prose weights, with path evidence first."""
    strong = {"path": 2.0, "stem": 2.0, "path_coverage": 4.0, "stem_coverage": 1.0}
    return [
        round(weight * 0.25 + strong.get(name, 0.0), 4)
        for name, weight in zip(names, natural, strict=True)
    ]


if __name__ == "__main__":
    main()
