"""What is wrong with a store, and mending it."""

from collections.abc import Callable
from pathlib import Path

from codecairn.errors import StoreDamaged
from codecairn.indexing.held import HeldEngine
from codecairn.indexing.patience import Patience
from codecairn.types import IndexReport, Problem


def examine(
    held: HeldEngine,
    *,
    patience: Patience,
    repair: bool,
    anew: Callable[[], tuple[Path, IndexReport]],
) -> tuple[Problem, ...]:
    """Every problem of the store, mended if asked to.

    `anew` sets a database that can't be read at all aside and indexes anew; it tells where the old one went.
    """
    try:
        engine = held.opened(create=False)
        return patience.until_free(engine.repair) if repair else engine.verify()
    except StoreDamaged as err:
        detail = err.message
        if repair:
            aside, report = anew()
            detail = f"{detail}; set aside as `{aside}` and indexed {report.files} files anew"
        return (Problem(code="store-damaged", detail=detail, repaired=repair),)
