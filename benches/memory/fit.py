"""Fits what recall weighs: the signals of a score, and the evidence that something answers at all.

    python -m benches.memory.fit weights LOCOMO10.json DEVMEMBENCH
    python -m benches.memory.fit gate LOCOMO10.json DEVMEMBENCH

*Weights*: the likelihood that a softmax over a question's candidates gives its evidence, on half of LoCoMo's
conversations and half of DevMemBench's sessions, with a small penalty for large weights. *Gate*: a logistic model of the
best candidate of each question; questions that nothing answers are DevMemBench's, and those of one LoCoMo
conversation asked of another, with its speakers' names. Prints constants for `memory/signals.rs` and `memory/gate.rs`.
"""

import argparse
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benches.memory.conversations import (
    Conversation,
    Question,
    devmembench,
    is_tuned_on,
    locomo,
)
from benches.memory.locomo import COUNTED, TUNED
from benches.memory.replay import replayed
from codecairn.core.types.memory import Recalled

POOL = 200
FITTED = (
    "words",
    "before",
    "after",
    "long_before",
    "long_after",
    "session",
    "meaning",
    "speaker",
    "length",
    "time",
    "asks",
)
GATE = ("known", "named", "covered", "meaning", "score")
_FOREIGN = 60
_SEED = 5

