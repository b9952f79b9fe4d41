"""Indexes, and logs the report and the duration."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codecairn.core.engine import Engine, ProgressCallback
from codecairn.indexing.garbage_collection import collect_if_due
from codecairn.indexing.lock_retry import LockRetry
from codecairn.indexing.progress import PhaseTimes
from codecairn.indexing.store_opening import Opening

if TYPE_CHECKING:
    from codecairn.core.types.indexing import IndexReport


def index_recorded(
    engine: Engine,
    opening: Opening,
    *,
    category: str,
    lock_retry: LockRetry,
    progress: ProgressCallback | None,
    force: bool = False,
    paths: Sequence[str] | None = None,
) -> "IndexReport":
    """Bring the index up to date once the write lock is free, and collect garbage if it is due.

    Raises:
        IndexLocked: If another process still writes after the wait.
    """
    what = "index everything" if paths is None else "index named paths"
    with opening.logbook(engine).timed(category, what) as numbers:
        phases = PhaseTimes(progress, clock=lock_retry.clock)
        report = lock_retry.until_free(
            lambda: engine.index(force=force, progress=phases, paths=paths)
        )
        numbers.update(phases.seconds())
        for name in ("files", "added", "modified", "removed", "renamed", "new_chunks", "embedded"):
            numbers[name] = getattr(report, name)
    if report.modified or report.removed:
        collect_if_due(engine, opening, clock=lock_retry.clock)
    return report
