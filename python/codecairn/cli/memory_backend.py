"""What `memory backend` prints."""

from collections.abc import Iterator

from codecairn.cli.output import Form, Line, print_result
from codecairn.core.text_format import amount
from codecairn.memory.backends.reports import BackendStatus, DrainReport
from codecairn.memory.timestamps import written
from codecairn.operations.backend_operations import BackendReport
from codecairn.operations.json_output import plain_document

_COLORS = {"idle": "green", "behind": "yellow", "failing": "red"}


def show_backends(report: BackendReport, form: Form | None) -> None:
    """Print how the backends fare, after what was done."""
    document = plain_document(report)
    print_result(
        form,
        document=lambda: document,
        documents=lambda: [document],
        lines=lambda: _lines(report),
    )


def _lines(report: BackendReport) -> Iterator[Line]:
    for run in report.runs:
        yield from _run_lines(run)
    if report.action == "retry":
        yield (f"{amount(report.changed, 'event')} will be sent again",)
    elif report.action == "drop":
        yield (f"{amount(report.changed, 'event')} given up; the memory keeps them",)
    for backend in report.backends:
        yield from _backend_lines(backend)


def _run_lines(run: DrainReport) -> Iterator[Line]:
    if run.is_busy:
        yield ((f"{run.name}: another process is sending; nothing was done", "yellow"),)
        return
    parts = [
        f"{run.taken:,} new",
        f"{run.sent:,} sent",
        f"{run.stored:,} read back",
        f"{run.removed:,} removed" if run.removed else "",
        f"{amount(run.copies, 'copy', 'copies')} removed" if run.copies else "",
        f"{run.missing:,} gone there and sent again" if run.missing else "",
        f"{run.pulled:,} taken over" if run.pulled else "",
        f"{run.dead:,} given up" if run.dead else "",
        f"{run.left:,} left" if run.left else "",
    ]
    yield (f"{run.name}: {', '.join(part for part in parts if part)}",)
    if run.obstacle:
        yield ((f"  {run.obstacle}", "yellow"),)


def _backend_lines(backend: BackendStatus) -> Iterator[Line]:
    if not backend.address:
        yield ((backend.name, "bold"), ("  off: the settings name none", "dim"))
        return
    state = (backend.state, _COLORS.get(backend.state, ""))
    yield ((backend.name, "bold"), "  ", state, (f"  {backend.address}  {backend.group}", "dim"))
    counts = {
        "not looked at": backend.unread,
        "waiting": backend.waiting,
        "sent, not read back": backend.sent,
        "stored": backend.stored,
        "to be removed": backend.removing,
        "dead": backend.dead,
    }
    shown = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    last = f"; last at {written(backend.stored_ms)}" if backend.stored_ms else ""
    yield (f"  {shown or 'nothing was sent yet'}{last}",)
    if backend.error:
        yield ((f"  {backend.error}", "yellow"),)
    if backend.due_ms:
        yield ((f"  tried again after {written(backend.due_ms)}", "dim"),)
    for letter in backend.dead_letters:
        yield (
            "  ",
            (f"{letter.number}", "bold"),
            f"  {letter.item}  failed {letter.failures} times: {letter.reason}",
        )
