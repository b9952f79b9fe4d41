"""Ask a system all questions of a split, and keep what each answer showed and what it took to read."""

import json
import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from benches.quality.lines.answers import Reply, need, rank_of
from benches.quality.lines.checkouts import texts
from benches.quality.lines.complete import wholes
from benches.quality.lines.listing import Repository
from benches.quality.lines.questions import Question, Set
from benches.quality.lines.systems import bound, open_system
from benches.quality.lines.walking import walk
from benches.results import Figure

BUDGETS = (500, 1_000, 2_000, 4_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question, answered.

    Attributes:
        id: The question's.
        repository: `OWNER+NAME`.
        set: The question's set.
        need: Tokens up to the needed line; infinite where it is not shown.
        bound: The same with the perfect place in each file.
        rank: The first place that shows a needed line.
        file_rank: The first place in a file with needed lines.
        tokens: What reading all of the answer takes.
        complete: Tokens up to the end of the definition around a needed line, as `complete` defines it.
        complete_bound: The same with the perfect place in each file.
    """

    id: str
    repository: str
    set: str
    need: float
    bound: float
    complete: float
    complete_bound: float
    rank: int | None
    file_rank: int | None
    tokens: float


MEASURES: dict[str, Callable[[Outcome], float]] = {
    **{f"need <= {n}": (lambda each, n=n: float(each.need <= n)) for n in BUDGETS},  # type: ignore[misc]
    **{f"bound <= {n}": (lambda each, n=n: float(each.bound <= n)) for n in BUDGETS},  # type: ignore[misc]
    **{f"complete <= {n}": (lambda each, n=n: float(each.complete <= n)) for n in BUDGETS},  # type: ignore[misc]
    **{
        f"complete bound <= {n}": (lambda each, n=n: float(each.complete_bound <= n))  # type: ignore[misc]
        for n in BUDGETS
    },
    "lines first": lambda each: float(each.rank == 1),
    "lines in five": lambda each: float(each.rank is not None and each.rank <= 5),
    "file first": lambda each: float(each.file_rank == 1),
    "file shown": lambda each: float(each.file_rank is not None),
    "tokens": lambda each: each.tokens,
}


def outcome(
    repository: Repository, which: str, question: Question, reply: Reply, files: dict[str, str]
) -> Outcome:
    """Judge one answer."""
    paths = {target.path for target in question.targets}
    whole = wholes(question.targets, files)
    file_ranks = (row.rank for row in reply.rows if row.path in paths)
    return Outcome(
        id=question.id,
        repository=repository.folder,
        set=which,
        need=need(reply.rows, question.targets),
        bound=need(bound(reply, question.targets, files), question.targets),
        complete=need(reply.rows, whole),
        complete_bound=need(bound(reply, whole, files), whole),
        rank=rank_of(reply.rows, question.targets),
        file_rank=next(file_ranks, None),
        tokens=reply.tokens,
    )


def ask_repository(
    data: Path, repository: Repository, sets: Sequence[Set], system: str, dump: TextIO | None
) -> Iterator[Outcome]:
    """Ask a system the questions of a repository."""
    files: dict[str, str] = {}
    for which in sets:
        for step in walk(data, repository, which, lambda tree: open_system(system, tree)):
            files = texts(step.tree) if step.has_moved else files
            reply = step.system.ask(step.question.query)
            if dump is not None:
                dump.write(dumped(step.question, reply))
            yield outcome(repository, which, step.question, reply, files)


def dumped(question: Question, reply: Reply) -> str:
    """A question with its files in order and the places shown, as a line of JSON."""
    row = {
        **asdict(question),
        "files": list(dict.fromkeys(place.path for place in reply.places)),
        "places": [asdict(place) for place in reply.places],
    }
    return json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n"


def write(path: Path, system: str, split: str, outcomes: Iterable[Outcome]) -> None:
    """Write outcomes as one JSON document; infinity is `null`."""
    rows = [
        {key: None if value == math.inf else value for key, value in asdict(each).items()}
        for each in outcomes
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"system": system, "split": split, "outcomes": rows}
    path.write_text(json.dumps(document, indent=0) + "\n", encoding="utf-8")


def load(path: Path) -> tuple[str, list[Outcome]]:
    """The system and the outcomes that `write` has written."""
    document = json.loads(path.read_text(encoding="utf-8"))
    rows = document["outcomes"]
    for row in rows:
        for name in ("need", "bound", "complete", "complete_bound"):
            row[name] = math.inf if row[name] is None else row[name]
    return document["system"], [Outcome(**row) for row in rows]


def groups(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The outcomes by set, and all of them."""
    found: dict[str, list[Outcome]] = {}
    for each in outcomes:
        found.setdefault(each.set, []).append(each)
    return {**found, "all": list(outcomes)} if outcomes else {}


def table(outcomes: Sequence[Outcome]) -> str:
    """The shares in per cent by set, in Markdown."""
    heading = ["set", "questions", *(label.removeprefix("need ") for label in MEASURES)]
    lines = [f"| {' | '.join(heading)} |", f"|{'---|' * len(heading)}"]
    for name, group in groups(outcomes).items():
        shares = [(label, statistics.mean(map(value, group))) for label, value in MEASURES.items()]
        cells = [
            f"{each:,.0f}" if label == "tokens" else f"{100 * each:.1f}" for label, each in shares
        ]
        lines.append(f"| {name} | {len(group)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def figures(system: str, split: str, outcomes: Sequence[Outcome]) -> Iterator[Figure]:
    """The same as figures of a run."""
    for name, group in groups(outcomes).items():
        for label, value in MEASURES.items():
            is_share = label != "tokens"
            mean = statistics.mean(map(value, group))
            yield Figure(
                measure=f"{system}, {split}, {name}: {label}",
                value=100 * mean if is_share else mean,
                unit="%" if is_share else "tokens",
                note=f"{len(group)} questions",
            )
