"""Fits and measures the confidence of answers (`native/crates/search/weights/confidence.json`).

Each question is asked three ways: as it is; where the files that answer it are left out; and, of descriptions, in another
repository of the same language. An answer is right if it shows the needed lines within the default token budget, so that the
other two are never right. Questions as they are count twice, as most of what people ask for is there.

The model is a logistic regression with an L2 penalty over the features of the most probable span of the first hit.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benches.quality.lines.fitting import WEIGHTS, shows
from benches.quality.lines.listing import Repository
from benches.quality.lines.making import file_of
from benches.quality.lines.questions import USUAL_SETS, Question, Set, read
from benches.quality.lines.systems import Codecairn
from benches.quality.lines.walking import walk
from codecairn.core.requests import SearchFilters, SearchRequest
from codecairn.core.types.hits import SearchResult
from codecairn.mcp.tool_table import DEFAULT_TOKENS

CONFIDENCE = Path("native/crates/search/weights/confidence.json")
OF_ANSWER = ("log_sum", "log_probability", "log_words")
ASKED: tuple[Set, ...] = (*USUAL_SETS, "paraphrased")
BINS = 10
_WEIGHTS = {"as it is": 2.0, "left out": 1.0, "elsewhere": 1.0}
_PENALTY = 1e-3
_SPECIAL = re.compile(r"([\\\[\]*?!# ])")

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One answer.

    Attributes:
        set: The question's set.
        way: How it was asked.
        is_right: Whether the answer shows the needed lines.
        confidence: What the answer said.
        features: What the confidence is estimated by, as `names` has them.
    """

    set: Set
    way: str
    is_right: bool
    confidence: float
    features: tuple[float, ...]

    @property
    def weight(self) -> float:
        """How much it counts."""
        return _WEIGHTS[self.way]


def gather(data: Path, repositories: Iterable[Repository]) -> Iterator[tuple[str, list[Asked]]]:
    """The answers of each repository, asked in parallel."""
    listed = list(repositories)
    pairs = [(each, _sibling(each, listed)) for each in listed]
    with ProcessPoolExecutor() as processes:
        answers = processes.map(partial(_answers, data), pairs)
        yield from zip((each.name for each in listed), answers, strict=True)


def fit(answers: Sequence[Asked]) -> tuple[Vector, float]:
    """The weights of the features, and the bias."""
    rows = np.array([each.features for each in answers])
    right = np.array([each.is_right for each in answers], np.float64)
    weights = np.array([each.weight for each in answers])
    mean, deviation = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-6)
    scaled = np.hstack([(rows - mean) / deviation, np.ones((len(rows), 1))])

    def loss(values: Vector) -> tuple[float, Vector]:
        odds = scaled @ values
        shares = 1 / (1 + np.exp(-odds))
        each = np.logaddexp(0, odds) - right * odds
        slope = scaled.T @ (weights * (shares - right)) / weights.sum()
        penalty = _PENALTY * values
        penalty[-1] = 0.0
        return float((weights * each).sum() / weights.sum() + penalty @ values / 2), slope + penalty

    found: Vector = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B").x
    scaled_weights = found[:-1] / deviation
    return scaled_weights, float(found[-1] - scaled_weights @ mean)


def write(file: Path, names: Sequence[str], weights: Vector, bias: float) -> None:
    """Write the weights as the core reads them."""
    document = {
        "features": list(names),
        "weights": [round(float(weight), 4) for weight in weights],
        "bias": round(bias, 4),
    }
    lines = ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in document.items())
    file.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def names() -> list[str]:
    """The names of the features."""
    return [*_model()["features"], *OF_ANSWER]


def calibration_error(answers: Sequence[Asked]) -> float:
    """The expected calibration error (Naeini et al. 2015): over bins of equal width, |confidence - share that is right|."""
    total = sum(each.weight for each in answers)
    error = 0.0
    for bin_ in range(BINS):
        inside = [each for each in answers if min(int(each.confidence * BINS), BINS - 1) == bin_]
        error += abs(sum(each.weight * (each.confidence - each.is_right) for each in inside))
    return error / total


def auroc(answers: Sequence[Asked]) -> float:
    """How probably a right answer has more confidence than a wrong one (Hanley and McNeil 1982)."""
    right = np.array([each.confidence for each in answers if each.is_right])
    wrong = np.sort([each.confidence for each in answers if not each.is_right])
    below, up_to = (np.searchsorted(wrong, right, side) for side in ("left", "right"))
    return float((below + up_to).mean() / 2 / len(wrong))


def table(answers: Sequence[Asked]) -> str:
    """The measures by set, in Markdown."""
    lines = ["| set | answers | right | AUROC | calibration error |", f"|{'---|' * 5}"]
    groups = {name: [each for each in answers if each.set == name] for name in ASKED}
    for name, group in [*groups.items(), ("all", list(answers))]:
        share = sum(each.weight * each.is_right for each in group) / sum(
            each.weight for each in group
        )
        figures = f"{share:.3f} | {auroc(group):.3f} | {calibration_error(group):.3f}"
        lines.append(f"| {name} | {len(group)} | {figures} |")
    return "\n".join(lines)


def _sibling(repository: Repository, others: Sequence[Repository]) -> Repository | None:
    """The next repository that shares a language."""
    at = others.index(repository)
    behind = [*others[at + 1 :], *others[:at]]
    return next((each for each in behind if set(each.languages) & set(repository.languages)), None)


def _answers(data: Path, pair: tuple[Repository, Repository | None]) -> list[Asked]:
    repository, sibling = pair
    found: list[Asked | None] = []
    for which in ASKED:
        strangers: list[Question] = []
        if sibling is not None and which == "descriptions":
            strangers = read(file_of(data, sibling, which))
        for number, step in enumerate(walk(data, repository, which, Codecairn)):
            question, workspace = step.question, step.system.workspace
            paths = ["/" + _SPECIAL.sub(r"\\\1", each.path) for each in question.targets]
            for way, query, exclude in (
                ("as it is", question.query, ()),
                ("left out", question.query, paths),
                *(("elsewhere", each.query, ()) for each in strangers[number : number + 1]),
            ):
                request = SearchRequest(
                    query,
                    filters=SearchFilters(exclude=exclude),
                    token_budget=DEFAULT_TOKENS,
                    explain=True,
                    refresh=False,
                )
                result = workspace.search(request)
                is_right = way == "as it is" and any(
                    shows(
                        hit.path,
                        [part for span in hit.spans for part in span.shown],
                        question.targets,
                    )
                    for hit in result.hits
                )
                found.append(_asked(which, way, query, result, is_right=is_right))
    return [each for each in found if each is not None]


def _asked(
    which: Set, way: str, query: str, result: SearchResult, *, is_right: bool
) -> Asked | None:
    if result.confidence is None or not result.hits or not result.hits[0].spans:
        return None
    span = result.hits[0].spans[0]
    values = [each.value for each in span.contributions]
    log_probability = math.log(max(span.probability, 1e-30))
    score = _network_score(np.array(values))
    of_answer = (score - log_probability, log_probability, math.log(max(len(query.split()), 1)))
    return Asked(
        set=which,
        way=way,
        is_right=is_right,
        confidence=result.confidence,
        features=(*values, *of_answer),
    )


@cache
def _model() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return found


def _network_score(values: Vector) -> float:
    """The score of a span of a question in words by the weights in use."""
    model = _model()
    hidden = np.maximum(np.array(model["hidden"]) @ values + np.array(model["biases"]), 0)
    test = model["test"] * values[model["features"].index("is_test")]
    return float(np.array(model["linear"]) @ values + np.array(model["output"]) @ hidden + test)
