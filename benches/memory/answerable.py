"""What tells a question that a memory answers from one that it does not, and the level of evidence that an injection needs.

    python -m benches.memory.answerable DEVMEMBENCH [--out FILE]

Questions of DevMemBench's half that settings are chosen on (`conversations.is_tuned_on`), answered and not, and four files
of others: `unanswerable.json` has what is commonly asked of such projects, written without reading the other half's sessions, each
about a thing that occurs nowhere in the conversations; `unsaid.json` has more in the style of the benchmark's own, many about
an unsaid side of what sessions do speak of; `near_misses.json` asks about what sessions do speak of for what they do not say
of it; `paraphrases.json` asks, in words of its own where it can, for what they say. The last two are by session: the weights
are fitted on those of odd numbers ("fitted"), those of even ones ("kept") only tell how it goes elsewhere; so does every second
question of `unsaid.json`.
Prints what a logistic model weighs, by folds how well it separates on questions that it has not seen, and what
passes with the constants of `memory/answerability.py` at some levels.
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
from benches.results import Figure, Results, default_folder
from codecairn.memory.answerability import is_answered, spoken_for
from codecairn.memory.injection_format import FILLING_EVIDENCE

_HERE = Path(__file__).parent
_HITS = 16
_FOLDS = 5
_ROUNDS = 4
_REFITS = 4
_SEED = 1
_PENALTY = 5e-3
_MIN_LOGIT = -4.0
_LEVELS = (0.3, 0.34, 0.36, 0.38, 0.4, 0.42, 0.46, 0.5)
_SAID_TRIED = (0, 2, 3, 4, 5)
_ANSWERED = 0.85
_SHARES = {"answered": 1.0, "paraphrases, fitted": 0.5}
_OTHER_SHARES = {"nothing": 0.3, "file": 0.7, "near, fitted": 0.5, "unsaid, fitted": 0.5}
"""How much the questions of a group weigh together: the benchmark's are natural, and few; ours are near the border, and ours."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with what was found, each text with how likely its words make it."""

    text: str
    found: tuple[tuple[float, str], ...]

    def features(self) -> Array:
        """A row for each text: the odds, the share that it says, the share apart, and whether yes or no is asked for."""
        rows = [
            [float(np.log(evidence / (1 - evidence))), share, apart, whether, 1.0]
            for evidence, share, apart, whether in spoken_for(self.text, self.found)
            if 0 < evidence < 1
        ]
        return np.array(rows or [[_MIN_LOGIT, 0.0, 0.0, 0.0, 1.0]])


def ask(conversation: Conversation) -> dict[str, list[Asked]]:
    """All questions by group."""
    groups: dict[str, list[Asked]] = {name: [] for name in (*_SHARES, *_OTHER_SHARES)}
    with replayed(conversation, with_summaries=True) as replay:

        def put(group: str, question: str) -> None:
            hits = replay.memory.recall(question, limit=_HITS, evidence=FILLING_EVIDENCE)
            found = tuple((hit.evidence, hit.text) for hit in hits)
            groups.setdefault(group, []).append(Asked(text=question, found=found))

        for at, question in enumerate(conversation.questions):
            if is_tuned_on(question, at):
                put("answered" if question.gold else "nothing", question.text)
        for question_text in json.loads((_HERE / "unanswerable.json").read_text(encoding="utf-8")):
            put("file", question_text)
        unsaid = json.loads((_HERE / "unsaid.json").read_text(encoding="utf-8"))
        for at, question_text in enumerate(unsaid):
            put(f"unsaid, {'kept' if at % 2 else 'fitted'}", question_text)
        for name, group in (("near_misses", "near"), ("paraphrases", "paraphrases")):
            written = json.loads((_HERE / f"{name}.json").read_text(encoding="utf-8"))
            for session, questions in written.items():
                part = "fitted" if int(session[1:]) % 2 else "kept"
                for question_text in questions:
                    put(f"{group}, {part}", question_text)
    return groups


def best(asked: Sequence[Array], weights: Array) -> Array:
    """The row of each question's likeliest text."""
    return np.array([rows[int(np.argmax(rows @ weights))] for rows in asked])


def fit(groups: dict[str, list[Array]]) -> Array:
    """The weights of a logistic model of each question's likeliest text, which the weights choose in turn."""
    weights = np.array([1.0, 1.0, 0.0, 0.0, 0.0])
    for _ in range(_REFITS):
        rows = {name: best(asked, weights) for name, asked in groups.items()}
        weights = np.asarray(minimize(lambda tried, rows=rows: _lost(rows, tried), weights).x)
    return weights


