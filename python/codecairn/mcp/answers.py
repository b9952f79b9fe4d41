"""Results of tools: text for the model, and the same as a JSON document for programs."""

import re
from collections.abc import Sequence
from dataclasses import field, replace
from itertools import accumulate

from codecairn.core.light_dataclass import dataclass
from codecairn.core.store_log import Entry
from codecairn.core.text_format import visible
from codecairn.core.types.hits import Hit, SearchResult
from codecairn.core.types.indexing import IndexPreview, IndexReport, Skip
from codecairn.core.types.maintenance import GarbageReport, Problem
from codecairn.core.types.status import Status
from codecairn.memory.timestamps import written
from codecairn.operations.crash_words import crash_words
from codecairn.operations.json_output import plain_document, preview_document, search_document
from codecairn.search.result_notes import freshness_notes
from codecairn.workspace.metrics import Metrics

MAX_LINES = 80
"""Of one hit: a model that wants more of a file reads it."""

MAX_CHARACTERS = 60_000
"""Of one answer, about 15,000 tokens: hosts cut longer ones, or write them to a file."""

_NAMES_HANDED_ON = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a tool; `is_error` if it is a failure, in words that its clients know."""

    text: str
    document: dict[str, object] = field(default_factory=dict)
    is_error: bool = False


def code_answer(result: SearchResult) -> Answer:
    """Each hit's place and code. Where some have spans these are shown, and the others are named in one line."""
    shown = [hit for hit in result.hits if hit.spans]
    if not shown:
        parts = [_code(at, hit) for at, hit in enumerate(result.hits, start=1)]
    else:
        parts = [_spans(at, hit) for at, hit in enumerate(shown, start=1)]
        parts += _also([hit for hit in result.hits if not hit.spans])
    return _search_answer(result, parts)


def places_answer(result: SearchResult) -> Answer:
    """Each hit's place alone, and the names that an exact search may go on with."""
    lines = [_place(at, hit) for at, hit in enumerate(result.hits, start=1)]
    names = list(
        dict.fromkeys(visible(hit.name) for hit in result.hits if hit.name and len(hit.name) <= 64)
    )
    if names:
        quoted = ", ".join(f"`{name}`" for name in names[:_NAMES_HANDED_ON])
        lines.append(f"\nFor every use of a name, search exactly: {quoted}")
    return _search_answer(result, lines, with_text=False)


def index_answer(report: IndexReport) -> Answer:
    """What indexing did."""
    text = (
        f"{report.files:,} files, {report.chunks:,} chunks: {report.added:,} added, "
        f"{report.modified:,} modified, {report.removed:,} removed, {report.renamed:,} renamed "
        f"in {report.seconds:.2f} s"
    )
    if report.crashed:
        text += f"\n{crash_words(report.crashed)}"
    if report.embedding is not None and report.embedding.stopped:
        text += f"\nembedding stopped: {report.embedding.detail}"
    return Answer(text=text, document=plain_document(report))


def preview_answer(preview: IndexPreview) -> Answer:
    """What indexing would do."""
    text = (
        f"would take in {len(preview.added):,} added and {len(preview.modified):,} modified files, drop "
        f"{len(preview.removed):,}: {preview.chunks:,} chunks, about {preview.tokens:,} tokens"
    )
    if preview.embedding is not None:
        price = preview.embedding.usd
        cost = "an unknown price" if price is None else f"about ${price:.4f}"
        text += f"; {preview.embedding.texts:,} texts to {preview.embedding.destination}, {cost}"
    return Answer(text=text, document=preview_document(preview))


def status_answer(status: Status) -> Answer:
    """The state of the index."""
    lines = [
        f"workspace {status.root}, branch {status.branch or '(none)'}",
        f"{status.files:,} files, {status.chunks:,} chunks, {status.symbols:,} symbols; "
        f"{status.vectors:,} vectors of {status.embedder}",
    ]
    if status.pending:
        lines.append(f"{status.pending:,} texts wait for a vector")
    if status.skipped:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in status.skipped)
        lines.append(f"not indexed: {reasons}")
    if status.unparsed:
        lines.append(
            f"{len(status.unparsed):,} files cut by lines, as parsing would take too much time or memory"
        )
    if status.crashed:
        lines.append(crash_words(status.crashed))
    if status.lossy:
        lines.append(
            f"{len(status.lossy):,} files with a region that can't be parsed, where definitions may be missing"
        )
    lines += [
        f"knowledge base {state.name}: {state.path}, {state.problem or f'{state.files:,} files'}"
        for state in status.knowledge
    ]
    lines += [*status.notes, *(f"sends {text}" for text in status.outgoing)]
    lines += [status.indexing] if status.indexing else []
    return Answer(text="\n".join(lines), document=plain_document(status))


def health_answer(problems: Sequence[Problem], garbage: GarbageReport) -> Answer:
    """What is wrong with the store, and what a collection of garbage would free."""
    found = [f"{problem.code}: {problem.detail}" for problem in problems] or ["nothing is wrong"]
    found.append(
        f"{garbage.blobs:,} contents, {garbage.vectors:,} vectors and {garbage.files:,} files "
        f"({garbage.size_bytes:,} bytes) belong to no branch any more"
    )
    document: dict[str, object] = {
        "problems": [plain_document(problem) for problem in problems],
        "garbage": plain_document(garbage),
    }
    return Answer(text="\n".join(found), document=document)


def skips_answer(skips: Sequence[Skip]) -> Answer:
    """Files that are not indexed, and why."""
    lines = [f"{skip.path}: {skip.reason} {skip.detail}".rstrip() for skip in skips]
    return rows_answer(
        lines, [plain_document(skip) for skip in skips], empty="every file is indexed"
    )


