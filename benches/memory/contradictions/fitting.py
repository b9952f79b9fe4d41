"""Fits the weights of `native/crates/memory/weights/contradictions.json` to the pairs of a part.

    python -m benches.memory.contradictions.fitting [--write]

Only pairs in which words are swapped have features; the others are decided without weights. Prints the share of these contradictions
that are found at given shares of false alarms among these pairs, by cross-validation.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benches.memory.contradictions.pairs import Pair, load
from codecairn.core.memory_engine import contradiction_features

_FILE = Path(__file__).parents[3] / "native/crates/memory/weights/contradictions.json"
_PENALTY = 1.0
_FOLDS = 10
_ROUNDS = 8
_MIN_COSINE = 0.4
"""As the core: statements that are less alike are not compared."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Examples:
    """Rows of features, and whether each is of a contradiction."""

    names: tuple[str, ...]
    rows: Numbers
    is_contradiction: Numbers


def examples(pairs: list[Pair]) -> Examples:
    """Those of pairs that the core compares."""
    found = [(contradiction_features(pair.newer, pair.older), pair) for pair in pairs]
    found = [each for each in found if each[0].get("cosine", 0.0) >= _MIN_COSINE]
    names = tuple(sorted(found[0][0]))
    rows = [[features[name] for name in names] for features, _ in found]
    wanted = [float(pair.is_contradiction) for _, pair in found]
    return Examples(names=names, rows=np.array(rows), is_contradiction=np.array(wanted))


def fitted(rows: Numbers, wanted: Numbers) -> Numbers:
    """The weights and the bias of a logistic model with a quadratic penalty, by Newton's method."""
    extended = np.c_[rows, np.ones(len(rows))]
    weights = np.zeros(extended.shape[1])
    penalty = np.full(len(weights), _PENALTY)
    penalty[-1] = 1e-6
    for _ in range(100):
        likely = 1 / (1 + np.exp(-extended @ weights))
        slope = extended.T @ (likely - wanted) + penalty * weights
        curve = (extended * (likely * (1 - likely))[:, None]).T @ extended + np.diag(penalty)
        weights -= np.linalg.solve(curve, slope)
    return weights


def cross_validated(of: Examples) -> Numbers:
    """The log-odds of each example by models that have not seen it, the mean of several rounds."""
    found = np.zeros(len(of.rows))
    for seed in range(_ROUNDS):
        order = np.random.default_rng(seed).permutation(len(of.rows))
        for fold in range(_FOLDS):
            held = order[fold::_FOLDS]
            others = np.setdiff1d(order, held)
            weights = fitted(of.rows[others], of.is_contradiction[others])
            found[held] += np.c_[of.rows[held], np.ones(len(held))] @ weights
    return found / _ROUNDS


def main() -> None:
    """Fit, and print or write the weights."""
    parser = argparse.ArgumentParser(prog="python -m benches.memory.contradictions.fitting")
    parser.add_argument("--write", action="store_true", help="write the weights")
    options = parser.parse_args()
    found = examples(load("fit"))
    odds, wanted = cross_validated(found), found.is_contradiction == 1
    for share in (0.1, 0.2, 0.3, 0.4):
        level = float(np.quantile(odds[~wanted], 1 - share))
        recall = float((odds[wanted] > level).mean())
        print(f"false alarms {share:.0%}: found {recall:.3f}, from {1 / (1 + np.exp(-level)):.2f}")
    weights = fitted(found.rows, found.is_contradiction)
    document = {
        "weights": {name: round(float(weights[at]), 3) for at, name in enumerate(found.names)},
        "bias": round(float(weights[-1]), 3),
    }
    text = json.dumps(document, indent=1)
    if options.write:
        _FILE.write_text(f"{text}\n", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