def passing(groups: dict[str, list[Array]], weights: Array) -> dict[str, float]:
    """The share of each group that passes where as many of the answered do as are to."""
    scores = {name: best(asked, weights) @ weights for name, asked in groups.items()}
    least = np.quantile(scores["answered"], 1 - _ANSWERED)
    return {name: float((of_name >= least).mean()) for name, of_name in scores.items()}


def _lost(rows: dict[str, Array], weights: Array) -> float:
    signs = [(1.0, _SHARES), (-1.0, _OTHER_SHARES)]
    lost = [
        share * np.logaddexp(0, -sign * (rows[name] @ weights)).mean()
        for sign, shares in signs
        for name, share in shares.items()
    ]
    return float(sum(lost) + _PENALTY * (weights[:-1] @ weights[:-1]))


def parted(groups: dict[str, list[Array]], columns: Sequence[int]) -> dict[str, float]:
    """The chance that an answered question has more than one of another group, each scored by a model that has not seen it."""
    random = np.random.default_rng(_SEED)
    names = (*_SHARES, *_OTHER_SHARES)
    kept = np.zeros(5)
    kept[list(columns)] = 1.0
    of = {name: [rows * kept for rows in groups[name]] for name in names}
    shares: dict[str, list[float]] = {name: [] for name in _OTHER_SHARES}
    for _ in range(_ROUNDS):
        folds = {name: random.integers(0, _FOLDS, len(of[name])) for name in names}
        scores = {name: np.zeros(len(of[name])) for name in names}
        for fold in range(_FOLDS):
            seen = {
                name: [rows for rows, at in zip(of[name], folds[name], strict=True) if at != fold]
                for name in names
            }
            weights = fit(seen)
            for name in names:
                in_fold = folds[name] == fold
                chosen = [rows for rows, it_is in zip(of[name], in_fold, strict=True) if it_is]
                scores[name][in_fold] = best(chosen, weights) @ weights if chosen else 0.0
        for name, of_name in shares.items():
            higher = scores["answered"][:, None] > scores[name][None, :]
            of_name.append(float(higher.mean()))
    return {name: float(np.mean(of_name)) for name, of_name in shares.items()}


def _passed(asked: Sequence[Asked], least: float) -> float:
    return float(np.mean([is_answered(each.text, each.found, least=least) for each in asked]))


def main() -> None:
    """Ask, fit, print, and write what the gate lets pass."""
    parser = argparse.ArgumentParser(prog="python -m benches.memory.answerable")
    parser.add_argument("devmembench", type=Path)
    parser.add_argument(
        "--out", type=Path, help="the file of the results (default: benches/runs/…/gate.json)"
    )
    options = parser.parse_args()
    groups = ask(devmembench(options.devmembench))
    print(", ".join(f"{name}: {len(asked)}" for name, asked in groups.items()))
    rows = {name: [each.features() for each in asked] for name, asked in groups.items()}
    weights = fit(rows)
    said, apart, whether = weights[1:4] / weights[0] * (1, -1, -1)
    print(f"likeliest: _SAID = {said:.1f}, _APART = {apart:.1f}, _WHETHER = {whether:.1f}")
    for tried in _SAID_TRIED:
        shares = passing(rows, np.array([1.0, tried, -apart, -whether, 0.0]))
        told = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
        print(f"_SAID = {tried}, where {_ANSWERED:.0%} of the answered pass: {told}")
    for label, columns in (
        ("odds", [0, 4]),
        ("and what a text says", [0, 1, 4]),
        ("and pairs", [0, 1, 2, 4]),
        ("and yes or no", [0, 1, 2, 3, 4]),
    ):
        chances = parted(rows, columns)
        told = ", ".join(f"{name} {chance:.3f}" for name, chance in chances.items())
        print(f"parted in folds by {label}: {told}")
    results = Results("The gate of injections")
    for least in _LEVELS:
        for name, asked in groups.items():
            measure = f"memory: gate passes at {least:.2f}, {name} ({len(asked)})"
            results.add(Figure(measure=measure, value=_passed(asked, least)))
    results.write(options.out or default_folder() / "gate.json")


if __name__ == "__main__":
    main()
