"""`status`, `doctor` and `gc`."""

from collections.abc import Iterator, Sequence

import click

from codecairn.cli.command import command, option
from codecairn.cli.command_workspace import opened
from codecairn.cli.embedding import cost_rows, embedding_rows, memory_embedding_words
from codecairn.cli.index import skip_lines
from codecairn.cli.knowledge import base_words
from codecairn.cli.output import Form, Line, note, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.clock import SystemClock
from codecairn.core.text_format import ago, amount, size
from codecairn.core.types.indexing import Crash, Skip
from codecairn.core.types.maintenance import GarbageReport, Problem
from codecairn.core.types.status import LanguageShare, Status
from codecairn.errors import CodecairnError, UsageError
from codecairn.operations import index_operations
from codecairn.operations.crash_words import crash_words
from codecairn.operations.index_operations import OPERATIONS
from codecairn.operations.json_output import plain_document
from codecairn.workspace.workspace import Workspace

_NAME_WIDTH = 12

NAMED_LANGUAGES = 5
"""How many languages are named."""

NAMED_PATHS = 5
"""How many of the files that could not be parsed are named."""


@command("status")
@takes(OPERATIONS["status"])
@option("-v", "--verbose", is_flag=True, help="List every file that is not indexed, and why.")
@on_workspace
def status(path: str | None, form: Form | None, *, quiet: bool, verbose: bool) -> None:
    with opened(path, command="status", quiet=quiet) as workspace:
        found = index_operations.status(workspace)
        skips = index_operations.skips(workspace) if verbose else ()

    def document() -> dict[str, object]:
        extra = {"skips": [plain_document(skip) for skip in skips]} if verbose else {}
        return plain_document(found) | extra

    print_result(
        form,
        document=document,
        documents=lambda: [document()],
        lines=lambda: status_lines(found, skips, now_ns=SystemClock().now_ns()),
        indent=_NAME_WIDTH,
    )


@command("doctor")
@takes(OPERATIONS["doctor"])
@option(
    "--hosts",
    "of_hosts",
    is_flag=True,
    help="Check the hosts of agents instead: their entries, and whether the server and the hooks start.",
)
@on_workspace
@click.pass_context
def doctor(
    ctx: click.Context,
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    repair: bool,
    base: str | None,
    of_hosts: bool,
) -> None:
    if of_hosts:
        if repair or base is not None:
            raise UsageError(
                "`--hosts` looks at hosts, `--repair` and `--base` at an index",
                hint="leave them out; `codecairn install AGENT` repairs a host",
            )
        from codecairn.cli.host_health import report_hosts

        ctx.exit(0 if report_hosts(path, form) else 1)
    with opened(path, command="doctor", quiet=quiet) as workspace:
        problems = index_operations.doctor(workspace, repair=repair, base=base)
        for text in workspace.setting_notes:
            note(text, quiet=quiet)
        unparsed, crashed = unparsed_in(workspace)
    print_result(
        form,
        document=lambda: {
            "problems": [plain_document(problem) for problem in problems],
            "unparsed": list(unparsed),
            "crashed": [plain_document(crash) for crash in crashed],
        },
        documents=lambda: map(plain_document, problems),
        lines=lambda: problem_lines(problems, unparsed, crashed, repair=repair),
        indent=2,
    )
    if not all(problem.repaired for problem in problems):
        ctx.exit(1)


@command("gc")
@takes(OPERATIONS["gc"])
@on_workspace
def gc(
    path: str | None, form: Form | None, *, quiet: bool, dry_run: bool, base: str | None
) -> None:
    with opened(path, command="gc", quiet=quiet) as workspace:
        report = index_operations.gc(workspace, dry_run=dry_run, base=base)
    print_result(
        form,
        document=lambda: plain_document(report),
        documents=lambda: [plain_document(report)],
        lines=lambda: garbage_lines(report, dry_run=dry_run),
        indent=2,
    )


