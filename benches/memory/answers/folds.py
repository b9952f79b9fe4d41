"""Gathers the prompts to fit with, by fold: what is remembered of a project is chosen by a model that has not seen it.

The model of what is worth remembering (`benches.memory.salience`) is fitted on scripts and cases that are asked here too. So for
each fold it is fitted without the fold's, the extension is built with it, and the fold's prompts are asked in a process of
their own:

    python -m benches.memory.answers.folds FOLD LOCOMO10.json DEVMEMBENCH --mirrors DIR --out FILE
"""

import argparse
import pickle
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benches.memory.answers import corpora
from benches.memory.answers.corpora import Asked
from benches.memory.salience import corpora as salience_corpora
from benches.memory.salience import fitting as salience
from benches.memory.sessions import scripts
from benches.quality.lines.listing import load

FOLDS = 3
HISTORIES = 20
_SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A prompt with its fold."""

    fold: int
    asked: Asked


def gather(locomo: Path, devmembench: Path, mirrors: Path) -> list[Row]:
    """All prompts to fit with. The weights of salience and the extension are as before afterwards."""
    sentences = [
        *salience_corpora.of_scripts(),
        *salience_corpora.of_cases(),
        *salience_corpora.of_explicit(),
        *salience_corpora.of_histories(mirrors),
    ]
    kept = salience.WEIGHTS.read_bytes()
    rows: list[Row] = []
    try:
        for fold in range(FOLDS):
            own = set(_names_of(fold))
            seen = [each for each in sentences if each.group not in own]
            salience.write(salience.WEIGHTS, salience.fit(seen, salience.matrix(seen)))
            _build()
            rows += _asked_apart(fold, locomo, devmembench, mirrors)
    finally:
        salience.WEIGHTS.write_bytes(kept)
        _build()
    return rows


def _names_of(fold: int) -> Sequence[str]:
    """The scripts and cases of a fold."""
    names = sorted(each.name for each in scripts.load() if each.split == "fit")
    return [*names, *sorted(path.stem for path in corpora.CASES.glob("*.json"))][fold::FOLDS]


def _build() -> None:
    subprocess.run(["make", "--silent", "dev"], check=True, capture_output=True)


def _asked_apart(fold: int, locomo: Path, devmembench: Path, mirrors: Path) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="codecairn-rows-") as folder:
        out = Path(folder) / "rows"
        arguments = [str(fold), str(locomo), str(devmembench), "--mirrors", str(mirrors)]
        module = "benches.memory.answers.folds"
        subprocess.run([sys.executable, "-m", module, *arguments, "--out", str(out)], check=True)
        return [Row(fold=fold, asked=asked) for fold, asked in pickle.loads(out.read_bytes())]


def _ask(fold: int, locomo: Path, devmembench: Path, mirrors: Path) -> Iterator[tuple[int, Asked]]:
    """The prompts of a fold, each with it; those of corpora that nothing was fitted on are dealt to all folds."""
    projects = {each.name: each for each in scripts.load()}
    with ProcessPoolExecutor() as processes:
        own = [
            processes.submit(_of_script, projects[name])
            if name in projects
            else processes.submit(_of_case, corpora.CASES / f"{name}.json")
            for name in _names_of(fold)
        ]
        for job in own:
            yield from ((fold, asked) for asked in job.result())
    if fold == 0:
        names = [each.name for each in load() if each.split == "fit"][:HISTORIES]
        chance = random.Random(_SEED)
        others = [
            *corpora.of_locomo(locomo),
            *corpora.of_devmembench(devmembench),
            *corpora.of_commits(mirrors, names),
        ]
        yield from ((chance.randrange(FOLDS), asked) for asked in others)


def _of_script(project: scripts.Project) -> list[Asked]:
    return list(corpora.of_sessions(project))


def _of_case(path: Path) -> list[Asked]:
    return list(corpora.of_case(path))


def main() -> None:
    """Ask the prompts of one fold."""
    parser = argparse.ArgumentParser(prog="python -m benches.memory.answers.folds")
    parser.add_argument("fold", type=int, choices=range(FOLDS))
    parser.add_argument("locomo", type=Path)
    parser.add_argument("devmembench", type=Path)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = list(_ask(options.fold, options.locomo, options.devmembench, options.mirrors))
    options.out.write_bytes(pickle.dumps(rows))


if __name__ == "__main__":
    main()
