"""The page *Code*: search, with what each result's score is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from codecairn.core.options import KINDS
from codecairn.core.requests import SearchFilters, SearchRequest
from codecairn.core.types.hits import Contribution, Hit
from codecairn.search.excerpt import QueryWords, make_excerpt, numbered_lines
from codecairn.search.result_notes import freshness_notes
from codecairn.web.code_color import colored_lines
from codecairn.web.page import render, selected_project, site

SHOWN = 20
"""Results on a page; a better question finds more than a longer list."""

_MAX_LINES = 12
_MAX_QUERY = 2_000
_HUBS = 8
_MAX_BARS = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLine:
    """A line of code: its number, its HTML, and whether lines are left out before it."""

    number: int
    html: Markup
    follows_gap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A feature's part of a score, as a bar from the middle to the left or the right.

    `start` and `width` are thousandths of the axis.
    """

    feature: str
    value: float
    part: float
    start: int
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A hit as it is shown."""

    hit: Hit
    lines: Sequence[ShownLine]
    bars: Sequence[Bar]
    is_stale: bool


def code(request: Request) -> Response:
    """The search; without a question, what the index holds."""
    project = selected_project(request)
    given = request.query_params
    question = given.get("q", "").strip()[:_MAX_QUERY]
    if project is None:
        return render(request, "code.html", section="Code", project=None, projects=())
    workspace = site(request).projects.workspace(project)
    shared: dict[str, Any] = {
        "section": "Code",
        "project": project,
        "projects": site(request).projects.all(),
        "question": question,
        "kinds": KINDS,
        "kind": given.get("kind", ""),
        "language": given.get("lang", ""),
        "folder": given.get("dir", ""),
        "explain": given.get("explain", "") == "1",
    }
    status = workspace.status()
    languages = [share.language for share in status.languages]
    if not question:
        hubs = workspace.graph.hubs(limit=_HUBS, refresh=False).hubs if status.files else ()
        return render(
            request, "code.html", languages=languages, state=status, hubs=hubs,
            results=(), notes=(), **shared,
        )  # fmt: skip
    asked = SearchRequest(
        question,
        limit=SHOWN,
        explain=bool(shared["explain"]),
        filters=SearchFilters(
            kinds=_given(given.get("kind", "")),
            languages=_given(given.get("lang", "")),
            directories=_given(given.get("dir", "")),
        ),
    )
    result = workspace.search_quoted(asked)
    words = QueryWords(question)
    stale = frozenset(result.stale)
    parts = (abs(each.part) for hit in result.hits for each in hit.contributions)
    greatest = max(parts, default=0.0) or 1.0
    results = [
        Result(
            hit=hit,
            lines=_excerpt(hit, words),
            bars=_bars(hit.contributions, greatest),
            is_stale=hit.path in stale,
        )
        for hit in result.hits
    ]
    return render(
        request, "code.html", languages=languages, state=status, hubs=(), results=results,
        notes=freshness_notes(result), **shared,
    )  # fmt: skip


def _given(value: str) -> tuple[str, ...]:
    return (value,) if value else ()


def _excerpt(hit: Hit, words: QueryWords) -> list[ShownLine]:
    """The lines of a hit that match best, coloured as a part of the whole."""
    colored = colored_lines(hit.text.split("\n"), language=hit.language, words=words)
    chosen = make_excerpt(numbered_lines(hit), name=hit.name, words=words, max_lines=_MAX_LINES)
    return [
        ShownLine(
            number=line.number,
            html=colored[line.number - hit.context_start_line],
            follows_gap=line.follows_gap,
        )
        for line in chosen
        if 0 <= line.number - hit.context_start_line < len(colored)
    ]


def _bars(parts: Sequence[Contribution], greatest: float) -> list[Bar]:
    """The greatest parts by size; half of the axis is the greatest part of all results."""
    ordered = sorted((each for each in parts if each.part), key=lambda each: -abs(each.part))
    bars = []
    for each in ordered[:_MAX_BARS]:
        width = max(round(500 * abs(each.part) / greatest), 2)
        start = 500 if each.part > 0 else 500 - width
        bars.append(
            Bar(feature=each.feature, value=each.value, part=each.part, start=start, width=width)
        )
    return bars


ROUTES = (Route("/code", code),)