def status_lines(status: Status, skips: tuple[Skip, ...], *, now_ns: int) -> Iterator[Line]:
    """The state of an index, in words."""
    branch = status.branch or "no branch"
    head = f" at {status.head[:12]}" if status.head else ""
    is_indexed = status.indexed_at_ns != 0
    indexed = (
        f"indexed {ago(status.indexed_at_ns, now_ns=now_ns)}" if is_indexed else "not indexed yet"
    )
    total = sum(share.size_bytes for share in status.languages)
    rows = {
        "workspace": status.root,
        "store": f"{status.store} ({size(status.store_bytes)}, format {status.format}, "
        f"generation {status.generation}, {amount(status.segments, 'segment')})",
        "branch": f"{branch}{head}, {indexed}",
        "content": f"{amount(status.files, 'file')} ({size(total)}), {amount(status.chunks, 'chunk')}, "
        f"{amount(status.symbols, 'symbol')}",
        "languages": language_words(status.languages),
        "embedder": f"{status.embedder}, {amount(status.dimensions, 'dimension')}",
        "vectors": f"{status.vectors:,} for {amount(status.texts, 'text')}, "
        f"searched by `{status.vector_method}`",
    }
    if status.pending:
        rows["pending"] = f"{amount(status.pending, 'text')} without a vector"
    if status.embedding is not None:
        rows |= embedding_rows(status.embedding)
    rows |= cost_rows(status)
    branches = (f"{name or '(no git)'} {files:,}" for name, files in status.branches)
    rows["branches"] = ", ".join(branches) if len(status.branches) > 1 else ""
    if status.skipped:
        rows["not indexed"] = ", ".join(f"{reason} {count:,}" for reason, count in status.skipped)
    if status.coarse:
        rows["coarse"] = f"{amount(status.coarse, 'large file')} without definitions: words only"
    rows["unparsed"] = unparsed_words(status.unparsed)
    rows["crashed"] = crash_words(status.crashed)
    rows["lossy"] = lossy_words(status.lossy)
    for number, state in enumerate(status.knowledge, start=1):
        rows[f"base {number}"] = f"{state.name}, {state.path}: {base_words(state, now_ns)}"
    if status.memory_embedding is not None:
        rows["memory"] = memory_embedding_words(status.memory_embedding)
    rows |= {f"note {number}": text for number, text in enumerate(status.notes, start=1)}
    rows |= {f"sends {number}": text for number, text in enumerate(status.outgoing, start=1)}
    if status.indexing:
        rows["indexing"] = status.indexing
    for name, text in rows.items():
        if text:
            yield ((f"{name:<{_NAME_WIDTH}}", "bold"), text)
    yield from skip_lines(skips)


def language_words(languages: Sequence[LanguageShare]) -> str:
    """The languages with most text first, each with its size; the others are counted."""
    largest = sorted(languages, key=lambda share: (-share.size_bytes, share.language))
    named = [f"{share.language} {size(share.size_bytes)}" for share in largest[:NAMED_LANGUAGES]]
    if len(largest) > NAMED_LANGUAGES:
        return f"{', '.join(named)} and {len(largest) - NAMED_LANGUAGES:,} more"
    return ", ".join(named)


def unparsed_in(workspace: Workspace) -> tuple[tuple[str, ...], tuple[Crash, ...]]:
    """Files of the index that were cut by lines: for want of time or memory, and as they ended a process.

    None if there is no index to ask.
    """
    try:
        status = workspace.status()
    except CodecairnError:
        return (), ()
    return status.unparsed, status.crashed


def unparsed_words(paths: tuple[str, ...]) -> str:
    """Files that were cut by lines, in words: how many, why, and the first few; empty for none."""
    return _files_words(paths, "cut by lines, as parsing would take too much time or memory")


def lossy_words(paths: tuple[str, ...]) -> str:
    """Files that the grammar could read in part, in words, as those that were cut by lines; empty for none."""
    return _files_words(
        paths, "with a region that can't be parsed, where definitions may be missing"
    )


def _files_words(paths: tuple[str, ...], state: str) -> str:
    if not paths:
        return ""
    more = ", …" if len(paths) > NAMED_PATHS else ""
    return f"{amount(len(paths), 'file')} {state}: {', '.join(paths[:NAMED_PATHS])}{more}"


def problem_lines(
    problems: tuple[Problem, ...],
    unparsed: tuple[str, ...],
    crashed: tuple[Crash, ...],
    *,
    repair: bool,
) -> Iterator[Line]:
    """What is wrong with a store, in words."""
    if not problems:
        yield (("the store is sound", "green"),)
    if unparsed:
        yield (unparsed_words(unparsed),)
    if crashed:
        yield (crash_words(crashed),)
    for problem in problems:
        state = ("repaired", "green") if problem.repaired else ("damaged", "red")
        yield (state, f"  {problem.code}: {problem.detail}")
    if problems and not repair:
        yield ("run `codecairn doctor --repair` to mend what can be mended",)


def garbage_lines(report: GarbageReport, *, dry_run: bool) -> Iterator[Line]:
    """What was removed, or would be, in words."""
    verb = "would remove" if dry_run else "removed"
    yield (
        f"{verb} {amount(report.blobs, 'blob')}, {amount(report.chunks, 'chunk')}, "
        f"{amount(report.vectors, 'vector')} and {amount(report.files, 'file')}: "
        f"{size(report.size_bytes)}",
    )
    forgotten = [
        words
        for count, words in (
            (report.branches, amount(report.branches, "branch", "branches")),
            (report.worktrees, amount(report.worktrees, "worktree")),
        )
        if count
    ]
    if forgotten:
        verb = "would forget" if dry_run else "forgot"
        yield (f"{verb} {' and '.join(forgotten)} that are no longer there",)
    if report.copies:
        verb = "would remove" if dry_run else "removed"
        yield (f"{verb} {amount(report.copies, 'old copy', 'old copies')} of shared stores",)
