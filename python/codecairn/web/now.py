"""The page *Now*: what happens in all projects, live, and the timeline of a session."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from codecairn.core.types.memory import Event, Fact, Injection
from codecairn.errors import CodecairnError
from codecairn.memory.memory import Memory
from codecairn.web.feed import KINDS, Filter, Item, newest_of
from codecairn.web.page import (
    Site,
    page_number,
    part,
    query,
    render,
    render_streamed,
    site,
    workspace_of,
)

SHOWN = 80
"""Items that the page begins with."""

_EVENTS = 100
_SESSIONS = 50
_HEARTBEAT_S = 15.0


@dataclass(frozen=True, slots=True)
class Feed:
    """What the feed begins with.

    Attributes:
        items: The newest items that pass the filter.
        problems: What is wrong with projects that can't be read.
        hosts: The hosts that have items.
        stream: Where the items after them come from.
    """

    items: Sequence[Item]
    problems: Sequence[str]
    hosts: Sequence[str]
    stream: str


def now(request: Request) -> Response:
    """The newest activity of all projects.

    The first page after the start opens every project, so the head of the page is sent before the feed is read.
    """
    own = site(request)
    wanted = _filter(request)
    return render_streamed(
        request,
        "now.html",
        section="Now",
        tab="Live",
        wanted=wanted,
        kinds=KINDS,
        projects=own.projects.all(),
        feed=partial(_feed, own, wanted),
    )


def _feed(own: Site, wanted: Filter) -> Feed:
    mark = own.feed.mark()
    items, problems = newest_of(own.projects, wanted, limit=SHOWN)
    everything = items if wanted == Filter() else newest_of(own.projects, Filter(), limit=SHOWN)[0]
    address = query(
        "/now/stream", after=mark or "0", project=wanted.project, host=wanted.host,
        session=wanted.session, kind=wanted.kind,
    )  # fmt: skip
    hosts = sorted({item.host for item in everything if item.host})
    return Feed(items, problems, hosts, address)


async def stream(request: Request) -> Response:
    """New items as server-sent events, each the HTML of a line."""
    hub = site(request).feed
    await run_in_threadpool(hub.mark)
    subscription = hub.subscribe(_filter(request), after=_after(request))
    if subscription is None:
        return PlainTextResponse("too many pages are open\n", 503)

    async def messages() -> AsyncIterator[str]:
        try:
            yield ": open\n\n"
            while True:
                try:
                    entry = await asyncio.wait_for(subscription.queue.get(), _HEARTBEAT_S)
                except asyncio.TimeoutError:
                    yield ": still here\n\n"
                    continue
                if entry is None:
                    return
                yield _message(request, *entry)
        finally:
            hub.unsubscribe(subscription)

    return StreamingResponse(messages(), media_type="text/event-stream")


def _message(request: Request, number: int, item: Item) -> str:
    html = part(request, "feed_item.html", item=item, is_new=True)
    data = "\n".join(f"data: {line}" for line in html.splitlines())
    return f"id: {number}\n{data}\n\n"


def _after(request: Request) -> int:
    text = request.headers.get("last-event-id", "") or request.query_params.get("after", "")
    return int(text) if text.isdecimal() and len(text) < 16 else 0


def _filter(request: Request) -> Filter:
    given = request.query_params
    return Filter(
        project=given.get("project", ""),
        host=given.get("host", ""),
        session=given.get("session", ""),
        kind=given.get("kind", ""),
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """What an agent was shown at once, with what the items are called.

    Attributes:
        injection: What was shown, where and when.
        prompt: The prompt that it was shown with; empty if there was none.
        items: Id, version, title, and whether the item is a fact; without a title if it is private, forgotten or purged.
    """

    injection: Injection
    prompt: str
    items: tuple[tuple[str, int, str, bool], ...]


def sessions_page(request: Request) -> Response:
    """The sessions of a project, the newest first."""
    project, workspace = workspace_of(request)
    number = page_number(request)
    last = number * _SESSIONS
    found = workspace.memory.sessions(limit=last + 1)
    return render(
        request,
        "sessions.html",
        section="Now",
        tab="Sessions",
        project=project,
        projects=site(request).projects.all(),
        sessions=found[last - _SESSIONS : last],
        number=number,
        has_more=len(found) > last,
    )


def session_page(request: Request) -> Response:
    """A session as a timeline: its events, and what the agent was shown between them."""
    project, workspace = workspace_of(request)
    memory = workspace.memory
    id_ = request.query_params.get("id", "")
    found = memory.session(id_)
    own = next((each for each in found if each.id == id_), found[0])
    before = request.query_params.get("before", "")
    last = int(before) if before.isdecimal() and len(before) < 16 else None
    events = memory.events(session=own.id, before=last, limit=_EVENTS + 1)
    has_earlier = len(events) > _EVENTS
    events = events[:_EVENTS]
    return render(
        request,
        "session.html",
        section="Now",
        project=project,
        own=own,
        others=[each for each in found if each.id != own.id],
        entries=_timeline(memory, own.id, events, is_last=last is None, is_first=not has_earlier),
        earlier=events[-1].seq if has_earlier else None,
    )


def _timeline(
    memory: Memory, session: str, events: tuple[Event, ...], *, is_last: bool, is_first: bool
) -> list[Event | Shown]:
    """Events and what was shown after each of them, the oldest first."""
    if not events and not is_first:
        return []
    first = 0 if is_first or not events else events[-1].seq
    last = events[0].seq if events else 0
    injections = [
        each
        for each in memory.engine().injections(session)
        if each.seq >= first and (is_last or each.seq <= last) and each.items
    ]
    in_order = events[::-1]
    entries: list[tuple[int, int, int, Event | Shown]] = [
        (event.seq, 0, event.ts_ms, event) for event in in_order
    ]
    for each in injections:
        seq = _cause(each, in_order)
        prompt = next((event.body for event in events if event.role == "user" and event.seq <= seq), "")  # fmt: skip
        shown = Shown(each, prompt, _items(memory, each))
        entries.append((seq, 1, each.ts_ms, shown))
    entries.sort(key=lambda entry: entry[:3])
    return [entry[-1] for entry in entries]


def _cause(injection: Injection, events: Sequence[Event]) -> int:
    """The number of the event that something was shown for.

    A hook builds the context of an event that it has received and records only afterwards: then it is the next event.
    """
    role = "user" if injection.placement == "volatile" else "system"
    following = next((event for event in events if event.seq > injection.seq), None)
    is_cause = (
        following is not None and following.role == role and following.ts_ms <= injection.ts_ms
    )
    return following.seq if following is not None and is_cause else injection.seq


def _items(memory: Memory, injection: Injection) -> tuple[tuple[str, int, str, bool], ...]:
    return tuple((item.id, item.version, *_title(memory, item.id)) for item in injection.items)


def _title(memory: Memory, id_: str) -> tuple[str, bool]:
    try:
        (found,) = memory.get(id_)
    except CodecairnError:
        return "", False  # it was purged, or is no record: a statement of the repository
    if found.is_private or (isinstance(found, Fact) and found.state == "forgotten"):
        return "", isinstance(found, Fact)
    text = found.text if isinstance(found, Fact) else found.body
    return found.title or text[:120], isinstance(found, Fact)


ROUTES = (
    Route("/", now),
    Route("/now/stream", stream),
    Route("/now/sessions", sessions_page),
    Route("/now/session", session_page),
)
