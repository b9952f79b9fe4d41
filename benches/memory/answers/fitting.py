"""The model of `native/crates/memory/src/answers/model.rs`: the score of each memory as an answer.

The loss of a prompt is minus the logarithm of the probability, by a softmax over the memories found and over "nothing answers",
whose score is 0, of those that answer; of "nothing" where none does. Features are scaled to a standard deviation of 1 for the
fit. Each corpus counts alike, its answered prompts as much as the others.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benches.memory.answers.corpora import Asked

WEIGHTS = Path("native/crates/memory/weights/answers.json")
PENALTY = 1e-2
CORPUS_WEIGHTS: Mapping[str, float] = {"sessions": 2.0, "cases": 2.0}
"""Corpora that are nearest to the work of agents count more."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A weight for each feature, and a bias."""

    weights: Vector
    bias: float

    def scores(self, rows: NDArray[np.float32]) -> Vector:
        """The logarithms of the odds of each memory against "nothing"."""
        scores: Vector = rows @ self.weights + self.bias
        return scores


def fit(asked: Sequence[Asked]) -> Model:
    """The model that makes the answers most probable."""
    asked = [each for each in asked if len(each.rows)]
    rows = np.concatenate([each.rows for each in asked]).astype(np.float64)
    is_answer = np.concatenate([each.is_answer for each in asked])
    lengths = [len(each.rows) for each in asked]
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    prompt_of = np.repeat(np.arange(len(asked)), lengths)
    has_answer = np.array([each.is_answer.any() for each in asked])
    weights = _weights_of(asked)
    mean, deviation = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    scaled = np.hstack([(rows - mean) / deviation, np.ones((len(rows), 1))])

    def loss(values: Vector) -> tuple[float, Vector]:
        scores = scaled @ values
        best = np.maximum(np.maximum.reduceat(scores, starts), 0)
        shares = np.exp(scores - best[prompt_of])
        nothing = np.exp(-best)
        total = np.add.reduceat(shares, starts) + nothing
        right = np.add.reduceat(shares * is_answer, starts)
        wanted = np.where(has_answer, right, nothing)
        of_right = shares * is_answer / np.maximum(right, 1e-30)[prompt_of]
        slope = shares / total[prompt_of] - np.where(has_answer[prompt_of], of_right, 0)
        penalty = PENALTY * values
        penalty[-1] = 0.0
        value = -(weights * np.log(wanted / total)).sum() + penalty @ values
        return float(value), scaled.T @ (weights[prompt_of] * slope) + 2 * penalty

    found = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B").x
    of_features = found[:-1] / deviation
    return Model(weights=of_features, bias=float(found[-1] - of_features @ mean))


def _weights_of(asked: Sequence[Asked]) -> Vector:
    """How much each prompt counts; all together 1."""
    counts = Counter((each.corpus, bool(each.is_answer.any())) for each in asked)
    weights = np.array(
        [
            CORPUS_WEIGHTS.get(each.corpus, 1.0) / counts[each.corpus, bool(each.is_answer.any())]
            for each in asked
        ]
    )
    weights /= weights.sum()
    return weights


def write(file: Path, names: Sequence[str], model: Model) -> None:
    """Write the weights as the core reads them."""
    weights = {
        name: round(float(weight), 4) for name, weight in zip(names, model.weights, strict=True)
    }
    document = {"weights": weights, "bias": round(model.bias, 4)}
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
