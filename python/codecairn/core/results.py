"""Converts results of the core to the types of `codecairn.core.types`, each of which is imported when it is first needed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codecairn import _native
    from codecairn.core.options import EngineOptions
    from codecairn.core.types.embedding import OutsideState, Spending
    from codecairn.core.types.freshness import Freshness
    from codecairn.core.types.hits import Contribution, Hit, Span
    from codecairn.core.types.indexing import Crash, IndexPreview, IndexReport, Skip
    from codecairn.core.types.maintenance import GarbageReport, Problem
    from codecairn.core.types.status import Language, Status

WITHOUT_GIT = "@files"
"""What the core calls the branch of a folder without git; here it has no name."""


def report_of(report: "_native.IndexReport") -> "IndexReport":
    """What an indexing run did."""
    from codecairn.core.types.indexing import IndexReport

    return IndexReport(
        branch=_branch(report.branch),
        files=report.files,
        added=report.added,
        modified=report.modified,
        removed=report.removed,
        renamed=report.renamed,
        unchanged=report.unchanged,
        parsed=report.parsed,
        reused=report.reused,
        rejected=report.rejected,
        chunks=report.chunks,
        new_chunks=report.new_chunks,
        embedded=report.embedded,
        pending=report.pending,
        skipped=report.skipped,
        size_bytes=report.bytes,
        seconds=report.seconds,
        diagnostics=report.diagnostics,
        crashed=crashes_of(report.crashed),
    )


def crashes_of(crashed: list[tuple[str, str]]) -> "tuple[Crash, ...]":
    """The files that ended a process."""
    from codecairn.core.types.indexing import Crash

    return tuple(Crash(path=path, signal=signal) for path, signal in crashed)


def preview_of(preview: "_native.IndexPreview") -> "IndexPreview":
    """What an indexing run would do."""
    from codecairn.core.types.indexing import IndexPreview

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


def freshness_of(freshness: "_native.Freshness") -> "Freshness":
    """How far a refresh came."""
    from codecairn.core.types.freshness import Freshness

    return Freshness(
        state=freshness.state,
        changed=freshness.changed,
        unchecked=freshness.unchecked,
        seconds=freshness.seconds,
    )


def skips_of(skips: "Sequence[_native.Skip]") -> "tuple[Skip, ...]":
    """The files that are not indexed."""
    from codecairn.core.types.indexing import Skip

    return tuple(Skip(path=skip.path, reason=skip.reason, detail=skip.detail) for skip in skips)


def status_of(status: "_native.Status", options: "EngineOptions") -> "Status":
    """The state of the index of an engine that was opened with these options."""
    from codecairn.core.types.status import LanguageShare, Status

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
        unparsed=tuple(status.unparsed),
        crashed=crashes_of(status.crashed),
        lossy=tuple(status.lossy),
        store_bytes=status.store_bytes,
        segments=status.segments,
        embedder=status.embedder,
        dimensions=status.dimensions,
        indexed_at_ns=status.indexed_at_ns,
        indexing=status.indexing,
        notes=tuple(status.notes),
    )


def outside_state_of(state: "_native.OutsideState") -> "OutsideState":
    """How far the vectors of an outside space have come."""
    from codecairn.core.types.embedding import OutsideState

    return OutsideState(
        texts=state.texts,
        pending=state.pending,
        failures=tuple(state.failures),
        is_active=state.is_active,
    )


def spending_of(
    rows: Sequence[tuple[str, int, int, int, int]],
) -> "tuple[tuple[str, Spending], ...]":
    """What was paid, by vector space or reranker."""
    from codecairn.core.types.embedding import Spending

    return tuple(
        (name, Spending(requests=requests, texts=texts, tokens=tokens, micro_usd=micro_usd))
        for name, requests, texts, tokens, micro_usd in rows
    )


def hits_of(found: "Sequence[_native.Hit]") -> "tuple[Hit, ...]":
    """The places that were found."""
    from codecairn.core.types.hits import Hit

    return tuple(
        Hit(
            path=hit.path,
            start_line=hit.start_line,
            end_line=hit.end_line,
            kind=hit.kind,
            name=hit.name,
            language=hit.language,
            score=hit.score,
            confidence=hit.confidence,
            text=hit.text,
            context_start_line=hit.context_start_line,
            breadcrumb=hit.breadcrumb,
            contributions=_contributions(hit.contributions),
            spans=tuple(_span(span) for span in hit.spans),
        )
        for hit in found
    )


def _span(span: "_native.HitSpan") -> "Span":
    from codecairn.core.types.hits import Span

    return Span(
        start_line=span.start_line,
        end_line=span.end_line,
        kind=span.kind,
        name=span.name,
        probability=span.probability,
        text=span.text,
        shown=tuple(span.shown),
        contributions=_contributions(span.contributions),
        ways=tuple(map(tuple, span.ways)),
    )


def _contributions(rows: "Sequence[tuple[str, float, float]]") -> "tuple[Contribution, ...]":
    from codecairn.core.types.hits import Contribution

    return tuple(
        Contribution(feature=feature, value=value, part=part) for feature, value, part in rows
    )


def problems_of(found: Sequence["_native.Problem"]) -> "tuple[Problem, ...]":
    """What is wrong with a store."""
    from codecairn.core.types.maintenance import Problem

    return tuple(
        Problem(code=problem.code, detail=problem.detail, repaired=problem.repaired)
        for problem in found
    )


def garbage_of(report: "_native.GarbageReport") -> "GarbageReport":
    """What nothing in a store refers to any more."""
    from codecairn.core.types.maintenance import GarbageReport

    return GarbageReport(
        branches=report.branches,
        worktrees=report.worktrees,
        blobs=report.blobs,
        chunks=report.chunks,
        vectors=report.vectors,
        files=report.files,
        copies=0,
        size_bytes=report.bytes,
    )


def languages_of(rows: Sequence[tuple[str, str, bool]]) -> "tuple[Language, ...]":
    """The languages that files are recognised as."""
    from codecairn.core.types.status import Language

    return tuple(
        Language(id=id_, name=name, has_grammar=has_grammar) for id_, name, has_grammar in rows
    )


def _branch(name: str) -> str:
    return "" if name == WITHOUT_GIT else name
