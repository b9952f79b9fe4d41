"""Measures what agents are shown in later sessions of invented projects, and what is stored of the earlier ones.

    python -m benches.memory.sessions [--split fit|judge] [--only NAME] [--with-model] [--show] [--out FILE]

`--with-model` has sessions read by a model too, whose answers are on record in `replies`.
`judge` is looked at once a release, and never listed prompt by prompt.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from benches.memory.sessions import scoring
from benches.memory.sessions.replaying import replayed
from benches.memory.sessions.scripts import Project, load
from benches.results import Results, default_folder


def main() -> None:
    """Replay and ask."""
    options = _options()
    projects = [
        each for each in load() if each.split == options.split and options.only in (None, each.name)
    ]
    if options.show:
        if options.split == "judge":
            raise SystemExit("prompts to judge with are not listed")
        for project in projects:
            _show(project, with_model=options.with_model)
        return
    with ProcessPoolExecutor() as processes:
        measured = list(
            processes.map(partial(scoring.measure, with_model=options.with_model), projects)
        )
    reader, suffix = (", read by a model", "-model") if options.with_model else ("", "")
    results = Results(f"Later sessions of invented projects, {options.split}{reader}")
    results.add(scoring.figures(measured))
    results.write(options.out or default_folder() / f"sessions-{options.split}{suffix}.json")


def _show(project: Project, *, with_model: bool) -> None:
    with replayed(project, with_model=with_model) as replay:
        for fact in replay.facts:
            print(f"  {fact.type} {fact.maker}: {fact.text}")
        for ask in project.asks:
            if ask.kind == "time":
                continue
            outcome, _, _ = scoring.judged(replay, ask)
            shown = replay.ask(ask.prompt).prompt
            print(f"\n{ask.kind} {','.join(ask.ids) or '-'} {outcome.is_shown}: {ask.prompt}")
            for line in shown:
                print(f"    {line.text}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.memory.sessions")
    parser.add_argument("--split", choices=("fit", "judge"), default="fit")
    parser.add_argument("--only", metavar="NAME", help="only this project")
    parser.add_argument("--with-model", action="store_true", help="a model reads sessions, too")
    parser.add_argument("--show", action="store_true", help="list what each prompt was shown")
    parser.add_argument("--out", type=Path, help="write the figures here")
    return parser.parse_args()


if __name__ == "__main__":
    main()
