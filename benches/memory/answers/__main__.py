"""Fits and measures the model that judges whether a memory answers a prompt.

    python -m benches.memory.answers LOCOMO10.json DEVMEMBENCH --mirrors DIR [--write]

Prints, by corpus and by level, the share of prompts whose answer is among the first four above it, and of the others that
anything is shown for; each prompt is judged by a model that has not seen its fold. `--write` fits on everything and writes the
weights into the core.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from benches.memory.answers import corpora, fitting
from benches.memory.answers.corpora import Asked
from benches.memory.sessions import scripts
from benches.quality.lines.listing import load

HISTORIES = 20
FOLDS = 5
SEED = 1
SHOWN = 4
LEVELS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
UNANSWERED = frozenset(("near", "none", "nothing"))


def main() -> None:
    """Gather, cross-validate and fit."""
    options = _options()
    asked = gather(options.locomo, options.devmembench, options.mirrors)
    report(cross_validated(asked))
    if options.write:
        names = next(each.names for each in asked if each.names)
        fitting.write(fitting.WEIGHTS, names, fitting.fit(asked))


def gather(locomo: Path, devmembench: Path, mirrors: Path) -> list[Asked]:
    """All prompts to fit with."""
    asked = [*corpora.of_locomo(locomo), *corpora.of_devmembench(devmembench), *corpora.of_cases()]
    names = [each.name for each in load() if each.split == "fit"][:HISTORIES]
    asked += corpora.of_commits(mirrors, names)
    projects = [each for each in scripts.load() if each.split == "fit"]
    with ProcessPoolExecutor() as processes:
        for found in processes.map(_of_sessions, projects):
            asked += found
    return asked


def cross_validated(asked: Sequence[Asked]) -> list[tuple[Asked, fitting.Vector]]:
    """Each prompt with the scores that a model gives which was fitted on the other folds."""
    chance = random.Random(SEED)
    folds = [chance.randrange(FOLDS) for _ in asked]
    found = []
    for fold in range(FOLDS):
        seen = [each for each, at in zip(asked, folds, strict=True) if at != fold]
        model = fitting.fit(seen)
        for each, at in zip(asked, folds, strict=True):
            if at == fold and len(each.rows):
                found.append((each, model.scores(each.rows)))
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


def _of_sessions(project: scripts.Project) -> list[Asked]:
    return list(corpora.of_sessions(project))


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
