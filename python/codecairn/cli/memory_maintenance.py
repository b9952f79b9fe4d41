"""`memory work`, `summarise`, `init`, `activity`, `review`, `doctor`, `costs`, `import`, `promote`, `demote`, `team`, `record`, `end`, `events`, `notes`, `backend`, `project`."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from codecairn.cli.command import command
from codecairn.cli.command_workspace import opened
from codecairn.cli.memory import show_records
from codecairn.cli.memory_backend import show_backends
from codecairn.cli.memory_project import show_projects
from codecairn.cli.memory_review import review_command
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.cli.standard_input import read_stdin
from codecairn.core.text_format import amount, dollars
from codecairn.core.types.memory import Fact, Recorded
from codecairn.llm.cost_log import Cost
from codecairn.memory.activity import Activity
from codecairn.memory.extract.reports import WorkPlan, WorkReport
from codecairn.memory.health import Check
from codecairn.memory.importing.ingestion import ImportReport
from codecairn.memory.importing.records import Problem
from codecairn.memory.initialise.project_memory import InitReport
from codecairn.memory.team.sharing import TeamReport
from codecairn.memory.timestamps import written
from codecairn.operations.backend_operations import BACKEND_OPERATIONS
from codecairn.operations.json_output import plain_document
from codecairn.operations.maintenance_operations import MAINTENANCE_OPERATIONS
from codecairn.operations.project_operations import PROJECT_OPERATIONS
from codecairn.operations.record_operations import RECORD_OPERATIONS

UPKEEP_COMMANDS: dict[str, click.Command] = {}
"""Every command by name."""

_MAX_PROBLEMS = 20


def _command(
    name: str, present: Callable[[Any, Form | None], None], *, without: tuple[str, ...] = ()
) -> None:
    tables = (MAINTENANCE_OPERATIONS, RECORD_OPERATIONS, BACKEND_OPERATIONS, PROJECT_OPERATIONS)
    operation = next(table[name] for table in tables if name in table)

    def run(path: str | None, form: Form | None, *, quiet: bool, **parameters: Any) -> None:  # noqa: ANN401
        if parameters.get("place") == "-":
            parameters |= {
                "place": None,
                "text": read_stdin("what `codecairn memory export` writes"),
            }
        with opened(path, command=f"memory {name}", quiet=quiet) as workspace:
            result = operation.run(workspace, **parameters)
        present(result, form)

    UPKEEP_COMMANDS[name] = command(name)(takes(operation, without=without)(on_workspace(run)))


def _show(
    form: Form | None,
    documents: Sequence[Mapping[str, object]],
    lines: Iterable[Line],
    *,
    whole: Mapping[str, object],
) -> None:
    print_result(form, document=lambda: whole, documents=lambda: documents, lines=lambda: lines)


def _show_work(done: WorkReport | WorkPlan, form: Form | None) -> None:
    if isinstance(done, WorkPlan):
        _show_plan(done, form)
        return
    document = plain_document(done)
    _show(form, [document], _work_lines(done), whole=document)


def _work_lines(done: WorkReport) -> Iterator[Line]:
    if done.is_busy:
        yield ("another process is at work on this memory; nothing was done",)
        return
    yield (
        f"{amount(done.sessions, 'session')} worked on: {amount(done.facts, 'new fact')}, "
        f"{done.superseded:,} ended, {done.summaries:,} summarised",
    )
    if done.learned:
        yield (f"  {amount(done.learned, 'fact')} learned from the project's own files",)
    if done.windows:
        tokens = done.input_tokens + done.output_tokens
        price = f", {dollars(done.micro_usd / 1e6)}" if done.micro_usd else ""
        yield (f"  models read {amount(done.windows, 'part')}: {tokens:,} tokens{price}",)
    if done.declined:
        yield (f"  {done.declined:,} refused by every model; they stay in the log",)
    if done.embedded or done.to_embed:
        price = f", {dollars(done.embedding_micro_usd / 1e6)}" if done.embedding_micro_usd else ""
        yield (
            f"  {amount(done.embedded, 'text')} embedded: {done.embedding_tokens:,} tokens{price}; "
            f"{done.to_embed:,} still waiting",
        )
    if done.embedding_obstacle:
        yield ((f"  {done.embedding_obstacle}", "yellow"),)
    if done.waiting:
        yield (f"  {amount(done.waiting, 'session')} left for the next run",)
    if done.obstacle:
        yield ((f"  {done.obstacle}", "yellow"),)


def _show_plan(plan: WorkPlan, form: Form | None) -> None:
    document = plain_document(plan)

    def lines() -> Iterator[Line]:
        for address, model in plan.destinations:
            yield ("to ", (address, "bold"), f" ({model})" if model else "")
        if not plan.destinations and plan.embedding is not None:
            yield ("no models: sessions are summarised by rules",)
        elif not plan.destinations:
            yield ("no models: sessions are summarised by rules, and nothing is sent anywhere",)
        for due in plan.due:
            state = "" if due.is_quiet else ", active just now"
            about = f"  {due.title or '(no title)'}  {amount(due.events, 'event')}, {due.tokens:,} tokens{state}"
            yield ((due.session, "bold"), (about, "dim"))
        price = f", about {dollars(plan.micro_usd / 1e6)}" if plan.micro_usd else ""
        price = ", at a price that is not known" if plan.micro_usd is None else price
        if plan.embedding is not None:
            usd = plan.embedding.usd
            cost = "at a price that is not known" if usd is None else f"about {dollars(usd)}"
            texts = amount(plan.embedding.texts, "text")
            yield ("to ", (plan.embedding.destination, "bold"), f" ({plan.embedding.space})")
            yield (f"{texts} to embed, {plan.embedding.tokens:,} tokens, {cost}",)
        if plan.destinations:
            yield (f"{amount(len(plan.due), 'session')}, {plan.tokens:,} tokens{price}",)

    _show(form, [document], lines(), whole=document)


def _show_summary(facts: tuple[Fact, ...], form: Form | None) -> None:
    def lines() -> Iterator[Line]:
        for fact in facts:
            yield ((fact.id, "bold"),)
            for line in fact.text.splitlines():
                yield (f"    {line}",)
        if not facts:
            yield (("nothing was said since the last summary", "dim"),)

    rows = [plain_document(fact) for fact in facts]
    _show(form, rows, lines(), whole={"results": rows})


def _show_init(report: InitReport, form: Form | None) -> None:
    document = plain_document(report)

    def lines() -> Iterator[Line]:
        if report.is_new_project:
            yield (report.hint,)
            return
        yield (
            f"read {', '.join(report.files) or 'no files'}: {amount(report.facts, 'new fact')}, "
            f"{report.known:,} known already",
        )
        if report.hint:
            yield ((report.hint, "dim"),)
        if report.asked:
            yield (f"  models read {amount(report.asked, 'piece')}",)
        if report.obstacle:
            yield ((f"  {report.obstacle}", "yellow"),)

    _show(form, [document], lines(), whole=document)


def _show_costs(costs: tuple[Cost, ...], form: Form | None) -> None:
    sums: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for cost in costs:
        row = sums[cost.provider, cost.model, cost.purpose]
        added = (1, cost.input_tokens, cost.output_tokens, cost.micro_usd)
        row[:] = [old + new for old, new in zip(row, added, strict=True)]
    rows = [
        dict(zip(_COST_COLUMNS, (*key, *row[:3], row[3] / 1e6), strict=True))
        for key, row in sorted(sums.items())
    ]
    total = sum(cost.micro_usd for cost in costs) / 1e6
    lines: list[Line] = [
        (
            f"{row['provider']}  {row['model']}  {row['purpose']}  {row['calls']:,} calls, {row['input_tokens']:,} tokens in, {row['output_tokens']:,} out, {dollars(float(str(row['usd'])))}",
        )
        for row in rows
    ]
    lines = lines or [(("no model was asked yet", "dim"),)]
    _show(form, rows, lines, whole={"results": rows, "usd": total})


_COST_COLUMNS = ("provider", "model", "purpose", "calls", "input_tokens", "output_tokens", "usd")


def _show_activity(found: tuple[Activity, ...], form: Form | None) -> None:
    rows = [plain_document(each) for each in found]
    lines: list[Line] = [
        (
            (written(each.ts_ms), "dim"),
            "  ",
            (f"{each.kind} {each.what}", "cyan"),
            "  ",
            (each.id, "bold"),
            f"  {each.title}",
        )
        for each in found
    ]
    lines = lines or [(("nothing has happened yet", "dim"),)]
    _show(form, rows, lines, whole={"results": rows})


def _show_checks(checks: tuple[Check, ...], form: Form | None) -> None:
    rows = [plain_document(check) for check in checks]
    is_healthy = all(check.is_ok for check in checks)

    def lines() -> Iterator[Line]:
        for check in checks:
            mark = ("ok  ", "green") if check.is_ok else ("not ok", "red")
            yield (mark, "  ", (f"{check.name:<9}", "bold"), f"  {check.detail}")
            if check.hint:
                yield ((f"        {check.hint}", "dim" if check.is_ok else "yellow"),)

    _show(form, rows, lines(), whole={"is_healthy": is_healthy, "checks": rows})
    if not is_healthy:
        click.get_current_context().exit(1)


def _show_import(report: ImportReport, form: Form | None) -> None:
    document = plain_document(report)

    def lines() -> Iterator[Line]:
        verb = "would take in" if report.is_dry_run else "took in"
        text = f"{verb} {amount(report.events, 'event')} and {amount(report.facts, 'fact')} from {report.place}"
        if report.skipped:
            text += f"; {report.skipped:,} were known already, or may not be kept"
        yield (text,)
        for name, count in report.types.items() if report.is_dry_run else ():
            yield (f"    {name:<22}{count:>6,}",)
        yield from _problem_lines(report.problems)

    _show(form, [document], lines(), whole=document)


def _show_team(report: TeamReport, form: Form | None) -> None:
    document = plain_document(report)

    def lines() -> Iterator[Line]:
        for id_ in report.promoted:
            yield (f"{id_} is shared; commit {report.folder} for others to get it",)
        for id_ in report.demoted:
            yield (f"{id_} is no longer shared; commit {report.folder} for others to learn it",)
        verb = "would be " if report.is_dry_run else ""
        came = f": {report.added:,} {verb}taken in, {report.ended:,} {verb}hidden"
        is_taking = not (report.promoted or report.demoted)
        yield (
            f"{amount(report.shared, 'statement')} shared in {report.folder}{came if is_taking else ''}",
        )
        yield from _problem_lines(report.problems)

    _show(form, [document], lines(), whole=document)


def _show_recorded(recorded: Recorded, form: Form | None) -> None:
    def lines() -> Iterator[Line]:
        if not recorded.is_kept:
            yield (("its privacy forbids keeping it", "yellow"),)
        elif recorded.is_waiting:
            yield (("waits until the database can be written", "dim"),)
        else:
            number = f"E{recorded.seq}" if recorded.seq is not None else "was known already"
            yield ((number, "bold"), f"  {', '.join(recorded.facts)}".rstrip())

    document = plain_document(recorded)
    _show(form, [document], lines(), whole=document)


def _problem_lines(problems: Sequence[Problem]) -> Iterator[Line]:
    for problem in problems[:_MAX_PROBLEMS]:
        yield ((f"  {problem.where}: {problem.what}", "yellow"),)
    if len(problems) > _MAX_PROBLEMS:
        yield ((f"  … and {len(problems) - _MAX_PROBLEMS:,} more (`--json` lists all)", "dim"),)


_command("activity", _show_activity)
UPKEEP_COMMANDS["review"] = review_command
_command("doctor", _show_checks)
_command("work", _show_work)
_command("summarise", _show_summary)
_command("init", _show_init)
_command("costs", _show_costs)
_command("import", _show_import, without=("text",))
_command("promote", _show_team)
_command("demote", _show_team)
_command("team", _show_team)
_command("record", _show_recorded)
_command("end", _show_recorded)
_command("events", show_records)
_command("notes", show_records)
_command("backend", show_backends)
_command("project", show_projects)
