"""Seed faults at random in the code that decides, and see whether a test fails.

    python -m benches.mutants [--seed N] [--count N] [--minutes N] [--areas NAME ...] [--since COMMIT]

What each test runs is recorded first, once; later runs record only the files of tests that changed.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from benches.mutants.areas import ROOT, Equivalent, load_areas, load_equivalent
from benches.mutants.changed import changed_lines, of_lines
from benches.mutants.core import Core
from benches.mutants.draw import draw
from benches.mutants.judge import Judge
from benches.mutants.mutant import Mutant, Outcome, Verdict
from benches.mutants.python_mutants import python_mutants
from benches.mutants.record import record
from benches.mutants.recording import Recording
from benches.mutants.report import document, table
from benches.mutants.rust_mutants import Function, rust_mutants
from benches.mutants.tree import Tree
from benches.results import default_folder, save

SPARE = 1.6
"""How many mutants of the core are built for each that is wanted: about a third does not compile."""


def main() -> int:
    """Draws, judges, reports."""
    options = _options()
    areas = load_areas()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    mutants, functions = _all_mutants(areas.files(options.areas), options.language)
    if options.since:
        mutants = list(of_lines(mutants, changed_lines(options.since, ROOT)))
    order = list(draw(mutants, seed))
    skipped: list[Mutant] = []
    drawn = list(_without_equivalent(order, load_equivalent(), skipped))
    count = options.count or (len(drawn) if options.since else 120)
    candidates = drawn[: int(count * SPARE)]
    print(f"seed {seed}: {min(count, len(drawn))} of {len(mutants)} mutants", flush=True)
    if options.list:
        for mutant in candidates[:count]:
            print(
                f"{mutant.area} {mutant.path}:{mutant.line}\n  - {mutant.before}\n  + {mutant.after}"
            )
        return 0
    has_core = any(mutant.is_rust for mutant in candidates)
    recording = (
        Recording.load() if options.as_recorded else record(with_core=has_core, fresh=options.fresh)
    )
    tree = Tree()
    core = None
    if has_core:
        core = Core(tree, functions, {one: number for number, one in enumerate(functions)})
        core.build([mutant for mutant in candidates if mutant.is_rust])
    judge = Judge(tree, recording, options.limit, core, functions)
    verdicts = list(_judged(judge, candidates, count, options.minutes))
    verdicts = _confirmed(judge, verdicts)
    print(f"\n{table(verdicts, areas)}")
    results = document(
        verdicts,
        skipped,
        areas,
        seed=seed,
        count=count,
        since=options.since,
        language=options.language,
    )
    print(f"\n{results['noticed']:.1%} noticed", flush=True)
    if options.out or not options.since:
        file = (options.out or default_folder()) / "mutants.json"
        save(file, results)
        print(file)
    return 0 if results["is_held"] else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benches.mutants", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--seed", type=int, help="which mutants are drawn (default: by chance)")
    parser.add_argument("--count", type=int, help="how many (default 120; all with --since)")
    parser.add_argument("--minutes", type=float, default=60, help="when no further one is begun")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one mutant")
    parser.add_argument("--areas", nargs="*", default=[], help="areas (default: all of areas.toml)")
    parser.add_argument("--language", choices=["python", "rust"], help="only of this language")
    parser.add_argument("--since", help="only lines that differ from this commit's")
    parser.add_argument("--fresh", action="store_true", help="record what all tests run again")
    parser.add_argument("--as-recorded", action="store_true", help="record nothing first")
    parser.add_argument("--list", action="store_true", help="show what is drawn and stop")
    parser.add_argument(
        "--out", type=Path, help="the folder of the results (default: benches/runs/…)"
    )
    return parser.parse_args()


def _all_mutants(
    files: dict[str, str], language: str | None
) -> tuple[list[Mutant], list[Function]]:
    mutants: list[Mutant] = []
    functions: list[Function] = []
    if language != "rust":
        for path, area in files.items():
            if path.endswith(".py"):
                text = (ROOT / path).read_text(encoding="utf-8")
                mutants += python_mutants(text, path=path, area=area)
    if language != "python":
        rust = {path: area for path, area in files.items() if path.endswith(".rs")}
        of_core, functions = rust_mutants(rust)
        mutants += of_core
    return mutants, functions


def _without_equivalent(
    mutants: Iterable[Mutant], equivalent: list[Equivalent], skipped: list[Mutant]
) -> Iterator[Mutant]:
    for mutant in mutants:
        if any(one.is_(mutant) for one in equivalent):
            skipped.append(mutant)
        else:
            yield mutant


def _judged(
    judge: Judge, candidates: list[Mutant], count: int, minutes: float
) -> Iterator[Verdict]:
    end = time.monotonic() + minutes * 60
    left = count
    for mutant in candidates:
        if left == 0 or time.monotonic() > end:
            break
        verdict = judge.judge(mutant)
        left -= verdict.outcome is not Outcome.UNVIABLE
        said = f"{verdict.outcome.value} ({verdict.seconds:.0f} s, {verdict.tests} tests)"
        print(f"{mutant.area} {mutant.path}:{mutant.line} {said} {verdict.by}", flush=True)
        yield verdict


def _confirmed(judge: Judge, verdicts: list[Verdict]) -> list[Verdict]:
    """Without what only failed because a test fails anyway, or did this once."""
    tests = sorted({one.by for one in verdicts if "::" in one.by})
    failing = judge.fails_without(tests)
    if failing:
        print(f"fail without any mutant: {', '.join(sorted(failing))}", file=sys.stderr)
    return [
        Verdict(one.mutant, Outcome.UNFINISHED, one.by, one.tests, one.seconds)
        if one.by in failing
        else one
        for one in verdicts
    ]


if __name__ == "__main__":
    sys.exit(main())
