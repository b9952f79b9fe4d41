"""Indexes, and logs the report and the duration."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from codecairn.core.engine import Engine, ProgressCallback
from codecairn.indexing.garbage_collection import collect_if_due
from codecairn.indexing.lock_retry import LockRetry
from codecairn.indexing.progress import PhaseTimes
from codecairn.indexing.store_opening import Opening

if TYPE_CHECKING:
    from codecairn.core.types.indexing import IndexReport

IndexRun: TypeAlias = "Callable[[ProgressCallback], IndexReport]"
"""A run of indexing, which is given what to call with its progress."""


def index_recorded(
    engine: Engine,
    opening: Opening,
    *,
    category: str,
    lock_retry: LockRetry,
    progress: ProgressCallback | None,
    force: bool = False,
    paths: Sequence[str] | None = None,
    run: "IndexRun | None" = None,
) -> "IndexReport":
    """Bring the index up to date once the write lock is free, and collect garbage if it is due.

    `run` indexes in the place of the engine.

    Raises:
        IndexLocked: If another process still writes after the wait.
    """
    what = "index everything" if paths is None else "index named paths"
    with opening.logbook(engine).timed(category, what) as numbers:
        phases = PhaseTimes(progress, clock=lock_retry.clock)
        work = run or partial(_index, engine, force=force, paths=paths)
        report = lock_retry.until_free(lambda: work(phases))
        numbers.update(phases.seconds())
        for name in ("files", "added", "modified", "removed", "renamed", "new_chunks", "embedded"):
            numbers[name] = getattr(report, name)
    if report.modified or report.removed:
        collect_if_due(engine, opening, clock=lock_retry.clock)
    return report


def _index(
    engine: Engine, progress: ProgressCallback, *, force: bool, paths: Sequence[str] | None
) -> "IndexReport":
    return engine.index(force=force, progress=progress, paths=paths)
