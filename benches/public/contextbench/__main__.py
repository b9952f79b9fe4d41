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

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from benches.agents.scripted import follow
from benches.public.contextbench.data import Task, tasks
from benches.public.contextbench.scores import scores
from benches.public.issues import ALONE, Measured, Step, measure, options_of, walk
from benches.quality.lines.answers import CHARACTERS_PER_TOKEN, Reply, Row
from benches.quality.lines.systems import Codecairn, System
from benches.results import default_folder
from codecairn.mcp.tool_table import DEFAULT_TOKENS

BUDGETS = (DEFAULT_TOKENS, 4_000)


def answer(system: System, query: str, budget: int) -> Reply:
    """The answer of a system, of a size where it takes one."""
    if type(system) is Codecairn:
        system.token_budget = budget
    return system.ask(query)


def lines_within(rows: Iterable[Row], budget: int) -> dict[str, set[int]]:
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


def ask(asked: Sequence[Task], mirror: Path, names: Sequence[str]) -> Measured:
    """The measures of each system for the tasks of one repository."""
    for step in walk(asked, mirror, names):
        for name, system in step.systems.items():
            replies = {each: answer(system, step.issue.text, each) for each in BUDGETS}
            for budget, reply in replies.items():
                label = f"{budget:,} tokens"
                lines = lines_within(reply.rows, budget)
                for measured, value in scores(lines, step.issue.gold, step.files):
                    yield name, f"{label}: {measured}", value
                yield name, f"{label}: tokens of the answer", min(reply.tokens, budget)
            yield from _follow(name, step, replies[DEFAULT_TOKENS])
        yield from _follow(ALONE, step, None)


def _follow(name: str, step: Step[Task], reply: Reply | None) -> Measured:
    walked = follow(step.hits, step.issue.targets, step.files, reply)
    for measured, value in scores(walked.seen, step.issue.gold, step.files):
        yield name, f"agent: {measured}", value
    yield name, "agent: changed line seen", float(walked.is_done)
    yield name, "agent: steps", float(walked.steps)
    yield name, "agent: tokens", walked.tokens


def main() -> None:
    """Ask, and write the figures."""
    options = options_of("python -m benches.public.contextbench")
    out = default_folder() / "public-contextbench.json"
    measure("ContextBench", "contextbench", tasks(options.data), ask, options, out)


if __name__ == "__main__":
    main()
