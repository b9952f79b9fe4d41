"""The command `watch`, which keeps the index up to date until it is interrupted."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from codecairn.cli.command import command, option
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import Form, Line, Printer, note, print_result
from codecairn.cli.parameters import on_workspace
from codecairn.core.text_format import amount
from codecairn.indexing.watch import Update, Watch
from codecairn.operations.json_output import plain_document

_LOOK_S = 0.5
"""How often a system whose waits can't be interrupted looks for Ctrl-C."""


@command("watch")
@option(
    "--poll",
    is_flag=True,
    help="Check all files periodically, without change notifications of the system.",
)
@on_workspace
def watch(path: str | None, form: Form | None, *, quiet: bool, poll: bool) -> None:
    """Keep the index up to date until Ctrl-C.

    Those of knowledge bases, too; a signal to terminate ends it as well.

    Prints a line for each change; with `--jsonl` (or `--json`) a JSON document on each line.
    With an embedding provider, new texts are embedded within its limits and your budget.
    """
    lines = None if form is None else Form.JSON_LINES

    def teller(base: str) -> Callable[[Update], None]:
        def tell(update: Update) -> None:
            print_result(
                lines,
                document=lambda: update_document(update, base=base),
                documents=lambda: [update_document(update, base=base)],
                lines=lambda: update_lines(update, base=base),
                is_paged=False,
            )
            sys.stdout.flush()

        return tell

    with (
        opened(path, command="watch", quiet=quiet) as workspace,
        workspace.watch(on_update=teller(""), poll=poll) as watching,
        ExitStack() as bases,
        _ended_by_signals(watching),
    ):
        _describe(watching, str(workspace.root), quiet=quiet)
        roots, missing = workspace.knowledge.chosen(["all"])
        for root in roots[1:]:
            each = root.workspace.watch(on_update=teller(root.name), poll=poll)
            _describe(bases.enter_context(each), str(root.workspace.root), quiet=quiet)
        for message in missing:
            note(message, quiet=quiet)
        while not watching.wait(_LOOK_S if sys.platform == "win32" else None):
            pass


def update_document(update: Update, *, base: str = "") -> dict[str, object]:
    """The document of one update, of the workspace or of a knowledge base."""
    paths = None if update.paths is None else list(update.paths)
    named = {"base": base} if base else {}
    return {**named, "paths": paths, **plain_document(update.report)}


def update_lines(update: Update, *, base: str = "") -> Iterator[Line]:
    """One update in words."""
    report = update.report
    branch = f" on {report.branch}" if report.branch else ""
    yield (
        f"{base}: " if base else "",
        f"{amount(report.files, 'file')}{branch}: {report.added:,} added, "
        f"{report.modified:,} modified, {report.removed:,} removed, {report.renamed:,} renamed "
        f"in {report.seconds:.2f} s",
    )


def _describe(watching: Watch, root: str, *, quiet: bool) -> None:
    if quiet:
        return
    how = "from time to time" if watching.is_polling else f"in {amount(watching.watches, 'folder')}"
    Printer(sys.stderr).lines([((f"watching {root} {how}; Ctrl-C ends it", ""),)])


@contextmanager
def _ended_by_signals(watching: Watch) -> Iterator[None]:
    """Ctrl-C and a signal to terminate end the watch in good order."""
    names = [signal.SIGINT, signal.SIGTERM]
    before = {name: signal.signal(name, lambda *_: watching.stop()) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