Array = NDArray[np.float64]
Loss = Callable[[Array], tuple[float, Array]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its candidates; `groups` are the rows of each piece of evidence that was found."""

    rows: Array
    groups: tuple[NDArray[np.int64], ...]


def _ask(
    conversation: Conversation, questions: Sequence[Question]
) -> list[tuple[Question, tuple[Recalled, ...]]]:
    with replayed(conversation) as replay:
        asked = []
        for question in questions:
            hits = replay.memory.recall(question.text, limit=POOL, kinds=("event",), evidence=0)
            asked.append((question, tuple(replace(hit, id=replay.keys[hit.id]) for hit in hits)))
        return asked


def _candidates(question: Question, hits: Sequence[Recalled], *, by_session: bool) -> Asked | None:
    rows = np.array([[hit.signals[name] for name in FITTED] for hit in hits], dtype=np.float64)
    names = [hit.id.split("-")[0] if by_session else hit.id for hit in hits]
    groups = [np.flatnonzero([name == gold for name in names]) for gold in sorted(question.gold)]
    found = tuple(group for group in groups if len(group))
    return Asked(rows=rows, groups=found) if found else None


def _likelihood(asked: Sequence[Asked], share: float) -> Loss:
    def loss(weights: Array) -> tuple[float, Array]:
        total, slope = 0.0, np.zeros_like(weights)
        for each in asked:
            scores = each.rows @ weights
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            mean = chances @ each.rows
            for group in each.groups:
                within = chances[group].sum()
                factor = share / len(each.groups) / len(asked)
                total -= factor * np.log(within)
                slope -= factor * ((chances[group] / within) @ each.rows[group] - mean)
        return total, slope

    return loss


def fit_weights(conversations: Sequence[Conversation], sessions: Conversation) -> None:
    """Fit and print the weights of the signals."""
    turns = []
    for at in TUNED:
        questions = [each for each in conversations[at].questions if each.category in COUNTED]
        turns += [
            _candidates(*each, by_session=False) for each in _ask(conversations[at], questions)
        ]
    tuned = [
        each for at, each in enumerate(sessions.questions) if is_tuned_on(each, at) and each.gold
    ]
    whole = [_candidates(*each, by_session=True) for each in _ask(sessions, tuned)]
    parts = (
        _likelihood([each for each in turns if each is not None], 1.0),
        _likelihood([each for each in whole if each is not None], 1.0),
    )

    def loss(weights: Array) -> tuple[float, Array]:
        values = [part(weights) for part in parts]
        penalty = 2e-3 * float(weights @ weights)
        return sum(value for value, _ in values) + penalty, values[0][1] + values[1][
            1
        ] + 4e-3 * weights

    found = minimize(loss, np.zeros(len(FITTED)), jac=True, method="L-BFGS-B")
    for name, weight in zip(FITTED, found.x, strict=True):
        print(f"    {name}: {weight:.2f},")


def _features(hits: Sequence[Recalled]) -> list[float]:
    """Of the best candidate; of none if there is none."""
    if not hits:
        return [0.0] * len(GATE)
    best = hits[0]
    plain = sum(WEIGHTS[name] * best.signals[name] for name in FITTED)
    return [best.known, best.named, best.covered, best.signals["meaning"], plain]


_SIGNALS = Path(__file__).parents[2] / "native/crates/memory/src/signals.rs"
WEIGHTS = {
    name: float(weight)
    for name, weight in re.findall(r"^    (\w+): (-?[\d.]+),$", _SIGNALS.read_text("utf-8"), re.M)
}
"""The weights that the core has now."""


def _foreign(conversations: Sequence[Conversation], at: int) -> list[Question]:
    """Questions of the next tuned conversation, with the names of this one's speakers."""
    other = conversations[TUNED[(TUNED.index(at) + 1) % len(TUNED)]]
    theirs = sorted({turn.speaker for turn in other.turns})
    ours = sorted({turn.speaker for turn in conversations[at].turns})
    asked = [each for each in other.questions if each.category in COUNTED]
    chosen = random.Random(_SEED + at).sample(asked, _FOREIGN)
    renamed = []
    for question in chosen:
        text = question.text
        for name, instead in zip(theirs, ours, strict=True):
            text = text.replace(name, instead)
        renamed.append(replace(question, text=text))
    return renamed


def fit_gate(conversations: Sequence[Conversation], sessions: Conversation) -> None:
    """Fit and print the gate, and what it lets through at some thresholds."""
    groups: dict[str, list[list[float]]] = {"turns": [], "foreign": [], "asked": [], "nothing": []}
    for at in TUNED:
        own = [each for each in conversations[at].questions if each.category in COUNTED]
        groups["turns"] += [_features(hits) for _, hits in _ask(conversations[at], own)]
        foreign = _foreign(conversations, at)
        groups["foreign"] += [_features(hits) for _, hits in _ask(conversations[at], foreign)]
    tuned = [each for at, each in enumerate(sessions.questions) if is_tuned_on(each, at)]
    for question, hits in _ask(sessions, tuned):
        groups["asked" if question.gold else "nothing"].append(_features(hits))
    rows = {name: np.array([[*row, 1.0] for row in found]) for name, found in groups.items()}
    signs = {"turns": 1.0, "asked": 1.0, "foreign": -1.0, "nothing": -1.0}

    def loss(weights: Array) -> float:
        each = (np.logaddexp(0, -signs[name] * (rows[name] @ weights)).mean() for name in rows)
        return float(sum(each) / 4 + 1e-2 * (weights[:-1] @ weights[:-1]))

    found = minimize(loss, np.zeros(len(GATE) + 1), method="L-BFGS-B").x
    for name, weight in zip((*GATE, "bias"), found, strict=True):
        print(f"const {name.upper()}: f32 = {weight:.2f};")
    likely = {name: 1 / (1 + np.exp(-(table @ found))) for name, table in rows.items()}
    for threshold in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6):
        passed = {name: float((values >= threshold).mean()) for name, values in likely.items()}
        print(
            f"{threshold:.2f}: "
            + ", ".join(f"{name} {share:.2f}" for name, share in passed.items())
        )


def main() -> None:
    """Fit one of the two."""
    parser = argparse.ArgumentParser(prog="python -m benches.memory.fit")
    parser.add_argument("what", choices=("weights", "gate"))
    parser.add_argument("locomo", type=Path)
    parser.add_argument("devmembench", type=Path)
    options = parser.parse_args()
    fit = fit_weights if options.what == "weights" else fit_gate
    fit(locomo(options.locomo), devmembench(options.devmembench))


if __name__ == "__main__":
    main()
