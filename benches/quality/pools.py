"""Pools: what the engine brings for a question, with the features of every file, as the fit needs them.

Every pool comes from the engine itself, so the features are those of the running system.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benches.quality import commits
from benches.quality.annotations import load
from benches.quality.asking import indexed, pool
from benches.quality.names import ask_names

# Names asked for a repository, as words and as written.
NAMES = 15
NAME = "name"
COMMIT = "commit"

Matrix: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """One question with all its candidate files, in the order of the fused score.

    Attributes:
        whole: Whether the checkout's top was searched, tests and all, not the folder that the benchmark names.
        leaks: Whether the question has a word of its answers' paths.
        features: Files by features.
        covers: Targets by files: which file is which target.
    """

    repository: str
    query: str
    category: str
    symbol: bool
    whole: bool
    leaks: bool
    features: Matrix
    covers: NDArray[np.bool_]

    @property
    def is_scored(self) -> bool:
        """Whether it is a query of the benchmark, which figures are about."""
        return self.category not in (NAME, COMMIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question and the files that answer it."""

    query: str
    category: str
    targets: tuple[str, ...]
    leaks: bool = False


def same_file(result: str, target: str) -> bool:
    """Whether a result's path names the target, one being relative to a folder of the other."""
    return result == target or result.endswith("/" + target) or target.endswith("/" + result)


def of_benchmark(
    data: Path, repos: Path, store: Path, embedder: str
) -> tuple[list[str], list[Pool]]:
    """The names of the features, and the pools of every query of the benchmark and of names in its repositories.

    A query has two pools: one of the folder that the benchmark names, one of the whole checkout.
    """
    names: list[str] = []
    pools: list[Pool] = []
    for whole in (False, True):
        for repository in load(data, repos, whole_checkout=whole):
            asked = [
                _Asked(
                    query=question.query,
                    category=question.category,
                    targets=tuple(target.path for target in question.targets),
                    leaks=question.leaks,
                )
                for question in repository.questions
            ]
            for as_words in () if whole else (True, False):
                found = ask_names(repository.root, count=NAMES, as_words=as_words)
                asked += [
                    _Asked(query=name.query, category=NAME, targets=(name.path,)) for name in found
                ]
            place = store / ("whole" if whole else "root") / repository.name
            names, of_repository = _ask(repository.root, place, embedder, repository.name, asked)
            pools += [replace(pool, whole=whole) for pool in of_repository]
    return names, pools


def of_commits(folder: Path, store: Path, embedder: str) -> list[Pool]:
    """The pools of the questions that `commits` has written to `folder`."""
    pools: list[Pool] = []
    for name, checkout, questions in commits.load(folder):
        asked = [
            _Asked(query=each.query, category=COMMIT, targets=each.paths) for each in questions
        ]
        pools += _ask(checkout, store / name, embedder, name, asked)[1]
    return pools


def _ask(
    root: Path, store: Path, embedder: str, repository: str, asked: list[_Asked]
) -> tuple[list[str], list[Pool]]:
    names: list[str] = []
    pools = []
    with indexed(root, store, embedder) as engine:
        for each in asked:
            candidates = pool(engine, each.query)
            if not candidates or not each.targets:
                continue
            names = list(candidates[0].features)
            features = [list(candidate.features.values()) for candidate in candidates]
            covers = [
                [same_file(candidate.path, target) for candidate in candidates]
                for target in each.targets
            ]
            pools.append(
                Pool(
                    repository=repository,
                    query=each.query,
                    category=each.category,
                    symbol=" " not in each.query.strip(),
                    whole=False,
                    leaks=each.leaks,
                    features=np.array(features),
                    covers=np.array(covers),
                )
            )
    return names, pools
