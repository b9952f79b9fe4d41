"""Fit the linear ranker on the development half of the public retrieval benchmark.

    python -m benches.quality.fit --data DIR --repos DIR --commits DIR --write native/crates/search/weights/ranker.json

The training data also has questions for the repositories' own names (`names`) and subjects of commits of other repositories
(`commits`), which weigh less and are never scored. Figures are cross-validated by repository: a repository's queries are scored
by weights that never saw it. NDCG@10 is taken over files.
"""

from __future__ import annotations

import argparse
import json
import pickle
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from benches.quality import pools as pooling
from benches.quality.fitting import by_repository, cross_validate, fit, ndcg
from benches.quality.pools import NAME, Matrix, Pool

SEEDS = 5
CATEGORIES = ("architecture", "semantic", "symbol")


def main() -> None:
    """Fit, report, and write what is asked for."""
    options = _options()
    names, pools = _pools(options)
    dropped = set(options.without.split(",")) if options.without else set()
    if unknown := dropped - set(names):
        raise SystemExit(f"no such feature: {', '.join(sorted(unknown))}")
    names, pools = _without(dropped, names, pools)
    outcomes: dict[str, list[float]] = {}
    for seed in range(SEEDS):
        scored = cross_validate(pools, names, seed)
        print(f"seed {seed}: {_row(scored)}", flush=True)
        for pool, value in scored:
            if pool.is_scored and not pool.whole:
                outcomes.setdefault(f"{pool.repository}\t{pool.query}", []).append(value)
    weights = fit(pools, names)
    fitted = [(pool, ndcg(pool, weights)) for pool in pools if pool.is_scored and not pool.whole]
    print(f"fitted here: {by_repository(fitted):.4f}")
    for name, natural, symbol in zip(names, *weights.tolist(), strict=True):
        print(f"  {name:<18} {natural:8.3f} {symbol:8.3f}")
    if options.out:
        options.out.write_text(json.dumps(outcomes, indent=0) + "\n", encoding="utf-8")
    if options.write:
        options.write.write_text(
            json.dumps(document(names, weights), indent=1) + "\n", encoding="utf-8"
        )


def document(names: list[str], weights: Matrix) -> dict[str, list[str] | list[float]]:
    """What the engine reads."""
    natural, symbol = ([round(w, 4) for w in row] for row in weights.tolist())
    return {
        "features": names,
        "symbol": symbol,
        "path": path_weights(names, natural),
        "natural": natural,
    }


def path_weights(names: list[str], natural: list[float]) -> list[float]:
    """Queries that are paths are not in the benchmark: the prose weights, with path evidence first."""
    strong = {"path": 2.0, "stem": 2.0, "path_coverage": 4.0, "stem_coverage": 1.0}
    return [
        round(weight * 0.25 + strong.get(name, 0.0), 4)
        for name, weight in zip(names, natural, strict=True)
    ]


def _row(scored: list[tuple[Pool, float]]) -> str:
    benchmark = [each for each in scored if each[0].is_scored and not each[0].whole]
    parts = {"all": benchmark}
    for category in CATEGORIES:
        parts[category] = [each for each in benchmark if each[0].category == category]
    parts["leak-free"] = [each for each in benchmark if not each[0].leaks]
    parts["whole checkout"] = [each for each in scored if each[0].is_scored and each[0].whole]
    for title, is_symbol in (("a name in words", False), ("a name", True)):
        parts[title] = [
            each for each in scored if each[0].category == NAME and each[0].symbol == is_symbol
        ]
    return ", ".join(f"{title} {by_repository(part):.4f}" for title, part in parts.items())


def _without(
    dropped: set[str], names: list[str], pools: list[Pool]
) -> tuple[list[str], list[Pool]]:
    kept = [at for at, name in enumerate(names) if name not in dropped]
    return [names[at] for at in kept], [
        replace(pool, features=np.ascontiguousarray(pool.features[:, kept])) for pool in pools
    ]


def _pools(options: argparse.Namespace) -> tuple[list[str], list[Pool]]:
    """The pools, from an earlier run if one is named."""
    if options.pools and options.pools.exists():
        names, pools = pickle.loads(options.pools.read_bytes())
        return names, pools
    with tempfile.TemporaryDirectory(prefix="codecairn-fit-") as temporary:
        store = Path(temporary)
        names, pools = pooling.of_benchmark(options.data, options.repos, store, options.embedder)
        if options.commits:
            pools += pooling.of_commits(options.commits, store, options.embedder)
    if options.pools:
        options.pools.write_bytes(pickle.dumps((names, pools)))
    return names, pools


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with repos.json and annotations/"
    )
    parser.add_argument("--repos", type=Path, required=True, help="folder with the checkouts")
    parser.add_argument("--commits", type=Path, help="folder that `commits` has written")
    parser.add_argument("--embedder", default="static", help="the built-in model for the vectors")
    parser.add_argument("--without", default="", help="features to leave out, by commas")
    parser.add_argument(
        "--pools", type=Path, help="keep the pools here, and take them from here when there"
    )
    parser.add_argument("--out", type=Path, help="write each query's cross-validated NDCG@10 here")
    parser.add_argument("--write", type=Path, help="where to write the weights")
    return parser.parse_args()


if __name__ == "__main__":
    main()
