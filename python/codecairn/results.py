"""What the core reports, as our types."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codecairn.requests import EngineOptions
from codecairn.types import (
    Contribution,
    Hit,
    IndexPreview,
    IndexReport,
    LanguageShare,
    OutsideState,
    Problem,
    Spending,
    Status,
)

if TYPE_CHECKING:
    from codecairn import _native

WITHOUT_GIT = "@files"
"""What the core calls the branch of a folder without git; here it has no name."""


def report_of(report: "_native.IndexReport") -> IndexReport:
    """What an indexing run did."""
    return IndexReport(
        branch=_branch(report.branch),
        files=report.files,
        added=report.added,
        modified=report.modified,
        removed=report.removed,
        renamed=report.renamed,
        unchanged=report.unchanged,
        parsed=report.parsed,
        chunks=report.chunks,
        new_chunks=report.new_chunks,
        embedded=report.embedded,
        pending=report.pending,
        skipped=report.skipped,
        size_bytes=report.bytes,
        seconds=report.seconds,
        diagnostics=report.diagnostics,
    )


def preview_of(preview: "_native.IndexPreview") -> IndexPreview:
    """What an indexing run would do."""
    return IndexPreview(
        branch=_branch(preview.branch),
        added=tuple(preview.added),
        modified=tuple(preview.modified),
        removed=tuple(preview.removed),
        unchanged=preview.unchanged,
        size_bytes=preview.bytes,
        chunks=preview.chunks,
        texts=preview.texts,
        tokens=preview.tokens,
    )


def status_of(status: "_native.Status", options: EngineOptions) -> Status:
    """The state of the index of an engine that was opened with these options."""
    return Status(
        root=str(options.root),
        store=str(options.store),
        branch=_branch(status.branch),
        head=status.head,
        format=status.format,
        generation=status.generation,
        files=status.files,
        blobs=status.blobs,
        chunks=status.chunks,
        texts=status.texts,
        vectors=status.vectors,
        pending=status.pending,
        symbols=status.symbols,
        branches=tuple((_branch(name), files) for name, files in status.branches),
        languages=tuple(
            LanguageShare(language=language, files=files, size_bytes=size_bytes)
            for language, files, size_bytes in status.languages
        ),
        skipped=tuple(status.skipped),
        coarse=status.coarse,
        store_bytes=status.store_bytes,
        segments=status.segments,
        embedder=status.embedder,
        dimensions=status.dimensions,
        indexed_at_ns=status.indexed_at_ns,
        indexing=status.indexing,
        notes=tuple(status.notes),
    )


def outside_state_of(state: "_native.OutsideState") -> OutsideState:
    """How far the vectors of an outside space have come."""
    return OutsideState(
        texts=state.texts,
        pending=state.pending,
        failures=tuple(state.failures),
        is_active=state.is_active,
    )


def spending_of(
    rows: Sequence[tuple[str, int, int, int, int]],
) -> tuple[tuple[str, Spending], ...]:
    """What was paid, by vector space or reranker."""
    return tuple(
        (name, Spending(requests=requests, texts=texts, tokens=tokens, micro_usd=micro_usd))
        for name, requests, texts, tokens, micro_usd in rows
    )


def hit_of(found: "_native.Hit") -> Hit:
    """A place that was found."""
    return Hit(
        path=found.path,
        start_line=found.start_line,
        end_line=found.end_line,
        kind=found.kind,
        name=found.name,
        language=found.language,
        score=found.score,
        text=found.text,
        context_start_line=found.context_start_line,
        breadcrumb=found.breadcrumb,
        contributions=tuple(
            Contribution(feature=feature, value=value, part=part)
            for feature, value, part in found.contributions
        ),
    )


def problems_of(found: Sequence["_native.Problem"]) -> tuple[Problem, ...]:
    """What is wrong with a store."""
    return tuple(
        Problem(code=problem.code, detail=problem.detail, repaired=problem.repaired)
        for problem in found
    )


def _branch(name: str) -> str:
    return "" if name == WITHOUT_GIT else name
