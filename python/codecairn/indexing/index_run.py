"""A full run of indexing: changes are taken in, then texts without a vector are embedded remotely."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from codecairn.core.engine import Engine, ProgressCallback
from codecairn.indexing.lock_retry import LockRetry, Notify
from codecairn.indexing.logged_index import index_recorded
from codecairn.indexing.store_opening import Opening

if TYPE_CHECKING:
    from codecairn.core.types.embedding import EmbeddingReport
    from codecairn.core.types.indexing import IndexReport
    from codecairn.indexing.logged_index import IndexRun


def index_completely(
    engine: Engine,
    opening: Opening,
    *,
    lock_retry: LockRetry,
    progress: ProgressCallback | None,
    force: bool,
    paths: Sequence[str] | None,
    run: "IndexRun | None" = None,
) -> "IndexReport":
    """Bring the index up to date, of `paths` alone if given, and embed texts remotely if a provider is configured.

    `run` indexes in the place of the engine.

    Failures of the provider do not raise: the report tells them.

    Raises:
        IndexLocked: If another process still writes after the wait.
        Cancelled: If Ctrl-C or the like stopped it.
    """
    report = index_recorded(
        engine,
        opening,
        category="index",
        lock_retry=lock_retry,
        progress=progress,
        force=force,
        paths=paths,
        run=run,
    )
    if opening.choice.obstacle is not None:
        from codecairn.core.types.embedding import EmbeddingReport

        obstacle = opening.choice.obstacle
        embedding = EmbeddingReport(
            space="",
            destination="nowhere",
            stopped="provider",
            detail=f"{obstacle.message}; {obstacle.hint}",
        )
        return replace(report, embedding=embedding)
    if opening.choice.plan is None:
        return report
    embedding = embed_recorded(engine, opening, notify=lock_retry.notify, progress=progress)
    return replace(report, pending=embedding.pending, embedding=embedding)


def embed_recorded(
    engine: Engine,
    opening: Opening,
    *,
    notify: Notify | None,
    progress: ProgressCallback | None,
) -> "EmbeddingReport":
    """Have the texts that wait embedded by whom the settings choose, with what that took written to the log.

    Raises:
        Cancelled: If Ctrl-C or the like stopped it.
    """
    from codecairn.indexing.remote_embedding import drain

    assert opening.choice.plan is not None
    with opening.logbook(engine).timed("index", "embed outside") as numbers:
        embedding = drain(
            engine, opening.choice.plan, opening.settings, notify=notify, progress=progress
        )
        for name in ("embedded", "failed", "pending"):
            numbers[name] = getattr(embedding, name)
        for name in ("requests", "tokens", "usd"):
            numbers[name] = getattr(embedding.spending, name)
    return embedding
