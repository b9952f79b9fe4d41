"""Score codecairn on the retrieval benchmark, by category and language.

python -m benches.quality.evaluate --data DIR --repos DIR [--leak-free] [--whole-checkout] [--out FILE]
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from benches.quality.annotations import Repository, load
from benches.quality.metrics import (
    TOP,
    Answered,
    Score,
    grouped,
    mean_by_repository,
    score,
    standard_error,
)
from benches.quality.plugin import Index
from benches.results import Figure, Results
from codecairn.config.validation import find_setting, parse

METRICS: dict[str, Callable[[Score], float]] = {
    "NDCG@10": lambda each: each.ndcg10,
    "recall@10": lambda each: each.recall10,
    "MRR": lambda each: each.mrr10,
    "hit@1": lambda each: each.hit1,
}


def main() -> None:
    """Evaluate and print."""
    options = _options()
    settings = dict(_setting(given) for given in options.set)
    answers: list[Answered] = []
    for repository in load(
        options.data,
        options.repos.resolve(),
        names=frozenset(options.only),
        leak_free=options.leak_free,
        whole_checkout=options.whole_checkout,
    ):
        found = evaluate(repository, settings)
        answers += found
        ndcg = mean_by_repository(found, METRICS["NDCG@10"])
        print(
            f"{repository.name:<24} {repository.language:<12} {ndcg:.4f}",
            file=sys.stderr,
            flush=True,
        )
        for each in found if options.verbose else ():
            if each.score.ndcg10 < 1:
                paths = [place[0] for place in each.places[:4]]
                print(
                    f"    {each.score.ndcg10:.3f} {each.question.query!r} {paths}", file=sys.stderr
                )
    if not answers:
        raise SystemExit("no repository of the benchmark is checked out there")
    print(report(answers))
    if options.out:
        results = Results("Retrieval quality")
        results.add(_figures(answers))
        results.write(options.out, queries=[_record(each) for each in answers])


def evaluate(repository: Repository, settings: dict[str, object]) -> list[Answered]:
    """Index one repository and ask its questions."""
    index = Index(str(repository.root), settings=settings)
    try:
        answers = []
        for question in repository.questions:
            started = time.perf_counter()
            places = tuple(index.search(question.query, TOP))
            elapsed_ms = (time.perf_counter() - started) * 1000
            answers.append(
                Answered(
                    repository=repository.name,
                    language=repository.language,
                    question=question,
                    places=places,
                    score=score(question, places),
                    milliseconds=elapsed_ms,
                )
            )
        return answers
    finally:
        index.close()


def _figures(answers: list[Answered]) -> list[Figure]:
    """The figures of all questions, and NDCG@10 by category and language."""
    figures = [
        Figure(measure=f"quality, codecairn: {name}", value=mean_by_repository(answers, metric))
        for name, metric in METRICS.items()
    ]
    ndcg = METRICS["NDCG@10"]
    for key in (lambda each: each.question.category, lambda each: each.language):
        figures += [
            Figure(measure=f"quality, codecairn: {name}", value=mean_by_repository(group, ndcg))
            for name, group in grouped(answers, key).items()
        ]
    return figures


def report(answers: list[Answered]) -> str:
    """The tables, in Markdown."""
    repositories = len({each.repository for each in answers})
    error = standard_error(answers, METRICS["NDCG@10"])
    times = sorted(each.milliseconds for each in answers)
    lines = [
        f"{repositories} repositories, {len(answers)} queries; NDCG@10 ± {error:.4f} (standard error, bootstrap over "
        f"repositories); query p50 {times[len(times) // 2]:.2f} ms",
        "",
        f"| | queries | {' | '.join(METRICS)} |",
        f"|---|---|{'---|' * len(METRICS)}",
        _row("**all**", answers),
    ]
    for key in (lambda each: each.question.category, lambda each: each.language):
        lines += [_row(name, group) for name, group in grouped(answers, key).items()]
    return "\n".join(lines)


def _row(name: str, answers: list[Answered]) -> str:
    figures = " | ".join(f"{mean_by_repository(answers, value):.4f}" for value in METRICS.values())
    return f"| {name} | {len(answers)} | {figures} |"


def _record(answered: Answered) -> dict[str, object]:
    return {
        "repository": answered.repository,
        "language": answered.language,
        "query": answered.question.query,
        "category": answered.question.category,
        "milliseconds": round(answered.milliseconds, 3),
        "places": answered.places,
        **asdict(answered.score),
    }


def _setting(given: str) -> tuple[str, object]:
    key, _, text = given.partition("=")
    return key, parse(find_setting(key, source="--set"), text, source="--set")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benches.quality.evaluate", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with repos.json and annotations/"
    )
    parser.add_argument(
        "--repos", type=Path, required=True, help="folder with one checkout for each repository"
    )
    parser.add_argument(
        "--leak-free",
        action="store_true",
        help="only queries without a word of their answers' paths",
    )
    parser.add_argument(
        "--whole-checkout", action="store_true", help="index each repository's top, tests and all"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this repository"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting, such as embedder=static",
    )
    parser.add_argument(
        "--out", type=Path, help="write the figures and every query's outcome here, as JSON"
    )
    parser.add_argument("--verbose", action="store_true", help="show what was not answered best")
    return parser.parse_args()


if __name__ == "__main__":
    main()
