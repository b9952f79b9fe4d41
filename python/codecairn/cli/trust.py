"""The command `trust`, after which the content of a repository counts as the user's own."""

from collections.abc import Iterator
from pathlib import Path

import click

from codecairn.cli.command import command, option
from codecairn.cli.output import Form, Line, print_result
from codecairn.cli.parameters import on_workspace
from codecairn.errors import UsageError
from codecairn.paths.root import STORE_NAME, find_root, resolve_folder
from codecairn.paths.user import home_folder
from codecairn.trust import registry, store_trust


@command("trust")
@click.argument("folder", required=False)
@option("--remove", is_flag=True, help="Stop trusting the workspace.")
@option("--list", "listing", is_flag=True, help="List the trusted workspaces.")
@on_workspace
def trust(
    path: str | None,
    form: Form | None,
    folder: str | None,
    *,
    quiet: bool,  # noqa: ARG001 - every command takes it
    remove: bool,
    listing: bool,
) -> None:
    """Trust a workspace.

    FOLDER, or the one that contains the current folder. Agents are then shown its instruction files (AGENTS.md and the like) and the memory that its team commits, and an
    index in its `.codecairn` is used there. Without trust none of these is shown, and the index lies in your data
    folder. Trust is recorded only in your own files, so a repository cannot grant it.
    """
    if listing:
        known = registry.trusted_roots()
        print_result(
            form,
            document=lambda: {"workspaces": [{"root": str(root)} for root in known]},
            documents=lambda: [{"root": str(root)} for root in known],
            lines=lambda: [(str(root),) for root in known],
        )
        return
    if folder is not None and path is not None:
        raise UsageError("the argument and `--path` name the same thing", hint="give one of them")
    root = find_root(
        resolve_folder(folder or path),
        home=home_folder(),
        has_store=lambda each: (each / STORE_NAME).is_dir() or store_trust.has_store(each),
    )
    is_trusted, uses_store = not remove, False
    if remove:
        store_trust.disown(root)
    else:
        uses_store = store_trust.adopt(root)
    document = {"root": str(root), "is_trusted": is_trusted, "is_store_used": uses_store}
    print_result(
        form,
        document=lambda: document,
        documents=lambda: [document],
        lines=lambda: _lines(root, is_trusted=is_trusted, uses_store=uses_store),
    )


def _lines(root: Path, *, is_trusted: bool, uses_store: bool) -> Iterator[Line]:
    if not is_trusted:
        yield (f"`{root}` is not trusted any more",)
        return
    yield (f"`{root}` is trusted: agents may be shown its instruction files and shared memory",)
    if uses_store:
        yield (f"the index in `{root / STORE_NAME}` is used where it is",)
