"""The model that chooses spans: a linear one and one hidden layer of rectified units, fitted by its listwise loss.

The loss of a question is minus the logarithm of the probability, by a softmax over its chunks, of those that show the needed
lines (ListNet, Cao et al. 2007). The linear part is fitted first, with an L2 penalty, by L-BFGS from zero; the network starts
from it and is fitted by Adam (Kingma and Ba 2015) with a step that falls to zero and weight decay.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Matrix = NDArray[np.float32]

HIDDEN = 16
EPOCHS = 24
BATCH = 32
RATE = 3e-3
DECAY = 1e-4
PENALTY = 2e-3
MAX_UNNEEDED = 400
"""Chunks of a question in a batch that show nothing needed; drawn at random where there are more."""
SEED = 20_261_123
_FIRST_MOMENT, _SECOND_MOMENT, _TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The chunks that may answer one question.

    Attributes:
        features: One row for each chunk.
        is_needed: Whether each shows needed lines; at least one does.
        weight: How much the question counts.
    """

    features: Matrix
    is_needed: NDArray[np.bool_]
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The weights: `linear` of features, `hidden` of features by units, `biases` and `output` of units."""

    linear: Matrix
    hidden: Matrix
    biases: Matrix
    output: Matrix

    def scores(self, features: Matrix) -> Matrix:
        """The score of each row."""
        units = np.maximum(features @ self.hidden + self.biases, 0)
        scores: Matrix = features @ self.linear + units @ self.output
        return scores


def fit(pools: Sequence[Pool]) -> Network:
    """The network that makes the needed chunks most probable."""
    chance = np.random.default_rng(SEED)
    count = pools[0].features.shape[1]
    spread = 1 / np.sqrt(count)
    weights: list[Matrix] = [
        fit_linear(pools),
        chance.normal(0, spread, (count, HIDDEN)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        chance.normal(0, 0.1, HIDDEN).astype(np.float32),
    ]
    first = [np.zeros_like(each) for each in weights]
    second = [np.zeros_like(each) for each in weights]
    steps = EPOCHS * -(-len(pools) // BATCH)
    at = 0
    for _ in range(EPOCHS):
        order = chance.permutation(len(pools))
        for start in range(0, len(pools), BATCH):
            batch = [_sampled(pools[each], chance) for each in order[start : start + BATCH]]
            at += 1
            rate = RATE * (1 - at / steps)
            for number, slope in enumerate(_slopes(weights, batch)):
                first[number] += (1 - _FIRST_MOMENT) * (slope - first[number])
                second[number] += (1 - _SECOND_MOMENT) * (slope**2 - second[number])
                mean = first[number] / (1 - _FIRST_MOMENT**at)
                scale = np.sqrt(second[number] / (1 - _SECOND_MOMENT**at)) + _TINY
                weights[number] = weights[number] - rate * mean / scale
    linear, hidden, biases, output = weights
    return Network(linear=linear, hidden=hidden, biases=biases, output=output)


def fit_linear(pools: Sequence[Pool]) -> Matrix:
    """The weights of the linear model."""
    features, is_needed, weights, starts = _joined(pools)
    lengths = np.diff(np.append(starts, len(features)))

    def loss(candidate: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = features @ candidate.astype(np.float32)
        value, slope = _softmax_loss(scores, is_needed, weights, starts, lengths)
        of_features = (slope @ features).astype(np.float64)
        return value + PENALTY * float(candidate @ candidate), of_features + 2 * PENALTY * candidate

    found = minimize(
        loss,
        np.zeros(features.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 300},
    )
    return np.asarray(found.x, dtype=np.float32)


def _slopes(weights: Sequence[Matrix], batch: Sequence[Pool]) -> tuple[Matrix, ...]:
    """The derivatives of the mean loss of some questions, in the order of the weights."""
    linear, hidden, biases, output = weights
    features, is_needed, counts, starts = _joined(batch)
    lengths = np.diff(np.append(starts, len(features)))
    inner = features @ hidden + biases
    units = np.maximum(inner, 0)
    scores = features @ linear + units @ output
    _, slope = _softmax_loss(scores, is_needed, counts, starts, lengths)
    back = np.outer(slope, output) * (inner > 0)
    return (
        slope @ features + DECAY * linear,
        features.T @ back + DECAY * hidden,
        back.sum(axis=0),
        slope @ units + DECAY * output,
    )


def _softmax_loss(
    scores: Matrix,
    is_needed: NDArray[np.bool_],
    weights: Matrix,
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
) -> tuple[float, Matrix]:
    """The loss of questions whose chunks begin at `starts`, and its derivative by the score of each chunk."""
    best = np.maximum.reduceat(scores, starts)
    shares = np.exp(scores - np.repeat(best, lengths))
    all_shares = np.add.reduceat(shares, starts)
    needed = shares * is_needed
    needed_shares = np.add.reduceat(needed, starts)
    value = -float((weights * np.log(needed_shares / all_shares)).sum())
    slope = shares * np.repeat(weights / all_shares, lengths)
    slope = slope - needed * np.repeat(weights / needed_shares, lengths)
    return value, slope.astype(np.float32)


def _joined(
    pools: Sequence[Pool],
) -> tuple[Matrix, NDArray[np.bool_], Matrix, NDArray[np.int64]]:
    """Features and needs of all chunks, weights of the questions that add up to 1, and where each begins."""
    features = np.concatenate([pool.features for pool in pools])
    is_needed = np.concatenate([pool.is_needed for pool in pools])
    weights = np.array([pool.weight for pool in pools], np.float32)
    ends = np.cumsum([len(pool.features) for pool in pools])
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    return features, is_needed, weights / weights.sum(), starts


def _sampled(pool: Pool, chance: np.random.Generator) -> Pool:
    """The pool with at most so many chunks that show nothing needed."""
    unneeded = np.flatnonzero(~pool.is_needed)
    if len(unneeded) <= MAX_UNNEEDED:
        return pool
    drawn = chance.permutation(unneeded)[:MAX_UNNEEDED]
    rows = np.concatenate([np.flatnonzero(pool.is_needed), drawn])
    return Pool(features=pool.features[rows], is_needed=pool.is_needed[rows], weight=pool.weight)
