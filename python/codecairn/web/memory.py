"""The page *Memory*: what is remembered of a project, found by search or by type and state, and each fact in full.

Nothing that is private is sent to a browser; the command line shows it.
"""

from dataclasses import dataclass
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from codecairn.core.types.memory import FACT_TYPES, AnchorStatus, Event, Fact, Recalled, Why
from codecairn.errors import UsageError
from codecairn.memory.memory import Memory
from codecairn.memory.review import CONFIRMED, is_provisional
from codecairn.operations.maintenance_operations import MAINTENANCE_OPERATIONS
from codecairn.operations.memory_operations import MEMORY_OPERATIONS
from codecairn.web.page import page_number, query, render, render_streamed, site, workspace_of

PAGE_SIZE = 50
"""Facts on one page of a list."""

STATES = ("live", "pinned", "provisional", "ended", "forgotten", "all")
"""Which facts a list shows: those that hold, of these the pinned or the unconfirmed, those that others ended, those that
a person forgot, or all versions but of the forgotten."""

_MAX_LISTED = 20_000
_MAX_FOUND = 100
_REVIEWED = 50


@dataclass(frozen=True, slots=True)
class Row:
    """A fact or an event in a list, with the state of the code that it speaks of."""

    fact: Fact | None
    event: Event | None
    standing: AnchorStatus
    score: float | None = None


def public_fact(memory: Memory, id_: str) -> Fact:
    """The current version of a fact that may be shown.

    Raises:
        UsageError: If there is none, or it is private: both in the same words.
    """
    versions = memory.engine().fact(id_)
    if not versions or versions[0].is_private:
        raise UsageError(
            f"there is no fact `{id_}` that may be shown here",
            hint="`codecairn memory get` shows private ones",
        )
    return versions[0]


def memory_page(request: Request) -> Response:
    """The facts of a project, or what answers a question."""
    project, workspace = workspace_of(request)
    given = request.query_params
    wanted = {name: given.get(name, "") for name in ("q", "type", "state")}
    number = page_number(request)
    remark, has_more = "", False
    if wanted["q"].strip():
        found = MEMORY_OPERATIONS["search"].run(
            workspace,
            query=wanted["q"],
            limit=_MAX_FOUND,
            types=(wanted["type"],) if wanted["type"] else (),
            with_history=wanted["state"] in {"ended", "all"},
        )
        remark = " ".join((found.remark, *found.notes))
        rows = [_row(each) for each in found.results]
    else:
        facts, has_more = listed(workspace.memory, wanted["type"], wanted["state"], number)
        standings = workspace.memory.standings(*facts)
        rows = [Row(fact, None, standing) for fact, standing in zip(facts, standings, strict=True)]
    status = workspace.memory.status()
    return render(
        request,
        "memory.html",
        section="Memory",
        tab="Facts",
        project=project,
        projects=site(request).projects.all(),
        rows=rows,
        remark=remark,
        wanted=wanted,
        types=FACT_TYPES,
        states=STATES,
        status=status,
        counts=sorted(status.types, key=lambda each: -each[1]),
        number=number,
        has_more=has_more,
        address=query(
            "/memory", project=project.key, type=wanted["type"], state=wanted["state"]
        ) + "&",
    )  # fmt: skip


def listed(memory: Memory, type_: str, state: str, number: int) -> tuple[list[Fact], bool]:
    """One page of the facts of a type and a state, the newest first, and whether there are more."""
    first = (number - 1) * PAGE_SIZE
    types = (type_,) if type_ else ()
    if state in {"", "live"}:
        facts = list(memory.list(limit=first + PAGE_SIZE + 1, types=types))
    elif state == "all":
        facts = list(memory.list(limit=first + PAGE_SIZE + 1, types=types, with_history=True))
    else:
        is_ended, is_forgotten = state == "ended", state == "forgotten"
        everything = memory.list(
            limit=_MAX_LISTED, types=types, with_history=is_ended, forgotten=is_forgotten
        )
        tests = {
            "ended": lambda fact: fact.state == "superseded",
            "pinned": lambda fact: fact.is_pinned,
            "provisional": is_provisional,
        }
        facts = [fact for fact in everything if tests.get(state, lambda _: True)(fact)]
    return facts[first : first + PAGE_SIZE], len(facts) > first + PAGE_SIZE


def _row(found: Recalled) -> Row:
    return Row(found.fact, found.event, found.standing, found.evidence)


def fact_page(request: Request) -> Response:
    """A fact in full: where it comes from, its versions, the code that it speaks of, and when it was shown."""
    project, workspace = workspace_of(request)
    given = request.query_params
    fact = public_fact(workspace.memory, given.get("id", ""))
    asked = given.get("query", "").strip()
    why: Why = MEMORY_OPERATIONS["why"].run(workspace, id=fact.id, query=asked or None)
    return render(
        request,
        "fact.html",
        section="Memory",
        tab="Facts",
        project=project,
        fact=fact,
        versions=[each for each in why.versions if not each.is_private],
        sources=[each for each in why.sources if not each.is_private],
        standing=why.standing,
        shown=why.shown,
        asked=asked,
        rank=why.rank,
        found=why.found,
        is_confirmed=CONFIRMED in fact.tags,
        types=FACT_TYPES,
    )


def review_page(request: Request) -> Response:
    """The facts that a person should look at."""
    project, workspace = workspace_of(request)
    return render_streamed(
        request,
        "review.html",
        section="Memory",
        tab="Review",
        project=project,
        projects=site(request).projects.all(),
        find_items=partial(MAINTENANCE_OPERATIONS["review"].run, workspace, limit=_REVIEWED),
    )


ROUTES = (
    Route("/memory", memory_page),
    Route("/memory/fact", fact_page),
    Route("/memory/review", review_page),
)
