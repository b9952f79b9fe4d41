"""Opens a workspace for the time of one command, with a progress bar, and closes it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codecairn.cli.output import note
from codecairn.cli.progress import terminal_progress
from codecairn.errors import UsageError
from codecairn.workspace.workspace import Workspace

if TYPE_CHECKING:
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
    path: str | None, several: Sequence[str], *, command: str, quiet: bool
) -> "Iterator[Workspace | Workspaces]":
    """The workspaces that several folders lie in, searched as one; without any, the one of `opened`."""
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
