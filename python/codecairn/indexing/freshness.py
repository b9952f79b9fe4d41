"""Prepares an index for a search: indexes the current branch if it is new, and takes in changes."""

from codecairn.config.setting import MAX_NUMBER
from codecairn.config.settings import Settings
from codecairn.core.engine import Engine, ProgressCallback
from codecairn.core.types.freshness import Freshness
from codecairn.errors import IndexLocked, NotIndexed, UsageError
from codecairn.indexing.lock_retry import LockRetry


def make_ready(
    engine: Engine,
    settings: Settings,
    *,
    refresh: bool | None,
    progress: ProgressCallback | None,
    lock_retry: LockRetry,
) -> Freshness | None:
    """Index the current branch if it never was, else take in what changed within the budget.

    A first index by another process is waited for. Returns the freshness; `None` if no file was checked,
    because `refresh` (or its setting) is off.

    Raises:
        NotIndexed: If the branch has no index and the store can't be written.
        IndexLocked: If the branch has no index, and another process still writes after the wait.
    """
    first: Freshness | None = None
    if not engine.is_indexed():
        if engine.options.read_only:
            raise NotIndexed(f"`{engine.options.root}` has no index of the current branch yet")
        first = _first_index(engine, progress=progress, lock_retry=lock_retry)
    if first is not None and first.state == "fresh":
        return first
    wanted = settings.search_refresh if refresh is None else refresh
    return engine.refresh(budget_ms=settings.search_refresh_budget_ms) if wanted else None


def refresh_within(engine: Engine, budget_ms: int | None) -> Freshness:
    """Take in what changed, for at most so many milliseconds if a budget is given.

    Raises:
        UsageError: If the budget is less than nothing.
    """
    if budget_ms is not None and budget_ms < 0:
        raise UsageError(f"the budget is {budget_ms} ms", hint="give 0 or more")
    return engine.refresh(budget_ms=None if budget_ms is None else min(budget_ms, MAX_NUMBER))


def _first_index(
    engine: Engine, *, progress: ProgressCallback | None, lock_retry: LockRetry
) -> Freshness:
    """Index the current branch, or wait until another process has indexed it."""

    def make() -> Freshness:
        report = engine.index(force=False, progress=progress)
        return Freshness(state="fresh", changed=report.files, unchecked=0, seconds=report.seconds)

    def made_by_another() -> Freshness | None:
        is_there = engine.is_indexed()
        return Freshness(state="locked", changed=0, unchecked=0, seconds=0.0) if is_there else None

    try:
        return lock_retry.until_free(make, instead=made_by_another)
    except IndexLocked as err:
        hint = "wait until it is done; before, there is nothing to search"
        raise IndexLocked(err.message, hint=hint) from err
