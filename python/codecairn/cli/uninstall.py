"""`uninstall --all` removes codecairn from every host and project, and with `--data` everything it has stored for this user."""

import sys
from collections.abc import Iterator, Sequence

import click

from codecairn.cli.output import Form, Line, note, print_result
from codecairn.errors import FileAccessError, UsageError
from codecairn.hosts.installation import Change
from codecairn.hosts.removal import HostRemoval
from codecairn.paths import user
from codecairn.paths.entries import INSTALLATIONS
from codecairn.workspace.user_data import OwnEntry, own_data, remove


def uninstall_everywhere(
    *, with_data: bool, dry_run: bool, is_confirmed: bool, form: Form | None
) -> None:
    """Take codecairn out of every host, and with data remove that too.

    Raises:
        FileAccessError: If something could not be removed; the rest is.
        UsageError: If it was not confirmed.
    """
    everywhere = HostRemoval(home=user.home_folder(), folder=user.data_folder())
    changes, problems = everywhere.planned()
    entries: Sequence[OwnEntry] = own_data() if with_data else ()
    if not dry_run:
        if entries and not is_confirmed:
            _confirm(changes, entries)
        changes, problems = everywhere.uninstall()
        if with_data:
            keep = [user.data_folder() / INSTALLATIONS] if problems else []
            entries, further = remove(own_data(), keep=keep)
            problems = [*problems, *further]
    _print(changes, entries, form, dry_run=dry_run)
    for problem in problems:
        note(f"{problem.message}; {problem.hint}" if problem.hint else problem.message)
    if problems:
        raise FileAccessError(
            f"{len(problems):,} of the files could not be {'read' if dry_run else 'restored or removed'}",
            hint="see the notes above, then run the same again",
        )
    if with_data and not dry_run:
        note("end agents, `codecairn mcp` and `watch` that still run: they could write again")


def _confirm(changes: Sequence[Change], entries: Sequence[OwnEntry]) -> None:
    if not sys.stdin.isatty():
        raise UsageError("nothing was removed: this can't be undone", hint="add `--yes`")
    for line in (*_changed(changes, "would be "), *_removed(entries, "would be ")):
        click.echo("".join(part if isinstance(part, str) else part[0] for part in line), err=True)
    if not click.confirm("Remove all of this? It can't be undone.", err=True):
        raise UsageError("nothing was removed")


def _print(
    changes: Sequence[Change], entries: Sequence[OwnEntry], form: Form | None, *, dry_run: bool
) -> None:
    would = "would be " if dry_run else ""

    def document() -> dict[str, object]:
        rows = [
            {"path": str(each.path), "what": list(each.what), "change": each.kind}
            for each in changes
        ]
        removed = [{"path": str(each.path), "what": each.what} for each in entries]
        return {"dry_run": dry_run, "changes": rows, "removed": removed}

    def lines() -> Iterator[Line]:
        yield from _changed(changes, would)
        yield from _removed(entries, would)
        if not changes and not entries:
            yield ("nothing of codecairn is left here",)

    print_result(form, document=document, documents=lambda: [document()], lines=lines)


def _changed(changes: Sequence[Change], would: str) -> Iterator[Line]:
    for change in changes:
        kind = f"{would}{change.kind}" if change.is_change else change.kind
        what = f" ({', '.join(change.what)})" if change.what else ""
        yield ((str(change.path), "bold"), f" {kind}{what}")


def _removed(entries: Sequence[OwnEntry], would: str) -> Iterator[Line]:
    for entry in entries:
        yield ((str(entry.path), "bold"), f" {would}removed ({entry.what})")
