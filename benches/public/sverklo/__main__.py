"""sverklo's board: definitions, references, file dependencies and dead code, by the board's own program.

    python -m benches.public.sverklo BENCH MIRRORS [--system NAME ...] [--only REPOSITORY ...] [--out FILE] [--submission FOLDER]

BENCH is a clone of https://github.com/sverklo/sverklo in which `npm ci --ignore-scripts` and `npm run build` were run, at the
revision that is to be measured; it is a data set itself. MIRRORS has git directories `OWNER+NAME/repo` with the tags that the
board names. Nothing is fetched; a repository whose tag is in no mirror is left out. Node is the one on the path.

The board asks each system, resolves the truth and scores. `codecairn.ts` has our calls; `codegraph_index.ts` those of codegraph
(CODEGRAPH names its program). Every figure is a mean over tasks, as the board has it, with the 95 % interval over repositories
where there are three or more. A system that does not start for a repository has no tasks of it, and the output says so:

- *F1*, *recall*, *precision*;
- *tokens*: characters of what the tools printed, divided by 3.5; *calls* and *ms* of a task;
- *F1 where the truth holds*: of tasks whose places show the name and whose files exist (`data.holds`);
- *ready after*: the index and the start of a server, for each repository once.

`--submission` writes what a pull request to the board needs: our baseline as a patch, and the documents of the run.
"""

import argparse
import shutil
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from benches.public.parts import interval
from benches.public.sverklo.board import OURS, Run, patch, run
from benches.public.sverklo.data import CLASSES, Row
from benches.results import Figure, Results, default_folder

SYSTEMS = ("codecairn", "codegraph-index", "sverklo", "smart-grep", "naive-grep")
_METRICS = (
    ("F1", "f1", ""),
    ("recall", "recall", ""),
    ("precision", "precision", ""),
    ("tokens", "input_tokens", ""),
    ("calls", "tool_calls", ""),
    ("time", "wall_time_ms", "ms"),
)
_ALL = "all classes"
_FEWEST = 3
"""Repositories that an interval needs."""


def figures(rows: Sequence[Row], holding: Collection[str]) -> Iterator[Figure]:
    """The figures of one system, by class and over all."""
    by_class = {_ALL: list(rows)}
    for row in rows:
        by_class.setdefault(CLASSES[row.category], []).append(row)
    for name, there in sorted(by_class.items()):
        for measure, key, unit in _METRICS:
            yield _mean(f"{name}: {measure}", there, key, unit)
        sound = [row for row in there if row.task in holding]
        if sound:
            yield _mean(f"{name}: F1 where the truth holds", sound, "f1", "")
    first = [row for row in rows if row.metric("cold_start_ms")]
    if first:
        yield _mean("ready after", first, "cold_start_ms", "ms")


def _mean(measure: str, rows: Sequence[Row], key: str, unit: str) -> Figure:
    groups: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        groups[row.repository].append(row.metric(key))
    mean, low, high = interval(groups)
    is_wide = len(groups) >= _FEWEST
    return Figure(
        measure=measure,
        value=mean,
        unit=unit,
        low=low if is_wide else None,
        high=high if is_wide else None,
        note=f"{len(rows)} tasks, {len(groups)} of the repositories",
    )


def absent(rows: Sequence[Row], systems: Sequence[str]) -> Iterator[str]:
    """Systems that did not start at all, or not for some of the repositories."""
    asked = {(row.system, row.repository) for row in rows}
    repositories = sorted({row.repository for row in rows})
    for system in systems:
        missing = [each for each in repositories if (system, each) not in asked]
        if missing:
            where = "" if missing == repositories else f" for {', '.join(missing)}"
            yield f"{system}, which did not start{where}"


def submit(ran: Run, clone: Path, folder: Path) -> None:
    """Write the patch and the run's documents."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{OURS.file}.patch").write_text(patch(clone), encoding="utf-8")
    for document in sorted(ran.folder.iterdir()):
        shutil.copy(document, folder / document.name)
    print(f"written: {folder}")


def main() -> None:
    """Run the board, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benches.public.sverklo")
    parser.add_argument("bench", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--system", nargs="+", default=list(SYSTEMS))
    parser.add_argument("--only", nargs="+", default=[], metavar="REPOSITORY")
    parser.add_argument("--out", type=Path, help="default: benches/runs/…/public-sverklo.json")
    parser.add_argument("--submission", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    ran = run(options.bench.resolve(), options.mirrors, options.system, options.only)
    results = Results("sverklo's board: definitions, references, dependencies, dead code")
    for name in options.system:
        rows = [row for row in ran.rows if row.system == name]
        if rows:
            results.add(figures(rows, ran.holding), subject=name)
    left_out = [
        *absent(ran.rows, options.system),
        *(f"{repository}, whose revision is in no mirror" for repository in ran.left_out),
    ]
    for each in left_out:
        print(f"left out: {each}")
    results.write(options.out or default_folder() / "public-sverklo.json", left_out=left_out)
    if options.submission:
        submit(ran, options.bench.resolve(), options.submission)


if __name__ == "__main__":
    main()
