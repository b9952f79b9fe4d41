"""What tells a question that a memory answers from one that it does not, and the level of evidence that an injection needs.

    python -m benches.memory.answerable DEVMEMBENCH

Questions of DevMemBench's half that settings are chosen on (`conversations.is_tuned_on`), answered and not, and those of
`unanswerable.json`: what is commonly asked of such projects, written without reading the other half's sessions, each about
a thing that stands nowhere in the conversations. Prints what a logistic model weighs, told by folds what it
parts on questions that it has not seen, and what passes with the constants of `memory/answering.py` at some levels.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benches.memory.conversations import Conversation, devmembench, is_tuned_on
from benches.memory.replay import replayed
from codecairn.memory.answering import is_answered, likely
from codecairn.memory.lines import FILLING_EVIDENCE
from codecairn.memory.unsaid import unsaid_shares

_QUESTIONS = Path(__file__).with_name("unanswerable.json")
_HITS = 16
_FOLDS = 5
_ROUNDS = 10
_SEED = 1
_PENALTY = 5e-3
_LEAST_LOGIT = -4.0
_LEVELS = (0.3, 0.34, 0.36, 0.38, 0.4, 0.42, 0.46, 0.5)

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with what was found, each text with how likely its words make it."""

    text: str
    found: tuple[tuple[float, str], ...]

    def features(self) -> list[float]:
        """The best text's odds, and the shares of what is asked about that nothing found speaks of."""
        odds = [_LEAST_LOGIT]
        for evidence, text in self.found:
            chance = likely(evidence, self.text, text)
            odds += [float(np.log(chance / (1 - chance)))] if 0 < chance < 1 else []
        shares = unsaid_shares(self.text, (text for _, text in self.found)) or (0.0, 0.0)
        return [max(odds), *shares, 1.0]


def ask(conversation: Conversation) -> dict[str, list[Asked]]:
    """The questions that are answered, those of the benchmark that are not, and those of the file."""
    groups: dict[str, list[Asked]] = {"answered": [], "nothing": [], "file": []}
    written: list[str] = json.loads(_QUESTIONS.read_text(encoding="utf-8"))
    with replayed(conversation, with_summaries=True) as replay:

        def put(question: str) -> Asked:
            hits = replay.memory.recall(question, limit=_HITS, evidence=FILLING_EVIDENCE)
            return Asked(text=question, found=tuple((hit.evidence, hit.text) for hit in hits))

        for at, question in enumerate(conversation.questions):
            if is_tuned_on(question, at):
                groups["answered" if question.gold else "nothing"].append(put(question.text))
        groups["file"] += [put(question) for question in written]
    return groups


def fit(answered: Array, others: Array) -> Array:
    """The weights of a logistic model; both sides count the same."""

    def loss(weights: Array) -> float:
        lost = np.logaddexp(0, -(answered @ weights)).mean()
        lost += np.logaddexp(0, others @ weights).mean()
        return float(lost + _PENALTY * (weights[:-1] @ weights[:-1]))

    return np.asarray(minimize(loss, np.zeros(answered.shape[1])).x)


def parted(answered: Array, others: Array) -> float:
    """The chance that an answered question has more than another one, each scored by a model that has not seen it."""
    random = np.random.default_rng(_SEED)
    shares = []
    for _ in range(_ROUNDS):
        folds = [random.integers(0, _FOLDS, len(side)) for side in (answered, others)]
        scores = [np.zeros(len(side)) for side in (answered, others)]
        for fold in range(_FOLDS):
            weights = fit(answered[folds[0] != fold], others[folds[1] != fold])
            for side, in_fold, score in zip((answered, others), folds, scores, strict=True):
                score[in_fold == fold] = side[in_fold == fold] @ weights
        shares.append((scores[0][:, None] > scores[1][None, :]).mean())
    return float(np.mean(shares))


def _passed(asked: Sequence[Asked], least: float) -> float:
    return float(np.mean([is_answered(each.text, each.found, least=least) for each in asked]))


def main() -> None:
    """Ask, fit, and print."""
    parser = argparse.ArgumentParser(prog="python -m benches.memory.answerable")
    parser.add_argument("devmembench", type=Path)
    groups = ask(devmembench(parser.parse_args().devmembench))
    rows = {name: np.array([each.features() for each in asked]) for name, asked in groups.items()}
    answered, others = rows["answered"], np.concatenate([rows["nothing"], rows["file"]])
    weights = fit(answered, others)
    print(f"_UNSAID = {-weights[1] / weights[0]:.1f}, _APART = {-weights[2] / weights[0]:.1f}")
    for label, columns in (("odds", [0, 3]), ("and words", [0, 1, 3]), ("and pairs", [0, 1, 2, 3])):
        print(f"parted in folds by {label}: {parted(answered[:, columns], others[:, columns]):.3f}")
    for least in _LEVELS:
        shares = (f"{name} {_passed(asked, least):.3f}" for name, asked in groups.items())
        print(f"{least:.2f}: passed " + ", ".join(shares))


if __name__ == "__main__":
    main()
