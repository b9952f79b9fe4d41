"""Issue to place: which files, functions and lines an answer to the text of an issue names.

    python -m benches.public.swebench DATA.jsonl MIRRORS [--system codecairn ...] [--part choose judge] [--out FILE]

DATA has one instance a line as SWE-bench's sets do, with `instance_id`, `repo`, `base_commit`, `problem_statement` and `patch`;
MIRRORS has git directories `OWNER+NAME/repo`. Nothing is fetched; instances whose commit is in no mirror are counted and left out.
Each is asked with the whole text of the issue, about the tree before its fix:

- *file Acc@k*: all files that the fix changes are among the first k that the answer names, as SweRank and LocAgent report it;
- *function Acc@k*: so for functions, of Python; of instances whose fix changes any;
- *line within N tokens*: a changed line is shown by then;
- *steps*, *tokens*: of the scripted agent (`benches.agents`) until it has seen a changed line.

In brackets stands the 95 % interval over repositories.
"""

import argparse
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benches.agents.scripted import Hits, follow, grep
from benches.public.parts import PARTS, interval, part_of
from benches.public.swebench.data import Instance, functions, instances
from benches.public.whole_files import WholeFiles
from benches.quality.lines.answers import Reply, need
from benches.quality.lines.checkouts import Checkout, texts
from benches.quality.lines.systems import System, open_system
from benches.results import Figure, Results, default_folder

FILES = (1, 3, 5)
FUNCTIONS = (1, 5, 10)
BUDGETS = (1_000, 4_000)
ALONE = "grep alone"
BM25 = "bm25-files"

Values = dict[str, dict[str, list[float]]]
"""By measure, then by repository."""


def measures(
    instance: Instance, reply: Reply, files: Mapping[str, str]
) -> Iterator[tuple[str, float]]:
    """The measures of an answer."""
    order = list(dict.fromkeys(place.path for place in reply.places))
    for k in FILES:
        yield f"file Acc@{k}", float(set(instance.changed) <= set(order[:k]))
    gold = {
        (path, name)
        for path, lines in instance.changed.items()
        if path.endswith(".py")
        for name in functions(files.get(path, ""), sorted(lines))
    }
    if gold:
        named = _named(reply, files)
        for k in FUNCTIONS:
            yield f"function Acc@{k}", float(gold <= set(named[:k]))
    needed = need(reply.rows, instance.targets)
    for budget in BUDGETS:
        yield f"line within {budget:,} tokens", float(needed <= budget)
    yield "tokens of the answer", reply.tokens


def _named(reply: Reply, files: Mapping[str, str]) -> list[tuple[str, str]]:
    """The functions that the answer's lines are in, in the order of its rows."""
    named: dict[tuple[str, str], None] = {}
    for row in reply.rows:
        if row.line and row.path.endswith(".py"):
            for name in functions(files.get(row.path, ""), [row.line]):
                named[row.path, name] = None
    return list(named)


def ask(
    asked: Sequence[Instance], mirror: Path, names: Sequence[str]
) -> Iterator[tuple[str, str, float]]:
    """The measures of each system for the instances of one repository: system, measure, value."""
    with tempfile.TemporaryDirectory(prefix="codecairn-tree-") as folder:
        tree = Path(folder, "tree")
        checkout = Checkout(mirror, tree)
        systems: dict[str, System] = {}
        try:
            for instance in asked:
                checkout.move(instance.revision)
                files = texts(tree)
                hits = grep(instance.text, files)
                for name in names:
                    if name in systems:
                        systems[name].refresh()
                    else:
                        systems[name] = (
                            WholeFiles(tree) if name == BM25 else open_system(name, tree)
                        )
                    reply = systems[name].ask(instance.text)
                    for measure, value in measures(instance, reply, files):
                        yield name, measure, value
                    yield from _walked(name, instance, files, hits, reply)
                yield from _walked(ALONE, instance, files, hits, None)
        finally:
            for system in systems.values():
                system.close()


def has_commit(mirror: Path, revision: str) -> bool:
    """Whether a mirror is there and has a commit."""
    command = ["git", "-C", str(mirror), "cat-file", "-e", f"{revision}^{{commit}}"]
    return (
        mirror.is_dir() and not subprocess.run(command, check=False, capture_output=True).returncode
    )


def _walked(
    name: str, instance: Instance, files: Mapping[str, str], hits: Hits, reply: Reply | None
) -> Iterator[tuple[str, str, float]]:
    walk = follow(hits, instance.targets, files, reply)
    yield name, "agent: line seen", float(walk.is_done)
    yield name, "agent: steps", float(walk.steps)
    yield name, "agent: tokens", walk.tokens


def figures(title: str, values: Values) -> Iterator[Figure]:
    """The figures of one system in one part."""
    for measure, groups in values.items():
        is_share = not measure.endswith(("tokens", "steps", "answer")) or "within" in measure
        factor = 100 if is_share else 1
        mean, low, high = (factor * each for each in interval(groups))
        unit = "%" if is_share else ""
        note = f"{sum(map(len, groups.values()))} issues"
        yield Figure(
            measure=f"{title}: {measure}", value=mean, low=low, high=high, unit=unit, note=note
        )


def main() -> None:
    """Ask, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benches.public.swebench")
    parser.add_argument("data", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument(
        "--system", nargs="+", default=["codecairn", BM25, "bm25-windows", "keywords"]
    )
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--only", action="append", metavar="OWNER/NAME")
    parser.add_argument("--out", type=Path, help="default: benches/runs/…/public-swebench-….json")
    options = parser.parse_args()
    label = options.data.stem
    found: dict[tuple[str, str], Values] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    by_repository: dict[str, list[Instance]] = defaultdict(list)
    for instance in instances(options.data):
        by_repository[instance.repository].append(instance)
    left_out: dict[str, int] = {}
    for repository, asked in sorted(by_repository.items()):
        part = part_of(repository)
        if part not in options.part or (options.only and repository not in options.only):
            continue
        mirror = options.mirrors / repository.replace("/", "+") / "repo"
        there = [each for each in asked if has_commit(mirror, each.revision)]
        if len(there) < len(asked):
            left_out[repository] = len(asked) - len(there)
        for name, measure, value in ask(there, mirror, options.system):
            found[part, name][measure][repository].append(value)
    results = Results(f"Issue to place: {label}")
    for (part, name), values in sorted(found.items()):
        results.add(figures(f"{label}, {part}, {name}", values))
    for repository, count in left_out.items():
        print(f"left out: {count} of {repository}, whose commit is in no mirror")
    out = options.out or default_folder() / f"public-swebench-{label}.json"
    results.write(out, left_out=left_out)


if __name__ == "__main__":
    main()
