"""Fits the model that chooses the spans of an answer (`native/crates/search/weights/spans.json`).

The loss is a listwise softmax over all chunks of the ten best files: minus the logarithm of the probability of those that
show the needed lines (ListNet, Cao et al. 2007), with an L2 penalty, minimised by L-BFGS from zero. Each question counts by
one over the root of how many its repository has.

The answers to descriptions are functions by construction, so the flags of kinds and `defines` are hidden from them. An
identifier alone asks for its definition: the weights of symbols are those of words with a `defines` that decides.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benches.quality.lines.listing import Repository
from benches.quality.lines.questions import Question, Set, Target
from benches.quality.lines.systems import Codecairn
from benches.quality.lines.walking import walk
from codecairn.core.requests import SearchRequest
from codecairn.core.types.hits import Hit, Span

_Matrix = NDArray[np.float64]

WEIGHTS = Path("native/crates/search/weights/spans.json")
PENALTY = 2e-3
SYMBOL_DEFINES = 10.0
_EVERYTHING = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The chunks that may answer one question.

    Attributes:
        repository: Where it is asked.
        features: One row for each chunk.
        is_needed: Whether each shows needed lines.
        weight: How much the question counts.
    """

    repository: str
    features: _Matrix
    is_needed: NDArray[np.bool_]
    weight: float


def pools(data: Path, repository: Repository, sets: Sequence[Set]) -> tuple[list[str], list[Pool]]:
    """The names of the features, and the pool of each question of a repository whose answer is in one."""
    names: list[str] = []
    found: list[tuple[_Matrix, NDArray[np.bool_]]] = []
    for which in sets:
        for question, hits in _asked(data, repository, which):
            spans = [(hit, span) for hit in hits for span in hit.spans]
            if not spans:
                continue
            names = [each.feature for each in spans[0][1].contributions]
            rows = np.array([[each.value for each in span.contributions] for _, span in spans])
            if which == "descriptions":
                rows[:, [_is_hidden(name) for name in names]] = 0.0
            needed = np.array([_shows(hit, span, question.targets) for hit, span in spans])
            if needed.any():
                found.append((rows, needed))
    weight = 1.0 / np.sqrt(max(len(found), 1))
    return names, [
        Pool(repository=repository.name, features=rows, is_needed=needed, weight=weight)
        for rows, needed in found
    ]


def fit(questions: Sequence[Pool]) -> _Matrix:
    """The weights that make the needed chunks most probable."""
    total = sum(pool.weight for pool in questions)

    def loss(weights: _Matrix) -> tuple[float, _Matrix]:
        value, slope = PENALTY * float(weights @ weights), 2 * PENALTY * weights
        for pool in questions:
            scores = pool.features @ weights
            shares = np.exp(scores - scores.max())
            needed = shares * pool.is_needed
            share = pool.weight / total
            value -= share * float(np.log(needed.sum() / shares.sum()))
            slope = slope + share * (
                shares @ pool.features / shares.sum() - needed @ pool.features / needed.sum()
            )
        return value, slope

    start = np.zeros(questions[0].features.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return np.asarray(found.x, dtype=np.float64)


def write(file: Path, names: Sequence[str], weights: _Matrix) -> None:
    """Write the weights as the core reads them."""
    natural = [round(float(weight), 3) for weight in weights]
    symbol = [
        SYMBOL_DEFINES if name == "defines" else weight
        for name, weight in zip(names, natural, strict=True)
    ]
    document = {"features": list(names), "natural": natural, "symbol": symbol}
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _asked(
    data: Path, repository: Repository, which: Set
) -> Iterator[tuple[Question, tuple[Hit, ...]]]:
    for step in walk(data, repository, which, Codecairn):
        request = SearchRequest(
            step.question.query, token_budget=_EVERYTHING, explain=True, refresh=False
        )
        yield step.question, step.system.workspace.search(request).hits


def _shows(hit: Hit, span: Span, targets: Sequence[Target]) -> bool:
    """Whether a span shows one of the targets by itself."""
    lines = range(span.start_line, span.end_line + 1)
    return any(
        target.path == hit.path and sum(map(target.covers, lines)) >= target.at_least
        for target in targets
    )


def _is_hidden(name: str) -> bool:
    return name == "defines" or (name.startswith("is_") and name != "is_test")
