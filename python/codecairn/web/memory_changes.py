"""Changes of the memory: of one fact or of several at once, most of which can be undone, and reviews."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from codecairn.core.text_format import amount
from codecairn.core.types.memory import Fact
from codecairn.errors import CodecairnError, UsageError
from codecairn.memory import review
from codecairn.memory.memory import Memory
from codecairn.memory.review import CONFIRMED, ReviewItem, to_review
from codecairn.web.memory import public_fact
from codecairn.web.page import field, form, redirect, session, site, workspace_of
from codecairn.web.projects import Project
from codecairn.web.sessions import Notice

_IN_A_PAGE = "changed on the page"
_MAX_AT_ONCE = 500
_REVIEWED = 1_000


@dataclass(frozen=True, slots=True)
class Undo:
    """What undoes a change of facts: for each of them the call that takes it back."""

    project: Project
    calls: tuple[Callable[[Memory], object], ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a fact.

    Attributes:
        done: What it does, in a word.
        run: Does it.
        reverse: Makes the call that takes it back, of the fact as it was.
    """

    done: str
    run: Callable[[Memory, Fact, str], object]
    reverse: Callable[[Fact], Callable[[Memory], object]]


def _pinned(*, is_pinned: bool) -> Callable[[Memory, Fact, str], object]:
    return lambda memory, fact, reason: memory.update(
        fact.id, is_pinned=is_pinned, reason=reason or _IN_A_PAGE
    )


def _as_it_was(fact: Fact) -> Callable[[Memory], object]:
    return lambda memory: memory.update(
        fact.id,
        text=fact.text,
        type=fact.type,
        title=fact.title,
        tags=fact.tags,
        is_pinned=fact.is_pinned,
        reason="undone",
    )


CHANGES: Mapping[str, Change] = MappingProxyType(
    {
        "forget": Change(
            done="forgotten",
            run=lambda memory, fact, reason: memory.forget(fact.id, reason=reason),
            reverse=lambda fact: lambda memory: memory.restore(fact.id, reason="undone"),
        ),
        "restore": Change(
            done="restored",
            run=lambda memory, fact, reason: memory.restore(fact.id, reason=reason),
            reverse=lambda fact: lambda memory: memory.forget(fact.id, reason="undone"),
        ),
        "pin": Change(done="pinned", run=_pinned(is_pinned=True), reverse=_as_it_was),
        "unpin": Change(done="unpinned", run=_pinned(is_pinned=False), reverse=_as_it_was),
        "confirm": Change(
            done="confirmed",
            run=lambda memory, fact, reason: memory.update(
                fact.id, tags=[*fact.tags, CONFIRMED], reason=reason or _IN_A_PAGE
            ),
            reverse=_as_it_was,
        ),
    }
)
"""What can be done with several facts at once."""


def change(request: Request) -> Response:
    """Change facts; those that can't be changed are reported, the others are changed."""
    project, workspace = workspace_of(request)
    back = field(request, "back", "/memory")
    chosen = CHANGES.get(field(request, "action"))
    ids = [each for each in dict.fromkeys(form(request).get("id", [])) if each]
    if chosen is None:
        raise UsageError("there is no such change", hint=f"one of {', '.join(CHANGES)}")
    if not ids:
        raise UsageError("no fact is chosen", hint="tick some")
    if len(ids) > _MAX_AT_ONCE:
        raise UsageError("too many facts", hint=f"{_MAX_AT_ONCE} at once at most")
    reverse: list[Callable[[Memory], object]] = []
    problems: list[str] = []
    for id_ in ids:
        try:
            fact = public_fact(workspace.memory, id_)
            chosen.run(workspace.memory, fact, field(request, "reason"))
            reverse.append(chosen.reverse(fact))
        except CodecairnError as err:
            problems.append(err.message)
    if problems:
        text = f"{amount(len(problems), 'fact')} not {chosen.done}: {problems[0]}"
        session(request).notices.append(Notice(text, is_error=True))
    if not reverse:
        return redirect(request, back)
    text = f"{amount(len(reverse), 'fact')} {chosen.done}"
    return redirect(request, back, _undoable(request, project, text, *reverse))


def edit(request: Request) -> Response:
    """Give a fact other words, another type, title or tags: its next version."""
    project, workspace = workspace_of(request)
    fact = public_fact(workspace.memory, field(request, "id"))
    text = field(request, "text")
    if not text:
        raise UsageError("the text is empty", hint="`forget` hides a fact")
    workspace.memory.update(
        fact.id,
        text=text,
        type=field(request, "type", fact.type),
        title=field(request, "title") or None,
        tags=field(request, "tags").split(),
        reason=field(request, "reason") or _IN_A_PAGE,
    )
    notice = _undoable(request, project, "1 fact changed", _as_it_was(fact))
    return redirect(request, field(request, "back", "/memory"), notice)


def add(request: Request) -> Response:
    """Add a fact by hand."""
    project, workspace = workspace_of(request)
    added = workspace.memory.add(field(request, "text"), type=field(request, "type", "note"))
    back = field(request, "back", "/memory")
    if not added.is_new:
        return redirect(request, back, Notice("this is known already"))
    reverse = lambda memory: memory.forget(added.id, reason="undone")  # noqa: E731
    return redirect(request, back, _undoable(request, project, "1 fact added", reverse))


def decide(request: Request) -> Response:
    """Decide about a fact of a review, as `codecairn memory review` does."""
    project, workspace = workspace_of(request)
    memory, id_ = workspace.memory, field(request, "id")
    back = field(request, "back", "/memory/review")
    item = next((each for each in to_review(memory, limit=_REVIEWED) if each.fact.id == id_), None)
    if item is None:
        raise UsageError("this fact is no longer to be reviewed", hint="open the page again")
    before = item.fact
    action = field(request, "action")
    if action == "keep":
        review.keep(memory, item)
        notice = _undoable(request, project, "1 fact confirmed", _as_it_was(before))
    elif action == "replace" and item.others:
        notice = _replace(memory, item)
    elif action == "change" and field(request, "text"):
        review.change(memory, before, field(request, "text"))
        notice = _undoable(request, project, "1 fact changed", _as_it_was(before))
    elif action == "end":
        review.end(memory, before)
        restore = CHANGES["forget"].reverse(before)
        notice = _undoable(request, project, "1 fact ended", restore)
    else:
        raise UsageError("this can't be done with the fact", hint="choose one of its buttons")
    return redirect(request, back, notice)


def _replace(memory: Memory, item: ReviewItem) -> Notice:
    """End the older facts; each of them stays in its history."""
    review.replace_others(memory, item)
    return Notice(f"{amount(len(item.others), 'older fact')} ended")


def undo(request: Request) -> Response:
    """Take a change back."""
    kept = session(request).undo.pop(field(request, "undo"), None)
    if not isinstance(kept, Undo):
        raise UsageError("this can't be undone any more", hint="its history shows what it was")
    memory = site(request).projects.workspace(kept.project).memory
    for call in kept.calls:
        call(memory)
    return redirect(request, field(request, "back", "/memory"), Notice("undone"))


def _undoable(
    request: Request, project: Project, text: str, *calls: Callable[[Memory], object]
) -> Notice:
    return Notice(text, undo=session(request).keep_undo(Undo(project, calls)))


ROUTES = (
    Route("/memory/add", add, methods=["POST"]),
    Route("/memory/change", change, methods=["POST"]),
    Route("/memory/edit", edit, methods=["POST"]),
    Route("/memory/review/decide", decide, methods=["POST"]),
    Route("/undo", undo, methods=["POST"]),
)
