"""The linear model's fit: a listwise loss, minimised without chance, and its cross-validation by repository.

The loss of a query is minus the logarithm of the share that its relevant files together have of a softmax over the pool
(a listwise loss; Cao et al., "Learning to rank: from pairwise approach to listwise approach", 2007), with L2
regularisation towards zero. Symbol-like queries and all others have a weight vector each. L-BFGS with bounds,
started at zero, finds the same weights from the same pools each time; seeds only draw the folds.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize

from benches.quality.pools import COMMIT, NAME, Matrix, Pool

FOLDS = 5
L2 = 1e-2
TEMPERATURE = 5.0
TOLERANCE = 1e-7
# Files of a pool that the fit sees, by fused score; relevant ones stay. Figures are over whole pools.
DEPTH = 100
# The weight of a question relative to a query of the benchmark.
WEIGHTS = {NAME: 0.5, COMMIT: 0.1}
# The same of a query of the benchmark over the whole checkout: it has tests, examples and documents, as where people
# search; the answers are the same.
WHOLE = 0.5
# The benchmark asks for code alone, so it can't tell when a document is the answer; without a bound the fit would learn
# that a document never is.
FLOORS = {"prose": -0.5}
# A bundle has every word of what it was made from, and is never the place to read or to change. Few repositories of the
# benchmark keep one, too few to learn it from.
CEILINGS = {"copied": -0.6}


class Problem:
    """All pools of one kind of query, laid end to end."""

    def __init__(self, pools: list[Pool]) -> None:
        relevant = [np.atleast_1d(pool.covers.any(axis=0)) for pool in pools]
        kept = [np.flatnonzero(each | (np.arange(len(each)) < DEPTH)) for each in relevant]
        sizes = np.array([len(each) for each in kept])
        self.features = np.concatenate(
            [pool.features[each] for pool, each in zip(pools, kept, strict=True)]
        )
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.pool_of = np.repeat(np.arange(len(pools)), sizes)
        self.relevant = np.concatenate(
            [each[files] for each, files in zip(relevant, kept, strict=True)]
        )
        weights = np.array(
            [WHOLE if pool.whole else WEIGHTS.get(pool.category, 1.0) for pool in pools]
        )
        self.weights = weights / weights.sum()

    def loss(self, weights: Matrix) -> tuple[float, Matrix]:
        """The loss at `weights`, and its gradient."""
        scores = TEMPERATURE * (self.features @ weights)
        scores -= np.maximum.reduceat(scores, self.starts)[self.pool_of]
        share = np.exp(scores)
        share /= np.add.reduceat(share, self.starts)[self.pool_of]
        found = np.add.reduceat(share * self.relevant, self.starts) + 1e-12
        wanted = share * self.relevant / found[self.pool_of]
        pull = TEMPERATURE * (self.weights[self.pool_of] * (wanted - share)) @ self.features
        value = -float(self.weights @ np.log(found)) + L2 * float(weights @ weights)
        return value, 2 * L2 * weights - pull


def bounds(names: list[str]) -> list[tuple[float | None, float | None]]:
    """The least and the greatest weight of each of the features `names`."""
    return [(FLOORS.get(name), CEILINGS.get(name)) for name in names]


def fit(pools: list[Pool], names: list[str]) -> Matrix:
    """Weights (2 by features): row 0 for words, row 1 for symbols. The search begins at zero."""
    rows = []
    for symbol in (False, True):
        usable = [pool for pool in pools if pool.symbol == symbol and pool.covers.any()]
        problem = Problem(usable)
        found = minimize(
            problem.loss,
            np.zeros(len(names)),
            jac=True,
            method="L-BFGS-B",
            bounds=bounds(names),
            options={"maxiter": 400, "ftol": TOLERANCE},
        )
        rows.append(found.x)
    return np.array(rows)


def ndcg(pool: Pool, weights: Matrix) -> float:
    """NDCG@10 over files of one pool under `weights`; a rank gains at most once."""
    order = np.argsort(-(pool.features @ weights[int(pool.symbol)]), kind="stable")[:10]
    ranks = {int(np.argmax(row[order])) for row in pool.covers if row[order].any()}
    ideal = sum(1 / math.log2(i + 2) for i in range(min(10, len(pool.covers))))
    return sum(1 / math.log2(rank + 2) for rank in ranks) / ideal if ideal else 0.0


def cross_validate(pools: list[Pool], names: list[str], seed: int) -> list[tuple[Pool, float]]:
    """Every pool of the benchmark's repositories scored by weights that never saw its repository."""
    repositories = sorted({pool.repository for pool in pools if pool.category != COMMIT})
    np.random.default_rng(seed).shuffle(repositories)
    scored: list[tuple[Pool, float]] = []
    for fold in range(FOLDS):
        held = set(repositories[fold::FOLDS])
        weights = fit([pool for pool in pools if pool.repository not in held], names)
        scored += [(pool, ndcg(pool, weights)) for pool in pools if pool.repository in held]
    return scored


def by_repository(scores: list[tuple[Pool, float]]) -> float:
    """The mean over repositories of their means."""
    groups: dict[str, list[float]] = {}
    for pool, value in scores:
        groups.setdefault(pool.repository, []).append(value)
    return float(np.mean([np.mean(values) for values in groups.values()])) if groups else 0.0
