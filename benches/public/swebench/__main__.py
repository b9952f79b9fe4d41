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

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benches.agents.scripted import follow
from benches.public.issues import ALONE, Issue, Measured, Step, measure, options_of, walk
from benches.public.swebench.data import functions, instances
from benches.quality.lines.answers import Reply, need
from benches.results import default_folder

FILES = (1, 3, 5)
FUNCTIONS = (1, 5, 10)
BUDGETS = (1_000, 4_000)


def measures(
    instance: Issue, reply: Reply, files: Mapping[str, str]
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


def ask(asked: Sequence[Issue], mirror: Path, names: Sequence[str]) -> Measured:
    """The measures of each system for the issues of one repository."""
    for step in walk(asked, mirror, names):
        for name, system in step.systems.items():
            reply = system.ask(step.issue.text)
            for measured, value in measures(step.issue, reply, step.files):
                yield name, measured, value
            yield from _follow(name, step, reply)
        yield from _follow(ALONE, step, None)


def _follow(name: str, step: Step[Issue], reply: Reply | None) -> Measured:
    walked = follow(step.hits, step.issue.targets, step.files, reply)
    yield name, "agent: line seen", float(walked.is_done)
    yield name, "agent: steps", float(walked.steps)
    yield name, "agent: tokens", walked.tokens


def main() -> None:
    """Ask, and write the figures."""
    options = options_of("python -m benches.public.swebench")
    label = options.data.stem
    out = default_folder() / f"public-swebench-{label}.json"
    measure(f"Issue to place: {label}", label, instances(options.data), ask, options, out)


if __name__ == "__main__":
    main()
