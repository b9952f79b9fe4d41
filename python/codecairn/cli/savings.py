"""The command `savings`."""

from collections.abc import Iterator

from codecairn.cli.command import command
from codecairn.cli.command_workspace import opened
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.clock import SystemClock
from codecairn.core.text_format import ago, amount
from codecairn.operations import index_operations
from codecairn.operations.index_operations import OPERATIONS
from codecairn.operations.json_output import plain_document
from codecairn.workspace.savings import BYTES_PER_TOKEN, MAX_GREP_BYTES, Savings


@command("savings")
@takes(OPERATIONS["savings"])
@on_workspace
def savings(path: str | None, form: Form | None, *, quiet: bool) -> None:
    with opened(path, command="savings", quiet=quiet) as workspace:
        found = index_operations.savings(workspace)
    print_result(
        form,
        document=lambda: plain_document(found),
        documents=lambda: [plain_document(found)],
        lines=lambda: savings_lines(found, now_ns=SystemClock().now_ns()),
    )


def savings_lines(found: Savings, *, now_ns: int) -> Iterator[Line]:
    """What was shown beside what the other ways would have taken, and how that is counted."""
    if not found.answers:
        yield ("agents have not been shown any files yet",)
        return
    yield (
        (amount(found.answers, "answer"), "bold"),
        f" to agents since {ago(found.since_ns, now_ns=now_ns)}",
    )
    if found.counted:
        yield _row("shown", found.tokens, "")
        yield _row("the files as a whole", found.file_tokens, _saved(found.saved_of_files))
    if found.searched:
        of_all = "" if found.searched == found.counted else f" ({found.searched:,} of the answers)"
        yield _row(f"shown for questions{of_all}", found.searched_tokens, "")
        yield _row("grep for them", found.grep_tokens, _saved(found.saved_of_grep))
    if found.is_observed:
        yield (
            f"  after {found.opened:,} of them an agent opened one of the files, "
            f"after {found.changed:,} it changed one",
        )
    else:
        yield ("  what was opened is not known, as no hooks recorded it",)
    yield (
        (
            f"A token is taken as {BYTES_PER_TOKEN} bytes. grep is for the rarest word of a question, "
            f"cut after {MAX_GREP_BYTES:,} bytes as agents cut it; the files that it finds are not read.",
            "dim",
        ),
    )


def _row(name: str, tokens: int, saved: str) -> Line:
    return (f"  {name:<32}{tokens:>12,} tokens{saved}",)


def _saved(share: float) -> str:
    return f"  {share:>4.0%} saved" if share >= 0 else f"  {-share:>4.0%} more shown"
