"""Removes unreferenced content, on request and automatically above a threshold."""

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from codecairn.clock import Clock
from codecairn.core.engine import Engine
from codecairn.errors import IndexLocked
from codecairn.indexing.lock_retry import LockRetry
from codecairn.indexing.store_copies import remove_old_copies
from codecairn.indexing.store_opening import Opening
from codecairn.paths import user

if TYPE_CHECKING:
    from codecairn.core.types.maintenance import GarbageReport


def collect(
    engine: Engine, opening: Opening, *, lock_retry: LockRetry, dry_run: bool
) -> "GarbageReport":
    """Remove, or only count, unreferenced content and unused copies of shared stores.

    Raises:
        IndexLocked: If another process still writes after the wait.
    """
    report = _collect_store(engine, opening, lock_retry=lock_retry, dry_run=dry_run)
    copies = remove_old_copies(
        user.data_folder(),
        keep=engine.options.store,
        unused_days=opening.settings.gc_copy_days,
        now_ns=lock_retry.clock.now_ns(),
        dry_run=dry_run,
    )
    size_bytes = report.size_bytes + copies.size_bytes
    return replace(report, copies=copies.copies, size_bytes=size_bytes)


def collect_if_due(engine: Engine, opening: Opening, *, clock: Clock) -> None:
    """Remove garbage once there is enough of it; while another process writes it can wait."""
    if _is_due(engine, opening):
        with suppress(IndexLocked):
            lock_retry = LockRetry(wait_s=0, clock=clock)
            _collect_store(engine, opening, lock_retry=lock_retry, dry_run=False)


def _is_due(engine: Engine, opening: Opening) -> bool:
    """Whether there is enough garbage, by the settings. What may have been paid for never goes by itself."""
    settings = opening.settings
    if not settings.gc_auto or opening.choice.plan is not None:
        return False
    contents, unreached = engine.unreached()
    return (
        unreached >= max(settings.gc_min_contents, 1)
        and unreached * 100 >= contents * settings.gc_min_percent
    )


def _collect_store(
    engine: Engine, opening: Opening, *, lock_retry: LockRetry, dry_run: bool
) -> "GarbageReport":
    what = "count garbage" if dry_run else "collect garbage"
    with opening.logbook(engine).timed("gc", what) as numbers:
        report = lock_retry.until_free(lambda: engine.collect_garbage(dry_run=dry_run))
        numbers["blobs"], numbers["size_bytes"] = report.blobs, report.size_bytes
    return report
