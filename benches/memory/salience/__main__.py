"""Fits and measures the model of what is worth remembering.

    python -m benches.memory.salience [--mirrors DIR] [--write]

Prints how well sentences of projects that a model has not seen are classified, by corpus, role and language. `--write` fits on
everything and writes the weights into the core.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benches.memory.salience import corpora, fitting
from benches.memory.salience.corpora import Sentence

FOLDS = 6
SEED = 1
LEVELS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def main() -> None:
    """Gather, cross-validate by project, and fit."""
    parser = argparse.ArgumentParser(prog="python -m benches.memory.salience")
    parser.add_argument("--mirrors", type=Path, help="git directories, OWNER+NAME/repo")
    parser.add_argument("--write", action="store_true", help="write the weights into the core")
    options = parser.parse_args()
    sentences = [*corpora.of_scripts(), *corpora.of_cases(), *corpora.of_explicit()]
    if options.mirrors:
        sentences += corpora.of_histories(options.mirrors)
    report(sentences, cross_validated(sentences))
    if options.write:
        model = fitting.fit(sentences, fitting.matrix(sentences))
        fitting.write(fitting.WEIGHTS, model)


def cross_validated(sentences: Sequence[Sentence]) -> fitting.Vector:
    """The log odds of each sentence by a model that has seen nothing of its project."""
    groups = sorted({each.group for each in sentences})
    random.Random(SEED).shuffle(groups)
    fold_of = {group: at % FOLDS for at, group in enumerate(groups)}
    folds = np.array([fold_of[each.group] for each in sentences])
    rows = fitting.matrix(sentences)
    odds = np.zeros(len(sentences))
    for fold in range(FOLDS):
        seen = np.flatnonzero(folds != fold)
        model = fitting.fit([sentences[at] for at in seen.tolist()], rows[seen], with_kinds=False)
        odds[folds == fold] = model.log_odds(rows[folds == fold])
    return odds


def report(sentences: Sequence[Sentence], odds: fitting.Vector) -> None:
    """Print average precision, and precision and recall by level of probability."""
    print("sentences, worth it, average precision; by level precision / recall")
    print(f"{'':46}{''.join(f'{level:14.2f}' for level in LEVELS)}")
    for name, which in _parts(sentences):
        wanted = np.array([bool(sentences[int(at)].kind) for at in which])
        if wanted.any():
            print(f"{name:24}{len(which):7}{wanted.sum():7}{_figures(wanted, odds[which])}")


def _figures(wanted: np.ndarray, odds: fitting.Vector) -> str:
    order = np.argsort(-odds)
    right = np.cumsum(wanted[order])
    precision = right / np.arange(1, len(order) + 1)
    average = (precision * wanted[order]).sum() / wanted.sum()
    cells = []
    for level in LEVELS:
        passes = odds >= np.log(level / (1 - level))
        hits = (wanted & passes).sum()
        cells.append(f"{hits / max(passes.sum(), 1):8.2f} /{hits / wanted.sum():4.2f}")
    return f"{average:8.3f}{''.join(cells)}"


def _parts(sentences: Sequence[Sentence]) -> Iterator[tuple[str, np.ndarray]]:
    def part(name: str, keys: Sequence[str]) -> Iterator[tuple[str, np.ndarray]]:
        for key in sorted(set(keys)):
            yield f"{name}{key}", np.array([at for at, each in enumerate(keys) if each == key])

    yield "all", np.arange(len(sentences))
    yield from part("", [each.corpus for each in sentences])
    yield from part("", [f"{each.corpus}, {each.role}" for each in sentences])
    yield from part("", [f"{each.corpus}, {each.language}" for each in sentences])


if __name__ == "__main__":
    main()
