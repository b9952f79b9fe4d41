"""Before a search: an index for the current branch, and what changed taken in."""

from codecairn.config.settings import Settings
from codecairn.engine import Engine, ProgressCallback
from codecairn.errors import IndexLocked, NotIndexed
from codecairn.types import Freshness


def make_ready(
    engine: Engine,
    settings: Settings,
    *,
    refresh: bool | None,
    progress: ProgressCallback | None,
) -> Freshness | None:
    """Index the current branch if it never was, else take in what changed within the budget.

    Returns how far that came; `None` if nobody looked, because `refresh` (or its setting) is off.

    Raises:
        NotIndexed: If the branch has no index and the store can't be written.
        IndexLocked: If the branch has no index and another process is writing.
    """
    if not engine.is_indexed():
        if engine.options.read_only:
            raise NotIndexed(f"`{engine.options.root}` has no index of the current branch yet")
        try:
            report = engine.index(force=False, progress=progress)
        except IndexLocked as err:
            hint = "wait until it is done; before, there is nothing to search"
            raise IndexLocked(err.message, hint=hint) from err
        return Freshness(state="fresh", changed=report.files, unchecked=0, seconds=report.seconds)
    wanted = settings.search_refresh if refresh is None else refresh
    return engine.refresh(budget_ms=settings.search_refresh_budget_ms) if wanted else None