def metrics_answer(metrics: Metrics) -> Answer:
    """How often and how fast things were done."""
    rows = [plain_document(row) for row in metrics.measures]
    lines = [
        f"{row.category}, {row.message}, {row.name}: {row.count:,} times, median {_short(row.median)}, "
        f"p95 {_short(row.p95)}, most {_short(row.greatest)}"
        for row in metrics.measures
    ]
    found = metrics.effectiveness
    if found is not None and found.is_observed:
        opened = ", ".join(f"{name}: {count:,}" for name, count in found.opened.items())
        lines.append(
            f"shown to agents {found.searches:,} times; by place of the best file opened: {opened}"
        )
    answer = rows_answer(lines, rows, empty="nothing was done lately")
    extra = {"effectiveness": plain_document(found)} if found is not None else {}
    return replace(answer, document=answer.document | extra)


def logs_answer(entries: Sequence[Entry]) -> Answer:
    """What was done with the store lately."""
    rows = [plain_document(entry) for entry in entries]
    lines = [
        f"{written(entry.time_ns // 1_000_000)} {entry.level} {entry.category}: {entry.message} "
        f"{' '.join(f'{name}={_short(value)}' for name, value in entry.numbers.items())} {entry.detail}".rstrip()
        for entry in entries
    ]
    return rows_answer(lines, rows, empty="the log is empty")


def rows_answer(lines: Sequence[str], rows: Sequence[dict[str, object]], *, empty: str) -> Answer:
    """A line and a document for each of some things."""
    count = _fitting(lines)
    shown = [*lines[:count], *_left_out(len(lines) - count)]
    return Answer(text="\n".join(shown) or empty, document={"results": list(rows[:count])})


def fitting_lines(lines: Sequence[str]) -> str:
    """As many of the lines as an answer holds, and how many more there are."""
    count = _fitting(lines)
    return "\n".join([*lines[:count], *_left_out(len(lines) - count)])


_NOTHING_FOUND = "try other words, or fewer of `glob`, `dir`, `lang` and `kind`; `codebase_search` finds by meaning"


def _search_answer(result: SearchResult, parts: Sequence[str], *, with_text: bool = True) -> Answer:
    count = _fitting(parts)
    notes = [f"note: {text}" for text in freshness_notes(result)]
    if not result.hits:
        notes.append(_NOTHING_FOUND)
    text = "\n".join([*parts[:count], *notes, *_left_out(len(parts) - count)])
    document = search_document(replace(result, hits=result.hits[:count]), with_text=with_text)
    return Answer(text=text, document=document)


def _fitting(parts: Sequence[str]) -> int:
    """How many of the parts an answer holds; the first in any case, of which `bounded` then shows the beginning."""
    sizes = accumulate(len(part) + 1 for part in parts)
    return max(sum(size <= MAX_CHARACTERS for size in sizes), min(len(parts), 1))


def _left_out(count: int) -> list[str]:
    return [f"{count:,} more left out: ask for less, or narrow the question"] if count else []


def _place(at: int, hit: Hit) -> str:
    place = f"{hit.path}:{hit.start_line}-{hit.end_line}"
    return _header(f"[{at}] {place} {hit.kind}{_named(hit.name)} ({hit.score:.2f})", hit)


def _header(line: str, hit: Hit) -> str:
    """The line of a hit with its base and its blame; a path or a name with a line break stays on it."""
    header = visible(f"{line} [{hit.base}]" if hit.base else line)
    return header if hit.blame is None else f"{header}\n    {visible(hit.blame.line)}"


def _code(at: int, hit: Hit) -> str:
    return f"{_place(at, hit)}\n{_fenced(hit.text, hit.language)}\n"


def _also(hits: Sequence[Hit]) -> list[str]:
    """Files that may have something, too: a line and a name of each."""
    if not hits:
        return []
    places = (f"{hit.path}:{hit.start_line}{_named(hit.name)}" for hit in hits)
    return [visible(f"also: {', '.join(places)}")]


def _spans(at: int, hit: Hit) -> str:
    """The hit's spans between one pair of fences, in order of their lines, each with its place.

    `⋮ 31` stands for lines that are left out before line 31, `⋮ 50-60 method Foo.bar` before the next span, and `⋮ to 60` for
    those up to its end. A line is shown once, and spans that follow one another are shown as one.
    """
    first = hit.spans[0]
    lines: list[str] = []
    following = first.start_line
    seen: set[int] = set()
    for span in hit.spans:
        if span is not first and span.start_line > following:
            place = f"{span.start_line}-{span.end_line} {span.kind}{_named(span.name)}"
            lines.append(visible(f"⋮ {place}"))
            following = span.start_line
        for start, part in span.parts:
            if start in seen:
                continue
            lines += [] if start == following else [f"⋮ {start}"]
            lines += part
            following = start + len(part)
            seen.update(range(start, following))
        if following <= span.end_line:
            lines.append(f"⋮ to {span.end_line}")
    place = f"{hit.path}:{first.start_line}-{first.end_line}"
    header = _header(f"[{at}] {place} {first.kind}{_named(first.name)}", hit)
    return f"{header}\n{_between_fences(lines, hit.language)}\n"


def _named(name: str) -> str:
    return f" {name}" if name else ""


def _fenced(text: str, language: str) -> str:
    lines = text.splitlines()
    more = len(lines) - MAX_LINES
    rest = [f"… {more:,} more lines"] if more > 0 else []
    return _between_fences([*lines[:MAX_LINES], *rest], language)


def _between_fences(lines: Sequence[str], language: str) -> str:
    code = "\n".join(lines)
    longest = max(map(len, re.findall("`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def _short(value: object) -> object:
    return round(value, 3) if isinstance(value, float) else value
