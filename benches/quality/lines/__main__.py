"""Whether an answer shows the needed lines within a number of tokens.

    python -m benches.quality.lines make --mirrors DIR --into DATA
    python -m benches.quality.lines score DATA --split fit --system codecairn --out FILE.json
    python -m benches.quality.lines compare OURS.json THEIRS.json
    python -m benches.quality.lines fit DATA [--write]
    python -m benches.quality.lines confidence DATA --split fit [--write]

The questions, the measures and what they are good for are in the README next to this file.
"""

import argparse
import time
from contextlib import ExitStack
from pathlib import Path

from benches.quality.lines import comparing, scoring
from benches.quality.lines.listing import load
from benches.quality.lines.making import is_made, make
from benches.quality.lines.questions import SETS, USUAL_SETS
from benches.results import Results


def main() -> None:
    """Run one of the commands."""
    options = _options()
    if options.command == "make":
        for repository in load():
            if options.only and repository.name not in options.only:
                continue
            began = time.perf_counter()
            counts = make(options.into, options.mirrors, repository)
            if counts:
                text = ", ".join(f"{count} {name}" for name, count in counts.items())
                print(
                    f"{repository.name}: {text} in {time.perf_counter() - began:.0f} s", flush=True
                )
    elif options.command == "score":
        _score(options)
    elif options.command == "fit":
        _fit(options)
    elif options.command == "confidence":
        _confidence(options)
    else:
        (ours, first), (theirs, second) = scoring.load(options.ours), scoring.load(options.theirs)
        print(f"{ours} minus {theirs}; in brackets what holds 95 % of resampled repositories\n")
        print(comparing.table(first, second))


def _score(options: argparse.Namespace) -> None:
    if options.dump and options.split == "judge":
        raise SystemExit("questions to judge with are not written out")
    outcomes: list[scoring.Outcome] = []
    with ExitStack() as stack:
        dump = (
            stack.enter_context(options.dump.open("w", encoding="utf-8")) if options.dump else None
        )
        for repository in load():
            if repository.split != options.split or not is_made(options.data, repository):
                continue
            began, before = time.perf_counter(), len(outcomes)
            outcomes += scoring.ask_repository(
                options.data, repository, options.sets, options.system, dump
            )
            seconds = time.perf_counter() - began
            print(
                f"{repository.name}: {len(outcomes) - before} questions in {seconds:.0f} s",
                flush=True,
            )
    print(f"\n{options.system}, {options.split}, % of questions\n\n{scoring.table(outcomes)}")
    if options.out:
        scoring.write(options.out, options.system, options.split, outcomes)
    if options.figures:
        results = Results("Needed lines within a number of tokens")
        results.add(scoring.figures(options.system, options.split, outcomes))
        results.write(options.figures)


def _fit(options: argparse.Namespace) -> None:
    from benches.quality.lines import fitting, network

    everything = fitting.Material()
    repositories = [each for each in load() if each.split == "fit" and is_made(options.data, each)]
    for repository, found in fitting.gather(options.data, repositories, options.sets):
        everything.add(found)
        print(f"{repository.name}: {len(found.pools)} questions", flush=True)
    if options.rates:
        for each in (everything.shown, everything.complete):
            for row in (row for of_form in fitting.rates(each) for row in of_form):
                print(" ".join(f"{rate:.2f}" for rate in row))
        if options.write:
            fitting.write_rates(fitting.WEIGHTS, everything)
        return
    model = network.fit(everything.pools)
    for name, weight in sorted(
        zip(everything.names, model.linear, strict=True), key=lambda row: -abs(row[1])
    ):
        print(f"{name:32}{weight:8.2f}")
    if options.write:
        fitting.write(fitting.WEIGHTS, everything.names, model, everything)


def _confidence(options: argparse.Namespace) -> None:
    from benches.quality.lines import confidence

    answers: list[confidence.Asked] = []
    repositories = [
        each for each in load() if each.split == options.split and is_made(options.data, each)
    ]
    for name, found in confidence.gather(options.data, repositories):
        answers += found
        print(f"{name}: {len(found)} answers", flush=True)
    print(f"\nconfidence of the weights in use, {options.split}\n\n{confidence.table(answers)}")
    if options.write:
        weights, bias = confidence.fit(answers)
        confidence.write(confidence.CONFIDENCE, confidence.names(), weights, bias)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.quality.lines")
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make", help="make questions and trees")
    making.add_argument(
        "--mirrors", type=Path, required=True, help="git directories, OWNER+NAME/repo"
    )
    making.add_argument("--into", type=Path, required=True, help="where questions and trees go")
    making.add_argument(
        "--only", action="append", metavar="OWNER/NAME", help="only this repository"
    )
    asking = commands.add_parser("score", help="ask a system")
    asking.add_argument("data", type=Path, help="what `make` has written")
    asking.add_argument("--split", choices=("fit", "choose", "judge"), required=True)
    asking.add_argument(
        "--system",
        default="codecairn",
        help="codecairn, one-place, spread, bm25-windows, codegraph, keywords or semble",
    )
    asking.add_argument("--sets", nargs="+", choices=SETS, default=list(USUAL_SETS))
    asking.add_argument(
        "--out", type=Path, help="write the outcome of each question here, for `compare`"
    )
    asking.add_argument(
        "--dump",
        type=Path,
        help="write each question with its files and places here, as JSON Lines",
    )
    asking.add_argument("--figures", type=Path, help="write the figures of the run here")
    compared = commands.add_parser("compare", help="the difference of two results")
    compared.add_argument("ours", type=Path)
    compared.add_argument("theirs", type=Path)
    fitted = commands.add_parser("fit", help="fit the model that chooses spans")
    fitted.add_argument("data", type=Path, help="what `make` has written")
    fitted.add_argument("--sets", nargs="+", choices=SETS, default=list(USUAL_SETS))
    fitted.add_argument(
        "--rates", action="store_true", help="only how often excerpts have what is needed"
    )
    fitted.add_argument("--write", action="store_true", help="write the weights into the core")
    sure = commands.add_parser("confidence", help="measure or fit the confidence of answers")
    sure.add_argument("data", type=Path, help="what `make` has written")
    sure.add_argument("--split", choices=("fit", "choose", "judge"), required=True)
    sure.add_argument("--write", action="store_true", help="fit the weights, and write them")
    return parser.parse_args()


if __name__ == "__main__":
    main()
