"""Fits and measures the model that judges whether a memory answers a prompt.

    python -m benches.memory.answers LOCOMO10.json DEVMEMBENCH --mirrors DIR [--write]

Prints, by corpus and by level, the share of prompts whose answer is among the first four above it, and of the others that
anything is shown for; each prompt is judged by models that have not seen its fold. `--write` fits on everything and writes the
weights into the core. The extension is built for each fold: see `folds`.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benches.memory.answers import fitting, folds
from benches.memory.answers.corpora import Asked

SHOWN = 4
LEVELS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
UNANSWERED = frozenset(("near", "none", "nothing"))


def main() -> None:
    """Gather, cross-validate and fit."""
    options = _options()
    rows = folds.gather(options.locomo, options.devmembench, options.mirrors)
    report(cross_validated(rows))
    if options.write:
        asked = [row.asked for row in rows]
        names = next(each.names for each in asked if each.names)
        fitting.write(fitting.WEIGHTS, names, fitting.fit(asked))


def cross_validated(rows: Sequence[folds.Row]) -> list[tuple[Asked, fitting.Vector]]:
    """Each prompt with the scores that a model gives which was fitted on the other folds."""
    found: list[tuple[Asked, fitting.Vector]] = []
    for fold in range(folds.FOLDS):
        model = fitting.fit([row.asked for row in rows if row.fold != fold])
        own = (row.asked for row in rows if row.fold == fold and len(row.asked.rows))
        found += ((asked, model.scores(asked.rows)) for asked in own)
    return found


def report(scored: Sequence[tuple[Asked, fitting.Vector]]) -> None:
    """Print what each level shows, by corpus and kind."""
    groups = defaultdict(list)
    for asked, scores in scored:
        groups[asked.corpus, asked.kind].append((asked, scores))
    print("corpus and kind, prompts; by level the share that is answered, or shown anything")
    print(f"{'':28}{''.join(f'{level:7.2f}' for level in LEVELS)}")
    for (corpus, kind), group in sorted(groups.items()):
        shares = [np.mean([_passes(*each, level) for each in group]) for level in LEVELS]
        print(
            f"{corpus + ', ' + kind:22}{len(group):6}{''.join(f'{share:7.2f}' for share in shares)}"
        )


def _passes(asked: Asked, scores: fitting.Vector, level: float) -> bool:
    least = np.log(level / (1 - level))
    if asked.kind in UNANSWERED:
        return bool((scores >= least).any())
    first = np.argsort(-scores)[:SHOWN]
    return bool((asked.is_answer[first] & (scores[first] >= least)).any())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.memory.answers")
    parser.add_argument("locomo", type=Path)
    parser.add_argument("devmembench", type=Path)
    parser.add_argument(
        "--mirrors", type=Path, required=True, help="git directories, OWNER+NAME/repo"
    )
    parser.add_argument("--write", action="store_true", help="write the weights into the core")
    return parser.parse_args()


if __name__ == "__main__":
    main()
