"""Shows a progress bar on stderr during indexing; nothing where stderr is no terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from codecairn.cli.terminal import Screen, make_console

if TYPE_CHECKING:
    from rich.progress import Progress
    from typing_extensions import Self

    from codecairn.indexing.progress import Step


class ProgressBar:
    """A bar that appears with the first call, so that commands that index nothing never load one."""

    def __init__(self) -> None:
        from codecairn.indexing.progress import ProgressMeter

        self._meter = ProgressMeter(self._show)
        self._progress: Progress | None = None

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Take one progress call of the core."""
        self._meter(phase, done, total)

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _show(self, step: "Step") -> None:
        if self._progress is None:
            self._progress = _started_bar()
        self._progress.update(
            self._progress.task_ids[0],
            completed=step.fraction,
            description=step.phase,
            counts=step_words(step),
        )


def step_words(step: "Step") -> str:
    """How far a phase is: texts where a provider embeds, else the size of the files; empty where that is not known."""
    from codecairn.core.text_format import amount, size_of
    from codecairn.indexing.progress import EMBEDDING

    if not step.total:
        return ""
    if step.phase == EMBEDDING:
        return f"{step.done:,} of {amount(step.total, 'text')}"
    return size_of(step.done, step.total)


@contextmanager
def terminal_progress(*, quiet: bool) -> Iterator[ProgressBar | None]:
    """A bar if stderr is a terminal and `--quiet` is not given, else nothing."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with ProgressBar() as bar:
        yield bar


def _started_bar() -> "Progress":
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    progress = Progress(
        TextColumn("{task.description:<10}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[counts]}"),
        TimeElapsedColumn(),
        console=make_console(sys.stderr, Screen.of(sys.stderr)),
        transient=True,
    )
    progress.add_task("", total=1.0, counts="")
    progress.start()
    return progress
