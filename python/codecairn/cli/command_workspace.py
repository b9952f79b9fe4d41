"""Opens a workspace for the time of one command, with a progress bar, and closes it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codecairn.cli.output import note
from codecairn.cli.progress import terminal_progress
from codecairn.errors import UsageError
from codecairn.workspace.workspace import Workspace

if TYPE_CHECKING:
    from codecairn.workspace.organization.organization import Organization
    from codecairn.workspace.workspaces import Workspaces


@contextmanager
def opened(
    path: str | None,
    *,
    command: str,
    quiet: bool,
    settings: Mapping[str, object] | None = None,
) -> Iterator[Workspace]:
    """The workspace that `path`, or else the current folder, lies in."""
    with (
        terminal_progress(quiet=quiet) as progress,
        Workspace.open(
            path,
            settings=settings,
            writer=f"codecairn {command}",
            progress=progress,
            notify=lambda message: note(message, quiet=quiet),
        ) as workspace,
    ):
        yield workspace


@contextmanager
def opened_all(
    path: str | None, several: Sequence[str], *, is_org: bool, command: str, quiet: bool
) -> "Iterator[Workspace | Workspaces | Organization]":
    """The workspaces that several folders lie in, or all that are indexed, as one; without either, the one of `opened`."""
    if is_org:
        if several or path is not None:
            raise UsageError(
                "`--org` searches all repositories", hint="leave out `--workspace` and `--path`"
            )
        with _organization(command=command, quiet=quiet) as organization:
            yield organization
        return
    if not several:
        with opened(path, command=command, quiet=quiet) as workspace:
            yield workspace
        return
    if path is not None:
        raise UsageError("`--path` and `--workspace` name the same thing", hint="give one of them")
    from codecairn.workspace.workspaces import Workspaces

    with (
        terminal_progress(quiet=quiet) as progress,
        Workspaces.open(
            several,
            writer=f"codecairn {command}",
            progress=progress,
            notify=lambda message: note(message, quiet=quiet),
        ) as workspaces,
    ):
        yield workspaces


@contextmanager
def _organization(*, command: str, quiet: bool) -> "Iterator[Organization]":
    from codecairn.workspace.organization.organization import Organization

    with (
        terminal_progress(quiet=quiet) as progress,
        Organization.open(
            writer=f"codecairn {command}",
            progress=progress,
            notify=lambda message: note(message, quiet=quiet),
        ) as organization,
    ):
        yield organization
