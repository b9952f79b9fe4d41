"""Runs all questions of a set on a workspace and reports the scores."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from codecairn.clock import Clock, SystemClock
from codecairn.context.pack import Pack
from codecairn.core.engine import git_head
from codecairn.core.requests import SearchFilters
from codecairn.core.types.hits import SearchResult
from codecairn.errors import SymbolAmbiguous
from codecairn.evaluation.questions import Question
from codecairn.evaluation.scores import (
    TOP,
    Answered,
    Found,
    distinct,
    distinct_share,
    judged,
    summary,
)
from codecairn.memory.excerpts import tokens
from codecairn.operations.json_output import plain_document
from codecairn.version import VERSION
from codecairn.workspace.workspace import Workspace

FORMAT = 1
"""The form of reports."""

Report = dict[str, Any]
"""A report as it is written to a file."""


def run(
    workspace: Workspace,
    questions: Sequence[Question],
    *,
    settings: Mapping[str, object] | None = None,
    on_question: Callable[[int, int], None] = lambda _done, _total: None,
    clock: Clock | None = None,
) -> Report:
    """Ask every question once, the index being up to date, and report.

    Args:
        workspace: Where to ask.
        questions: What to ask.
        settings: What differs from the usual settings, for the report.
        on_question: Called before each question with how many are done, and how many there are.
        clock: Measures the answers.
    """
    clock = clock or SystemClock()
    workspace.index()
    workspace.search(questions[0].query, refresh=False)  # the first one loads what all need
    asked = []
    for done, question in enumerate(questions):
        on_question(done, len(questions))
        asked.append(_answered(workspace, question, clock))
    kinds = sorted({each.kind for each in asked if each.kind})
    branch, commit = git_head(workspace.root)
    return {
        "format": FORMAT,
        "codecairn": VERSION,
        "made_ns": clock.now_ns(),
        "branch": branch,
        "commit": commit,
        "settings": dict(settings or {}),
        "questions": len(asked),
        "metrics": summary(asked),
        "by_type": {kind: summary([each for each in asked if each.kind == kind]) for kind in kinds},
        "results": [plain_document(each) for each in asked],
    }


def _answered(workspace: Workspace, question: Question, clock: Clock) -> Answered:
    started_s = clock.monotonic_s()
    answer: SearchResult | Pack | None = None
    with suppress(SymbolAmbiguous):  # an answer that names none is none
        answer = _asked(workspace, question)
    latency_ms = (clock.monotonic_s() - started_s) * 1000
    found: list[Found] = []
    size, route, neighbour = 0, None, None
    if isinstance(answer, Pack):
        found = [
            Found(
                path=each.path,
                name=_name(each.about),
                start_line=each.start_line,
                end_line=each.end_line,
            )
            for each in answer.sections
            if each.start_line
        ]
        size = answer.tokens
        route = answer.route == question.route if question.route else None
        neighbour = _holds(answer, question.neighbour) if question.neighbour else None
    elif answer is not None:
        found = [
            Found(path=hit.path, name=hit.name, start_line=hit.start_line, end_line=hit.end_line)
            for hit in answer.hits
        ]
        size = sum(tokens(hit.text) for hit in answer.hits)
    rank, ndcg10 = judged(question, found)
    return Answered(
        id=question.id,
        query=question.query,
        kind=question.kind,
        mode=question.mode,
        rank=rank,
        ndcg10=round(ndcg10, 4),
        latency_ms=round(latency_ms, 3),
        tokens=size,
        distinct_top3=round(distinct_share(found), 4),
        route_is_right=route,
        has_neighbour=neighbour,
        found=tuple(distinct(found)[:TOP]),
    )


def _asked(workspace: Workspace, question: Question) -> SearchResult | Pack:
    given = question.arguments
    filters = SearchFilters(
        directories=(given["directory"],) if "directory" in given else (),
        globs=(given["glob"],) if "glob" in given else (),
    )
    symbol = given.get("symbol")
    if question.mode == "definition":
        return workspace.define(symbol or question.query, limit=TOP, filters=filters, refresh=False)
    if question.mode == "context":
        return workspace.packs.context(
            question.query, symbol=symbol, limit=TOP, filters=filters, refresh=False
        )
    if question.mode == "edit-context":
        return workspace.packs.edit_context(
            symbol or question.query, query=question.query, refresh=False
        )
    return workspace.search(question.query, limit=TOP, filters=filters, refresh=False)


def _name(about: str) -> str:
    """The name in a section's `kind name, why it is here`."""
    words = about.replace(",", " ").split()
    return words[1] if len(words) > 1 else ""


def _holds(pack: Pack, symbol: str) -> bool:
    return any(symbol in each.about or symbol in each.text for each in pack.sections)
