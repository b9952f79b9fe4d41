"""The JSON documents of results, for `--json`, `--jsonl` and tools. Scripts and agents depend on their keys."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codecairn.context.answer import Answer
    from codecairn.core.types.hits import Hit, SearchResult, Span
    from codecairn.core.types.indexing import IndexPreview
    from codecairn.core.types.memory import Event, Fact
    from codecairn.core.types.provenance import Blame


def search_document(
    result: "SearchResult", *, with_text: bool = True, explain: bool = False
) -> dict[str, object]:
    """The document of a search."""
    return {
        "query": result.query,
        "branch": result.branch,
        "stale": list(result.stale),
        "unchecked": result.unchecked,
        "confidence": _rounded(result.confidence),
        "results": list(hit_documents(result, with_text=with_text, explain=explain)),
    }


def hit_documents(
    result: "SearchResult", *, with_text: bool = True, explain: bool = False
) -> Iterator[dict[str, object]]:
    """The document of each hit, with whether its file changed since it was indexed."""
    stale = frozenset(result.stale)
    for hit in result.hits:
        document = hit_document(hit, with_text=with_text, explain=explain)
        yield document | {"stale": hit.path in stale}


def hit_document(hit: "Hit", *, with_text: bool = True, explain: bool = False) -> dict[str, object]:
    """The document of one hit."""
    document: dict[str, object] = {
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "kind": hit.kind,
        "name": hit.name,
        "language": hit.language,
        "score": round(hit.score, 6),
        "confidence": _rounded(hit.confidence),
    }
    if hit.base:
        document["base"] = hit.base
    if hit.blame is not None:
        document["blame"] = blame_document(hit.blame)
    if with_text:
        document["text"] = hit.text
    if hit.spans:
        document["spans"] = [span_document(span, hit, with_text=with_text) for span in hit.spans]
    if explain:
        document["contributions"] = [
            {"feature": part.feature, "value": round(part.value, 6), "part": round(part.part, 6)}
            for part in hit.contributions
        ]
    return document


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def span_document(span: "Span", hit: "Hit", *, with_text: bool) -> dict[str, object]:
    """The document of a span; its text is left out where it is that of the hit itself."""
    document: dict[str, object] = {
        "start_line": span.start_line,
        "end_line": span.end_line,
        "kind": span.kind,
        "name": span.name,
        "probability": round(span.probability, 6),
        "shown": [{"start_line": first, "end_line": last} for first, last in span.shown],
    }
    if with_text and span.text != hit.text:
        document["text"] = span.text
    return document


def blame_document(blame: "Blame") -> dict[str, object]:
    """The document of who changed a hit last; without a commit, all of it is empty."""
    return {
        "commit": blame.commit,
        "author": blame.author,
        "email": blame.email,
        "date": blame.date,
        "summary": blame.summary,
        "commits": blame.commits,
        "is_boundary": blame.is_boundary,
    }


PAIRS: Mapping[str, tuple[str, str]] = {
    "Status.branches": ("branch", "files"),
    "Status.skipped": ("reason", "files"),
    "Status.spending": ("space", "spending"),
    "Uses.counts": ("role", "count"),
    "UnusedSymbols.kept": ("reason", "count"),
    "Pack.left_out": ("title", "count"),
    "WorkPlan.destinations": ("address", "model"),
    "MemoryStatus.types": ("type", "count"),
}
"""The keys of fields whose values are pairs in Python, by class and field: a document has objects instead."""


def plain_document(data: object) -> dict[str, object]:
    """The document of any other result: its fields by name."""
    if not dataclasses.is_dataclass(data) or isinstance(data, type):
        message = f"no document for {type(data).__name__}"
        raise TypeError(message)
    return {
        field.name: _plain_field(f"{type(data).__name__}.{field.name}", getattr(data, field.name))
        for field in dataclasses.fields(data)
    }


def _plain_field(name: str, value: Any) -> object:  # noqa: ANN401 - any field
    keys = PAIRS.get(name)
    if keys is None:
        return _plain(value)
    return [dict(zip(keys, map(_plain, pair), strict=True)) for pair in value]


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value):
        return plain_document(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_plain, value)]
    return value


def preview_document(preview: "IndexPreview", *, with_files: bool = False) -> dict[str, object]:
    """The document of what indexing would do; without files it has their numbers instead of their paths."""
    document = plain_document(preview)
    if not with_files:
        for name in ("added", "modified", "removed"):
            document[name] = len(getattr(preview, name))
    return document


def record_document(record: "Fact | Event") -> dict[str, object]:
    """The document of a fact or an event of the memory, with what it is called."""
    return {"id": record.id} | plain_document(record)


def answer_document(answer: "Answer") -> dict[str, object]:
    """The document of an answer, with what it covers."""
    coverage = [
        {"name": each.name, "is_covered": each.is_covered, "sources": list(each.sources)}
        for each in answer.aspects
    ]
    return {
        "question": answer.question,
        "profile": answer.profile,
        "token_budget": answer.token_budget,
        "tokens": answer.tokens,
        "pieces": [plain_document(piece) for piece in answer.pieces],
        "coverage": coverage,
        "unknown_words": list(answer.unknown_words),
        "searches": answer.searches,
        "notes": list(answer.notes),
    }
