"""The fit of the ranker: its gradient, its bounds, and that no repository is judged by weights that saw it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import check_grad

from benches.quality import fitting
from benches.quality.commits import _wording
from benches.quality.fitting import Problem, by_repository, cross_validate, fit, ndcg
from benches.quality.model import wording
from benches.quality.pools import COMMIT, Pool

NAMES = ["helpful", "noise", "prose", "copied"]


def _pool(seed: int, *, repository: str = "r", symbol: bool = False, files: int = 12) -> Pool:
    """Files of which those with the most of the first feature are right."""
    chance = np.random.default_rng(seed)
    features = chance.random((files, len(NAMES)))
    covers = np.zeros((2, files), dtype=bool)
    covers[[0, 1], np.argsort(-features[:, 0])[:2]] = True
    return Pool(
        repository=repository,
        query=f"q{seed}",
        category="semantic",
        symbol=symbol,
        whole=False,
        leaks=False,
        features=features,
        covers=covers,
    )


def test_the_gradient_is_that_of_the_loss() -> None:
    problem = Problem([_pool(seed) for seed in range(5)])
    at = np.random.default_rng(7).normal(size=len(NAMES))
    error = check_grad(
        lambda weights: problem.loss(weights)[0], lambda weights: problem.loss(weights)[1], at
    )
    assert error < 1e-5


def test_fitted_weights_find_what_helps_and_keep_their_bounds() -> None:
    pools = [_pool(seed, symbol=seed % 2 == 1) for seed in range(60)]
    weights = fit(pools, NAMES)
    assert (weights[:, 0] > 5 * np.abs(weights[:, 1])).all()
    for (low, high), column in zip(fitting.bounds(NAMES), weights.T, strict=True):
        assert low is None or (column >= low - 1e-9).all()
        assert high is None or (column <= high + 1e-9).all()
    assert by_repository([(pool, ndcg(pool, weights)) for pool in pools]) > 0.95
    assert np.array_equal(weights, fit(pools, NAMES))


def test_files_far_down_are_judged_though_the_fit_never_sees_them() -> None:
    pool = _pool(3, files=fitting.DEPTH + 50)
    last = np.zeros_like(pool.covers)
    last[0, -1] = True
    pool = replace(pool, covers=last)
    assert len(Problem([pool]).features) == fitting.DEPTH + 1
    assert ndcg(pool, np.zeros((2, len(NAMES)))) == 0


def test_no_repository_is_judged_by_weights_that_saw_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = [_pool(seed, repository=f"r{seed % 7}", symbol=seed > 6) for seed in range(14)]
    pools.append(replace(_pool(99, repository="other"), category=COMMIT))
    seen: list[set[str]] = []

    def spy(given: list[Pool], names: list[str]) -> fitting.Matrix:
        seen.append({pool.repository for pool in given})
        return fit(given, names)

    monkeypatch.setattr(fitting, "fit", spy)
    scored = cross_validate(pools, NAMES, seed=0)
    assert sorted(pool.query for pool, _ in scored) == sorted(pool.query for pool in pools[:-1])
    everything = {pool.repository for pool in pools}
    held_out = [everything - each for each in seen]
    assert len(seen) == fitting.FOLDS
    assert sorted(name for held in held_out for name in held) == [f"r{at}" for at in range(7)]


@pytest.mark.parametrize(
    ("subject", "question"),
    [
        (
            "fix(router): match encoded slashes in wildcard segments (#1234)",
            "router match encoded slashes in wildcard segments",
        ),
        ("Bump version to 1.2.3", ""),
        (
            "[core] Keep timers alive while a worker shuts down",
            "Keep timers alive while a worker shuts down",
        ),
        ("Fix typo in README", ""),
    ],
)
def test_subjects_become_questions_without_what_only_commits_say(
    subject: str, question: str
) -> None:
    assert wording.of_subject(subject) == question


def test_a_question_is_long_enough_to_be_one() -> None:
    assert _wording("fix crash") is None
    assert (
        _wording("fixes the parser dropping the last token of a line")
        == "the parser dropping the last token of a line"
    )
