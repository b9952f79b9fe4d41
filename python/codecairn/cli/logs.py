"""The commands `metrics` and `logs`."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timezone

from codecairn.cli.command import command
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.clock import SystemClock
from codecairn.core.store_log import Entry
from codecairn.core.text_format import ago, amount
from codecairn.operations import index_operations
from codecairn.operations.index_operations import OPERATIONS
from codecairn.operations.json_output import plain_document
from codecairn.workspace.effectiveness import Effectiveness
from codecairn.workspace.metrics import Measure, Metrics

_COLOURS = {"warn": "yellow", "error": "red"}


@command("metrics")
@takes(OPERATIONS["metrics"])
@on_workspace
def metrics(path: str | None, form: Form | None, *, quiet: bool, reset: bool) -> None:
    with opened(path, command="metrics", quiet=quiet) as workspace:
        found = index_operations.metrics(workspace, reset=reset)
    print_result(
        form,
        document=lambda: plain_document(found),
        documents=lambda: map(plain_document, found.measures),
        lines=lambda: metrics_lines(found, now_ns=SystemClock().now_ns()),
    )


@command("logs")
@takes(OPERATIONS["logs"])
@on_workspace
def logs(
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    limit: int | None,
    categories: tuple[str, ...],
    level: str,
) -> None:
    with opened(path, command="logs", quiet=quiet) as workspace:
        entries = index_operations.logs(workspace, limit=limit, categories=categories, level=level)
    print_result(
        form,
        document=lambda: {"entries": [plain_document(entry) for entry in entries]},
        documents=lambda: map(plain_document, entries),
        lines=lambda: log_lines(entries),
    )


def metrics_lines(found: Metrics, *, now_ns: int) -> Iterator[Line]:
    """Figures in a table: times in milliseconds, everything else as it is."""
    if not found.entries:
        yield ("nothing has been logged yet",)
        return
    since = ago(found.since_ns, now_ns=now_ns)
    problems = f", {amount(found.problems, 'problem')}" if found.problems else ""
    yield (
        f"{amount(found.entries, 'entry').replace('entrys', 'entries')} since {since}{problems}",
    )
    yield ((f"{'':<34}{'count':>8}{'median':>12}{'p95':>12}{'greatest':>12}", "bold"),)
    for row in found.measures:
        name = f"{row.category}: {row.message}, {row.name.removesuffix('_s')}"
        values = "".join(
            f"{_shown(row, value):>12}" for value in (row.median, row.p95, row.greatest)
        )
        yield (f"{name:<34}{row.count:>8,}{values}",)
    if found.effectiveness is not None:
        yield from _effectiveness_lines(found.effectiveness)


def log_lines(entries: tuple[Entry, ...]) -> Iterator[Line]:
    """One line an entry."""
    for entry in entries:
        time = datetime.fromtimestamp(entry.time_ns / 1e9, tz=timezone.utc).astimezone()
        yield (
            f"{time:%Y-%m-%d %H:%M:%S}  ",
            (f"{entry.level:<5}", _COLOURS.get(entry.level, "dim")),
            f"  {entry.category}: {entry.message}",
            (f"  {_numbers(entry.numbers)}", "dim"),
            f"  {entry.detail}" if entry.detail else "",
        )


def _effectiveness_lines(found: Effectiveness) -> Iterator[Line]:
    """How often which place of an answer was opened, as bars."""
    yield ("",)
    if not found.is_observed:
        yield (
            f"agents were shown files {found.searches:,} times; what they opened is not known, as no hooks told",
        )
        return
    yield (
        (f"{found.searches:,} times agents were shown files; the best that they opened:", "bold"),
    )
    for name, count in found.opened.items():
        share = count / found.searches
        yield (f"  {name:<6}{count:>6,}  {share:>4.0%}  ", ("█" * round(30 * share), "cyan"))
    yield (f"  in {found.changed:,} of them one was changed",)


def _numbers(numbers: Mapping[str, float]) -> str:
    return " ".join(
        f"{name.removesuffix('_s')}={value * 1000:.1f}ms"
        if name.endswith("_s")
        else f"{name}={value:g}"
        for name, value in numbers.items()
    )


def _shown(row: Measure, value: float) -> str:
    return f"{value * 1000:.1f} ms" if row.name.endswith("_s") else f"{value:,g}"
