"""The commands `eval run | compare | diff | sweep`, which measure search on the user's own questions."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from codecairn.cli.command import group, option
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import Form, Line, note, print_result
from codecairn.cli.parameters import on_workspace
from codecairn.core.text_format import amount
from codecairn.errors import UsageError
from codecairn.evaluation.budgets import Breach, breaches, read_budget
from codecairn.evaluation.questions import read_questions
from codecairn.evaluation.reports import Comparison, Moved, compared, read_report, write_report
from codecairn.evaluation.runner import Report, run
from codecairn.evaluation.sweep import combinations, sweep
from codecairn.operations.json_output import plain_document
from codecairn.workspace.workspace import Workspace

_FILE = click.Path(path_type=Path, dir_okay=False)
_SHOWN = ("hit@1", "hit@5", "mrr@10", "ndcg@10", "latency_p50_ms", "latency_p95_ms", "tokens_mean")

_budget = option("--budget", type=_FILE, metavar="FILE", help="Limits; the exit code is 1 if one is missed.")  # fmt: skip


@group("eval")
def evaluation() -> None:
    """Measure search on your own questions.

    A file of questions is JSON: `[{"query": "where are tokens verified", "expected": ["src/tokens.py:4-10"]}]`.
    """


@evaluation.command("run")
@click.argument("questions", type=_FILE, metavar="QUESTIONS")
@option(
    "-o",
    "--output",
    type=_FILE,
    metavar="FILE",
    help="Write the report to a file, for later comparisons.",
)
@_budget
@option(
    "--baseline", type=_FILE, metavar="REPORT", help="The report that limits on losses refer to."
)
@on_workspace
@click.pass_context
def run_(
    ctx: click.Context,
    questions: Path,
    output: Path | None,
    budget: Path | None,
    baseline: Path | None,
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
) -> None:
    """Ask every question; report how good and fast the answers are."""
    asked = read_questions(questions)
    limits = read_budget(budget) if budget is not None else {}
    before = read_report(baseline) if baseline is not None else None
    with opened(path, command="eval", quiet=quiet) as workspace:
        report = run(workspace, asked)
    if output is not None:
        write_report(report, output)
    broken = tuple(breaches(limits, report["metrics"], before["metrics"] if before else None))
    document = report | {"breaches": [plain_document(each) for each in broken]}
    print_result(
        form,
        document=lambda: document,
        documents=lambda: report["results"],
        lines=lambda: _run_lines(report, broken, is_held=bool(limits)),
    )
    ctx.exit(1 if broken else 0)


@evaluation.command("compare")
@click.argument("before", type=_FILE, metavar="BEFORE")
@click.argument("after", type=_FILE, metavar="AFTER")
@_budget
@option(
    "--json", "form", flag_value=Form.JSON, type=click.UNPROCESSED, help="Print one JSON document."
)
@click.pass_context
def compare(
    ctx: click.Context, before: Path, after: Path, budget: Path | None, form: Form | None
) -> None:
    """Compare two reports.

    Shows every figure, and every question whose rank changed.
    """
    old, new = read_report(before), read_report(after)
    found = compared(old, new)
    limits = read_budget(budget) if budget is not None else {}
    broken = tuple(breaches(limits, new["metrics"], old["metrics"]))
    document = plain_document(found) | {
        "metrics": {
            name: {"before": before_, "after": after_}
            for name, (before_, after_) in found.metrics.items()
        },
        "breaches": [plain_document(each) for each in broken],
    }
    print_result(
        form,
        document=lambda: document,
        documents=lambda: [document],
        lines=lambda: [*_figure_lines(found), *_moved_lines(found), *_breach_lines(broken)],
    )
    ctx.exit(1 if broken else 0)


@evaluation.command("diff")
@click.argument("before", type=_FILE, metavar="BEFORE")
@click.argument("after", type=_FILE, metavar="AFTER")
@option(
    "--json", "form", flag_value=Form.JSON, type=click.UNPROCESSED, help="Print one JSON document."
)
def diff(before: Path, after: Path, form: Form | None) -> None:
    """List the questions whose rank differs between two reports.

    The rank is that of the first right answer.
    """
    found = compared(read_report(before), read_report(after))
    rows = [plain_document(each) for each in found.moved]
    print_result(
        form,
        document=lambda: {"moved": rows},
        documents=lambda: rows,
        lines=lambda: [*_moved_lines(found)] or [("no question's rank changed",)],
    )


@evaluation.command("sweep")
@click.argument("questions", type=_FILE, metavar="QUESTIONS")
@option(
    "--vary",
    multiple=True,
    required=True,
    metavar="KEY=VALUE,...",
    help="A setting and the values to try; repeat it for a grid.",
)
@option(
    "--by",
    default="mrr@10",
    metavar="FIGURE",
    help="The figure that decides which is best.",
)
@option(
    "-o", "--output", type=_FILE, metavar="FILE", help="Write all reports as one JSON document."
)
@on_workspace
def sweep_(
    questions: Path,
    vary: tuple[str, ...],
    by: str,
    output: Path | None,
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
) -> None:
    """Ask every question with every combination of some settings.

    The best combination comes first.
    """
    asked, combined = read_questions(questions), combinations(vary)

    def open_with(settings: Mapping[str, object]) -> Workspace:
        return Workspace.open(
            path,
            settings=settings,
            writer="codecairn eval",
            notify=lambda text: note(text, quiet=quiet),
        )

    reports = list(sweep(open_with, asked, combined))
    if by not in reports[0]["metrics"]:
        known = ", ".join(reports[0]["metrics"])
        raise UsageError(f"`{by}` is no figure", hint=f"there are {known}")
    reports.sort(key=lambda each: _order(each["metrics"], by))
    if output is not None:
        write_report({"reports": reports}, output)
    rows = [{"settings": each["settings"], "metrics": each["metrics"]} for each in reports]
    print_result(
        form,
        document=lambda: {"by": by, "runs": rows},
        documents=lambda: rows,
        lines=lambda: _sweep_lines(reports),
    )


def _order(figures: Mapping[str, float], by: str) -> float:
    """Less is better for times and tokens, more for all else."""
    is_cost = by.startswith(("latency", "tokens"))
    return figures[by] if is_cost else -figures[by]


def _run_lines(report: Report, broken: Sequence[Breach], *, is_held: bool) -> Iterator[Line]:
    yield (f"{amount(report['questions'], 'question')} on {report['branch'] or 'no branch'}",)
    for name, value in report["metrics"].items():
        yield (f"  {name:<18}{value:>10,.3f}",)
    missed = [row for row in report["results"] if not row["rank"]]
    if missed:
        yield (f"{len(missed):,} without a right answer among the best ten:",)
    for row in missed:
        yield (f"  {row['id']}: {row['query']}",)
    yield from _breach_lines(broken)
    if is_held and not broken:
        yield (("every limit is kept", "green"),)


def _figure_lines(found: Comparison) -> Iterator[Line]:
    yield ((f"  {'':<18}{'before':>10}{'after':>10}{'difference':>12}", "bold"),)
    for name, (before, after) in found.metrics.items():
        yield (f"  {name:<18}{before:>10,.3f}{after:>10,.3f}{after - before:>+12,.3f}",)
    for words, ids in (("first", found.only_before), ("second", found.only_after)):
        if ids:
            yield (f"only the {words} has {', '.join(ids)}",)


def _moved_lines(found: Comparison) -> Iterator[Line]:
    for each in found.moved:
        style = "green" if each.is_better else "red"
        yield ((f"  {_rank(each.before)} -> {_rank(each.after)}", style), f"  {_called(each)}")


def _called(moved: Moved) -> str:
    return f"{moved.id}: {moved.query}" if moved.id != moved.query else moved.id


def _rank(rank: int) -> str:
    return f"{rank:>4}" if rank else "none"


def _breach_lines(broken: Sequence[Breach]) -> Iterator[Line]:
    for each in broken:
        yield (("not kept: ", "red"), f"{each.key}: {each.text}")


def _sweep_lines(reports: Sequence[Report]) -> Iterator[Line]:
    yield ((f"{''.join(f'{name:>16}' for name in _SHOWN)}  settings", "bold"),)
    for report in reports:
        figures = "".join(f"{report['metrics'][name]:>16,.3f}" for name in _SHOWN)
        settings = " ".join(f"{key}={value}" for key, value in report["settings"].items())
        yield (f"{figures}  {settings}",)
