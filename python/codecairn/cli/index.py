"""The command `index`, with its estimate and its dry run."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from codecairn.cli.command import command, option
from codecairn.cli.command_workspace import opened
from codecairn.cli.embedding import embedding_lines, estimate_line, provider_lines
from codecairn.cli.output import Form, Line, note, print_result
from codecairn.cli.parameters import on_workspace, takes
from codecairn.core.text_format import amount, duration, size
from codecairn.errors import UsageError
from codecairn.operations import index_operations
from codecairn.operations.crash_words import crash_words
from codecairn.operations.index_operations import OPERATIONS
from codecairn.operations.json_output import plain_document, preview_document
from codecairn.workspace.knowledge.bases import KnowledgeIndexed
from codecairn.workspace.workspace import Workspace

if TYPE_CHECKING:
    from codecairn.core.types.indexing import IndexPreview, IndexReport, Skip
    from codecairn.replication.types import Publication


@command("index")
@click.argument("folder", metavar="[PATH]", required=False)
@takes(OPERATIONS["index"])
@option("--estimate", is_flag=True, help="Only report how much work it would be.")
@option("--dry-run", is_flag=True, help="Only list the files that would be indexed.")
@option("-v", "--verbose", is_flag=True, help="List every file that is not indexed, and why.")
@option(
    "--publish",
    metavar="REMOTE",
    help="Then publish the index: the address, name or id of a shared index that your grant may publish.",
)
@option(
    "--branch",
    metavar="NAME",
    help="The branch to publish it as. [default: the one that is checked out]",
)
@on_workspace
@click.pass_context
def index(
    ctx: click.Context,
    folder: str | None,
    path: str | None,
    form: Form | None,
    *,
    quiet: bool,
    force: bool,
    wait: bool | None,
    estimate: bool,
    dry_run: bool,
    verbose: bool,
    publish: str | None,
    branch: str | None,
) -> None:
    _require_publishable(publish, branch, is_preview=estimate or dry_run)
    if folder is not None and path is not None:
        raise UsageError("PATH and `--path` name the same thing", hint="give one of them")
    if force and (estimate or dry_run):
        raise UsageError(
            "`--force` changes no estimate and no dry run", hint="leave it out, or the other option"
        )
    with opened(path if folder is None else folder, command="index", quiet=quiet) as workspace:
        if estimate or dry_run:
            _print_preview(index_operations.preview(workspace), form, with_files=dry_run)
            return
        report = index_operations.index(workspace, force=force, wait=wait)
        skips = index_operations.skips(workspace) if verbose else ()
        bases, missing = workspace.knowledge.index(force=force, wait=wait)
        published = None if publish is None else workspace.remote.publish(publish, branch=branch)
    _print_report(workspace, report, skips, bases, published, form)
    for message in missing:
        note(message, quiet=quiet)
    if report.embedding is not None and report.embedding.stopped in {"provider", "settings"}:
        ctx.exit(1)


def _require_publishable(publish: str | None, branch: str | None, *, is_preview: bool) -> None:
    """Refuse options that would have no effect."""
    if publish is not None and is_preview:
        raise UsageError(
            "a preview publishes nothing", hint="leave out `--publish`, or the other option"
        )
    if branch is not None and publish is None:
        raise UsageError(
            "`--branch` names the branch to publish",
            hint="give `--publish` with it, or leave it out",
        )


def _print_report(
    workspace: Workspace,
    report: "IndexReport",
    skips: "tuple[Skip, ...]",
    bases: tuple[KnowledgeIndexed, ...],
    published: "Publication | None",
    form: Form | None,
) -> None:
    def document() -> dict[str, object]:
        extra = {"skips": [plain_document(skip) for skip in skips]} if skips else {}
        of_bases = {"knowledge": [plain_document(base) for base in bases]} if bases else {}
        of_remote = {"published": plain_document(published)} if published else {}
        return plain_document(report) | extra | of_bases | of_remote

    def lines() -> Iterator[Line]:
        yield from report_lines(str(workspace.root), report, skips)
        for base in bases:
            yield from report_lines(base.path, base.report, ())
        if published is not None:
            from codecairn.cli.remote import publication_lines

            yield from publication_lines(published)

    print_result(
        form,
        document=document,
        documents=lambda: [document()],
        lines=lines,
        indent=4,
    )


def report_lines(root: str, report: "IndexReport", skips: "tuple[Skip, ...]") -> Iterator[Line]:
    """What an indexing run did, in words."""
    branch = f" on {report.branch}" if report.branch else ""
    yield (
        ("indexed ", ""),
        (root, "bold"),
        f"{branch}: {amount(report.files, 'file')}, {amount(report.chunks, 'chunk')}, "
        f"{size(report.size_bytes)} in {report.seconds:.2f} s",
    )
    yield (
        f"  {report.added:,} added, {report.modified:,} modified, {report.removed:,} removed, "
        f"{report.renamed:,} renamed, {report.unchanged:,} unchanged; "
        f"{amount(report.new_chunks, 'new chunk')}, {report.embedded:,} embedded",
    )
    if report.embedding is not None:
        yield from embedding_lines(report.embedding)
    if report.crashed:
        yield (f"  {crash_words(report.crashed)}",)
    if report.pending:
        yield (f"  {amount(report.pending, 'text')} still without a vector",)
    if report.skipped:
        how = "" if skips else ", see `codecairn status --verbose`"
        yield (f"  {amount(report.skipped, 'file')} not indexed{how}",)
    elif not report.files:
        yield (
            "  nothing here is left by the ignore rules; where a .gitignore leaves out too much, a .codecairnignore with "
            "`!/*` beside it takes that back",
        )
    yield from skip_lines(skips)


def skip_lines(skips: "tuple[Skip, ...]") -> Iterator[Line]:
    """Each file that is not indexed, and why."""
    for skip in skips:
        detail = f" ({skip.detail})" if skip.detail else ""
        yield (f"    {skip.path}: {skip.reason}{detail}",)


def _print_preview(preview: "IndexPreview", form: Form | None, *, with_files: bool) -> None:
    document = preview_document(preview, with_files=with_files)
    print_result(
        form,
        document=lambda: document,
        documents=lambda: [document],
        lines=lambda: preview_lines(preview, with_files=with_files),
        indent=4,
    )


def preview_lines(preview: "IndexPreview", *, with_files: bool) -> Iterator[Line]:
    """What indexing would do, in words."""
    yield (
        f"would take in {len(preview.added):,} added and {len(preview.modified):,} modified, "
        f"drop {len(preview.removed):,} removed, keep {preview.unchanged:,} unchanged",
    )
    yield (
        f"  {size(preview.size_bytes)} to read, {amount(preview.chunks, 'chunk')}, "
        f"{amount(preview.texts, 'text')} to embed (about {amount(preview.tokens, 'token')}); "
        f"about {duration(preview.seconds)} here",
    )
    if preview.embedding is not None:
        yield estimate_line(preview.embedding)
    if preview.providers:
        yield ("  the built-in model costs nothing; embedded elsewhere, the new texts would take:",)
    yield from provider_lines(preview.providers)
    if with_files:
        marks = {"+": preview.added, "~": preview.modified, "-": preview.removed}
        for mark, paths in marks.items():
            for path in paths:
                yield (f"  {mark} {path}",)
