"""The page *Index*: what it holds and leaves out, how it grew, what it costs, what failed, and a button that tries again."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from codecairn.core.store_log import Entry
from codecairn.core.text_format import amount
from codecairn.core.types.indexing import Skip
from codecairn.errors import CodecairnError
from codecairn.operations import index_operations
from codecairn.web.page import page_number, query, redirect, render, session, workspace_of
from codecairn.web.sessions import Notice, Session
from codecairn.workspace.workspace import Workspace

SKIPS = 100
"""Files that are not indexed, on a page."""

_RUNS = 60
_FAILURES = 30
_LANGUAGES = 20
_READ = 5_000
_WAIT_S = 1.5
"""How long a change waits for an index run to end before it answers that the run goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """An index run of the log: when it ended, and how many files and new chunks there were in what time."""

    ended_ms: int
    files: int
    changed: int
    new_chunks: int
    seconds: float


def index(request: Request) -> Response:
    """The state of the selected project's index."""
    project, workspace = workspace_of(request)
    status = index_operations.status(workspace)
    entries = workspace.logs(limit=_READ) if status.indexed_at_ns else ()
    reason = request.query_params.get("reason", "")
    skips = workspace.skips() if status.indexed_at_ns else ()
    number = page_number(request)
    shown, has_more = _page([each for each in skips if not reason or each.reason == reason], number)
    largest = sorted(status.languages, key=lambda share: -share.size_bytes)
    return render(
        request,
        "index.html",
        section="Index",
        project=project,
        state=status,
        languages=largest[:_LANGUAGES],
        more_languages=len(largest) - _LANGUAGES,
        total_bytes=sum(share.size_bytes for share in largest),
        reasons=Counter(each.reason for each in skips).most_common(),
        reason=reason,
        skips=shown,
        number=number,
        has_more=has_more,
        address=query("/index", project=project.key, reason=reason) + "&",
        runs=_runs(entries)[:_RUNS],
        failures=[each for each in reversed(entries) if each.level in {"warn", "error"}][
            :_FAILURES
        ],
        searches=_searches(entries),
    )


def _page(skips: Sequence[Skip], number: int) -> tuple[Sequence[Skip], bool]:
    first = (number - 1) * SKIPS
    return skips[first : first + SKIPS], len(skips) > first + SKIPS


def _runs(entries: Sequence[Entry]) -> list[Run]:
    """The index runs of a log, the newest first."""
    return [
        Run(
            ended_ms=entry.time_ns // 1_000_000,
            files=int(entry.numbers["files"]),
            changed=int(
                sum(entry.numbers.get(name, 0) for name in ("added", "modified", "removed"))
            ),
            new_chunks=int(entry.numbers.get("new_chunks", 0)),
            seconds=entry.numbers.get("total_s", 0.0),
        )
        for entry in reversed(entries)
        if entry.category == "index" and "files" in entry.numbers
    ]


def _searches(entries: Sequence[Entry]) -> tuple[int, float, float] | None:
    """How many searches the log has, and the median and the 95th percentile of their times in seconds."""
    times = sorted(
        entry.numbers["total_s"]
        for entry in entries
        if entry.category == "search" and "total_s" in entry.numbers
    )
    if not times:
        return None
    return len(times), times[len(times) // 2], times[min(len(times) * 95 // 100, len(times) - 1)]


def update(request: Request) -> Response:
    """Index the project, also what failed before; a long run goes on behind the page."""
    project, workspace = workspace_of(request)
    known = session(request)
    runner = threading.Thread(
        target=_index,
        args=(workspace, known, project.name),
        daemon=True,
        name="codecairn-web-index",
    )
    runner.start()
    runner.join(_WAIT_S)
    notice = Notice(f"{project.name} is being indexed") if runner.is_alive() else None
    return redirect(request, query("/index", project=project.key), notice)


def _index(workspace: Workspace, known: Session, name: str) -> None:
    """Index, and leave the result for the next page of the session."""
    try:
        report = workspace.index(wait=False)
        changed = report.added + report.modified + report.removed
        text = (
            f"{name}: {amount(report.files, 'file')} indexed, {changed:,} of them changed, "
            f"{amount(report.new_chunks, 'new chunk')}"
        )
        known.notices.append(Notice(text))
    except CodecairnError as err:
        hint = f"; {err.hint}" if err.hint else ""
        known.notices.append(Notice(f"{name} was not indexed: {err.message}{hint}", is_error=True))


def check(request: Request) -> Response:
    """Look for damage in the store, and repair what can be repaired."""
    project, workspace = workspace_of(request)
    problems = workspace.doctor(repair=True)
    if problems:
        words = "; ".join(
            f"{each.code}: {each.detail} ({'repaired' if each.repaired else 'damaged'})"
            for each in problems[:5]
        )
        notice = Notice(words, is_error=not all(each.repaired for each in problems))
    else:
        notice = Notice("the store is sound")
    return redirect(request, query("/index", project=project.key), notice)


ROUTES = (
    Route("/index", index),
    Route("/index/update", update, methods=["POST"]),
    Route("/index/check", check, methods=["POST"]),
)
