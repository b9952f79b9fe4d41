"""A workspace for one command: opened, with a progress bar, and closed again."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from codecairn.cli.output import note
from codecairn.cli.progress import terminal_progress
from codecairn.workspace import Workspace


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
