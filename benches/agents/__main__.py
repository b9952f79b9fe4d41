"""Steps and tokens of the scripted agent, with a system and with grep alone.

    python -m benches.agents DATA --split choose [--system codecairn] [--sets ...] [--out FILE]

DATA is written by `python -m benches.quality.lines make`. In brackets stands the 95 % interval over repositories.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from benches.agents.scripted import Walk, follow, grep
from benches.public.parts import interval
from benches.quality.lines.checkouts import texts
from benches.quality.lines.listing import load
from benches.quality.lines.making import is_made
from benches.quality.lines.questions import SETS, USUAL_SETS
from benches.quality.lines.systems import open_system
from benches.quality.lines.walking import walk
from benches.results import Figure, Results, default_folder

ALONE = "grep alone"

MEASURES: tuple[tuple[str, str, Callable[[Walk], float]], ...] = (
    ("seen at all", "%", lambda walk: 100.0 * walk.is_done),
    ("seen without opening a file", "%", lambda walk: 100.0 * (walk.is_done and not walk.windows)),
    ("steps", "steps", lambda walk: float(walk.steps)),
    ("tokens", "tokens", lambda walk: walk.tokens),
)


def figures(title: str, walks: dict[str, list[Walk]]) -> Iterator[Figure]:
    """The figures of one agent, over the walks by repository."""
    note = f"{sum(map(len, walks.values()))} questions"
    for label, unit, value in MEASURES:
        groups = {name: [value(each) for each in found] for name, found in walks.items()}
        mean, low, high = interval(groups)
        yield Figure(
            measure=f"{title}: {label}", value=mean, low=low, high=high, unit=unit, note=note
        )


def main() -> None:
    """Follow the script for all questions of a split."""
    parser = argparse.ArgumentParser(prog="python -m benches.agents")
    parser.add_argument("data", type=Path)
    parser.add_argument("--split", choices=("fit", "choose", "judge"), required=True)
    parser.add_argument("--system", default="codecairn")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(USUAL_SETS))
    parser.add_argument("--out", type=Path, help="default: benches/runs/…/agents.json")
    options = parser.parse_args()
    walks: dict[str, dict[str, list[Walk]]] = {
        name: defaultdict(list) for name in (options.system, ALONE)
    }
    for repository in load():
        if repository.split != options.split or not is_made(options.data, repository):
            continue
        files: dict[str, str] = {}
        for which in options.sets:
            for step in walk(
                options.data, repository, which, lambda tree: open_system(options.system, tree)
            ):
                files = texts(step.tree) if step.has_moved else files
                question = step.question
                reply = step.system.ask(question.query)
                hits = grep(question.query, files)
                for name, answer in ((options.system, reply), (ALONE, None)):
                    followed = follow(hits, question.targets, files, answer)
                    walks[name][repository.folder].append(followed)
    if not walks[ALONE]:
        parser.error(
            f"{options.data} has no repository of {options.split}: `python -m benches.quality.lines make`"
        )
    results = Results("The scripted agent")
    for name, found in walks.items():
        results.add(figures(f"agent, {options.split}, {name}", found))
    results.write(options.out or default_folder() / "agents.json")


if __name__ == "__main__":
    main()
