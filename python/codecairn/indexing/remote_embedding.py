"""Embeds the texts of a branch remotely: one process at a time for a store, with the vectors published at the end."""

import math
from collections.abc import Sequence

from codecairn.config.settings import Settings
from codecairn.core.engine import Engine, ProgressCallback
from codecairn.core.types.embedding import Delivery, EmbeddingReport, Spending
from codecairn.embedding import text_queue
from codecairn.embedding.plan import Plan
from codecairn.indexing.lock_retry import LockRetry, Notify

_UNTIL_TAKEN = LockRetry(wait_s=math.inf)
"""What came has been paid for: it is not given up because another process writes."""


class _BranchTexts:
    """The texts of the engine's branch as a queue."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def waiting_hashes(self) -> list[bytes]:
        return self._engine.waiting_hashes()

    def waiting_texts(self, hashes: Sequence[bytes]) -> list[tuple[bytes, str]]:
        return self._engine.waiting_texts(hashes)

    def deliver(self, delivery: Delivery) -> None:
        _UNTIL_TAKEN.until_free(lambda: self._engine.deliver(delivery))

    def spending(self) -> Sequence[tuple[str, Spending]]:
        return self._engine.spending()


def drain(
    engine: Engine,
    plan: Plan,
    settings: Settings,
    *,
    notify: Notify | None = None,
    progress: ProgressCallback | None = None,
) -> EmbeddingReport:
    """Have all texts of the branch embedded that wait for a vector.

    Failures of the provider do not raise: the report has them. What was embedded before stays.

    Raises:
        Cancelled: If Ctrl-C or the like stopped it.
    """
    if not engine.start_draining():
        return EmbeddingReport(
            space=plan.space,
            destination=plan.destination,
            pending=engine.outside_state().pending,
            stopped="busy",
            detail="another process is having these texts embedded",
        )
    try:
        report = text_queue.drain(
            _BranchTexts(engine), plan, settings, notify=notify, progress=progress
        )
        if report.embedded or not engine.uses_outside():
            _UNTIL_TAKEN.until_free(engine.publish_vectors)
        return report
    finally:
        engine.stop_draining()
