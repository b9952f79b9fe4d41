"""Checks a store and repairs it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.core.engine import crash_log_fault, rescue_store
from codecairn.errors import StoreDamaged
from codecairn.indexing.fork_safe import ForkSafeEngine
from codecairn.indexing.lock_retry import LockRetry

if TYPE_CHECKING:
    from codecairn.core.types.indexing import IndexReport
    from codecairn.core.types.maintenance import Problem


def examine(
    held: ForkSafeEngine,
    *,
    store: Path,
    lock_retry: LockRetry,
    repair: bool,
    index: "Callable[[], IndexReport]",
) -> "tuple[Problem, ...]":
    """Every problem of the store, mended if asked to, and of the record of texts that ended a process, which stays as it is.

    A database that can't be mended in place is set aside. What can still be read of it goes into a new one, vectors from
    outside and what they cost included; the rest comes from the files, which `index` takes in.
    """
    from codecairn.core.types.maintenance import Problem

    problems = _of_store(held, store=store, lock_retry=lock_retry, repair=repair, index=index)
    if fault := crash_log_fault():
        detail = f"{fault}; no parse is spared that ended a process"
        problems += (Problem(code="crash-log", detail=detail, repaired=False),)
    return problems


def _of_store(
    held: ForkSafeEngine,
    *,
    store: Path,
    lock_retry: LockRetry,
    repair: bool,
    index: "Callable[[], IndexReport]",
) -> "tuple[Problem, ...]":
    try:
        engine = held.opened(create=False)
        if not repair:
            return engine.verify()
        problems = lock_retry.until_free(engine.repair)
        broken = [problem.detail for problem in problems if not problem.repaired]
        if not broken:
            return problems
        detail = f"the store `{store}` is damaged: {broken[0]}"
    except StoreDamaged as err:
        detail = err.message
    if repair:
        detail = f"{detail}; {_rescued(held, store, index=index)}"
    from codecairn.core.types.maintenance import Problem

    return (Problem(code=StoreDamaged.code, detail=detail, repaired=repair),)


def _rescued(held: ForkSafeEngine, store: Path, *, index: "Callable[[], IndexReport]") -> str:
    """Rebuild a sound store; returns in words where the old one is."""
    held.close()
    aside, rows = rescue_store(store, salvaging=True)
    if rows:
        try:
            engine = held.opened(create=True)
            if all(problem.repaired for problem in engine.repair()):
                report = index()
                kept = f"kept {rows:,} of its rows, indexed {report.files} files"
                return f"set aside as `{aside}`, {kept}"
        except StoreDamaged:
            pass
        # What could be read is of no use either.
        held.close()
        rescue_store(store, salvaging=False)
    report = index()
    return f"set aside as `{aside}` and indexed {report.files} files again"
