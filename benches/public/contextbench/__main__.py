"""Context of a task: how much of the lines that people marked an answer shows, and how much else.

    python -m benches.public.contextbench DATA.jsonl MIRRORS [--system codecairn ...] [--part choose judge] [--out FILE]

DATA has one task a line, with the columns of ContextBench's `contextbench_verified*.parquet` as keys; MIRRORS has git
directories `OWNER+NAME/repo`. Nothing is fetched; tasks whose commit is in no mirror are counted and left out. Each is asked with
the whole text of the issue, about the tree before its fix:

- *file*, *block*, *line* with *recall*, *precision* and *F1* (`scores.py`): the mean over tasks, as in the tables of the set;
- *N tokens*: so much of the answer. Codecairn is asked for that size, 1,000 by default; others show ten places and are cut there;
- *agent*: all that the scripted agent (`benches.agents`) has printed when it sees a line that the fix changes, or gives up.

In brackets stands the 95 % interval over repositories.
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benches.agents.scripted import Hits, follow, grep
from benches.public.contextbench.data import Task, tasks
from benches.public.contextbench.scores import scores
from benches.public.parts import PARTS, interval, part_of
from benches.public.swebench.__main__ import ALONE, BM25, Values, has_commit
from benches.public.whole_files import WholeFiles
from benches.quality.lines.answers import CHARACTERS_PER_TOKEN, Reply, Row
from benches.quality.lines.checkouts import Checkout, texts
from benches.quality.lines.systems import Codecairn, System, open_system
from benches.results import Figure, Results, default_folder
from codecairn.errors import UsageError
from codecairn.mcp.tool_table import DEFAULT_TOKENS

BUDGETS = (DEFAULT_TOKENS, 4_000)


def answer(system: System, query: str, budget: int) -> Reply:
    """The answer of a system, of a size where it takes one."""
    if type(system) is Codecairn:
        system.token_budget = budget
    return system.ask(query)


def shown(rows: Iterable[Row], budget: int) -> dict[str, set[int]]:
    """The numbers of the lines that the first tokens of an answer show, by path."""
    found: dict[str, set[int]] = defaultdict(set)
    characters = 0
    for row in rows:
        characters += row.size
        if characters > budget * CHARACTERS_PER_TOKEN:
            break
        if row.line:
            found[row.path].add(row.line)
    return found


def ask(
    asked: Sequence[Task], mirror: Path, names: Sequence[str]
) -> Iterator[tuple[str, str, float]]:
    """The measures of each system for the tasks of one repository: system, measure, value."""
    with tempfile.TemporaryDirectory(prefix="codecairn-tree-") as folder:
        tree = Path(folder, "tree")
        checkout = Checkout(mirror, tree)
        systems: dict[str, System] = {}
        try:
            for task in asked:
                checkout.move(task.revision)
                files = texts(tree)
                hits = grep(task.text, files)
                for name in names:
                    if name in systems:
                        systems[name].refresh()
                    else:
                        systems[name] = (
                            WholeFiles(tree) if name == BM25 else open_system(name, tree)
                        )
                    replies = {each: answer(systems[name], task.text, each) for each in BUDGETS}
                    for budget, reply in replies.items():
                        label = f"{budget:,} tokens"
                        for measure, value in scores(shown(reply.rows, budget), task.gold, files):
                            yield name, f"{label}: {measure}", value
                        yield name, f"{label}: tokens of the answer", min(reply.tokens, budget)
                    yield from _walked(name, task, files, hits, replies[DEFAULT_TOKENS])
                yield from _walked(ALONE, task, files, hits, None)
        finally:
            for system in systems.values():
                system.close()


def _walked(
    name: str, task: Task, files: Mapping[str, str], hits: Hits, reply: Reply | None
) -> Iterator[tuple[str, str, float]]:
    walk = follow(hits, task.targets, files, reply)
    for measure, value in scores(walk.seen, task.gold, files):
        yield name, f"agent: {measure}", value
    yield name, "agent: changed line seen", float(walk.is_done)
    yield name, "agent: steps", float(walk.steps)
    yield name, "agent: tokens", walk.tokens


def mirror_of(mirrors: Path, repository: str) -> Path:
    """The git directory of a repository; letters may differ in case, as they do in the data.

    Raises:
        UsageError: If there is no folder of mirrors.
    """
    if not mirrors.is_dir():
        raise UsageError(
            f"{mirrors} is no folder",
            hint=f"clone into it: `git clone --bare https://github.com/{repository} {mirrors}/OWNER+NAME/repo`",
        )
    wanted = repository.replace("/", "+")
    found = (each for each in mirrors.iterdir() if each.name.lower() == wanted.lower())
    return next(found, mirrors / wanted) / "repo"


def figures(title: str, values: Values) -> Iterator[Figure]:
    """The figures of one system in one part."""
    for measure, groups in values.items():
        is_share = not measure.endswith(("tokens", "steps", "answer"))
        mean, low, high = ((100 if is_share else 1) * each for each in interval(groups))
        yield Figure(
            measure=f"{title}: {measure}",
            value=mean,
            low=low,
            high=high,
            unit="%" if is_share else "",
            note=f"{sum(map(len, groups.values()))} tasks",
        )


def main() -> None:
    """Ask, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benches.public.contextbench")
    parser.add_argument("data", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument(
        "--system", nargs="+", default=["codecairn", BM25, "bm25-windows", "keywords"]
    )
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--only", action="append", metavar="OWNER/NAME")
    parser.add_argument("--out", type=Path, help="default: benches/runs/…/public-contextbench.json")
    options = parser.parse_args()
    found: dict[tuple[str, str], Values] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    by_repository: dict[str, list[Task]] = defaultdict(list)
    for task in tasks(options.data):
        by_repository[task.repository].append(task)
    left_out: dict[str, int] = {}
    for repository, asked in sorted(by_repository.items()):
        part = part_of(repository)
        if part not in options.part or (options.only and repository not in options.only):
            continue
        mirror = mirror_of(options.mirrors, repository)
        there = [each for each in asked if has_commit(mirror, each.revision)]
        if len(there) < len(asked):
            left_out[repository] = len(asked) - len(there)
        for name, measure, value in ask(there, mirror, options.system):
            found[part, name][measure][repository].append(value)
    results = Results("ContextBench")
    for (part, name), values in sorted(found.items()):
        results.add(figures(f"contextbench, {part}, {name}", values))
    for repository, count in left_out.items():
        print(f"left out: {count} of {repository}, whose commit is in no mirror")
    out = options.out or default_folder() / "public-contextbench.json"
    results.write(out, left_out=left_out)


if __name__ == "__main__":
    main()
