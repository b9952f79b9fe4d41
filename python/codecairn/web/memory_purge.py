"""Purging from the page: what is chosen, what would go, the word that confirms it, and what is gone."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from codecairn.core.types.memory import Fact, Purged
from codecairn.errors import UsageError
from codecairn.memory.memory import Memory
from codecairn.operations.memory_operations import MEMORY_OPERATIONS
from codecairn.web.memory import public_fact
from codecairn.web.page import field, render, session, site, workspace_of
from codecairn.web.projects import Project

WORD = "purge"
"""What has to be typed to confirm."""

_MAX_LISTED = 20


@dataclass(frozen=True, slots=True)
class Purge:
    """What was chosen: the arguments of the operation, and what they mean in words."""

    project: Project
    arguments: Mapping[str, object]
    what: str
    examples: tuple[str, ...]


def purge_page(request: Request) -> Response:
    """Choose what to purge."""
    project, workspace = workspace_of(request)
    id_ = request.query_params.get("id", "")
    fact = public_fact(workspace.memory, id_) if id_ else None
    return _page(request, project, "choose", fact=fact)


def check(request: Request) -> Response:
    """Show what would go, and ask for the word."""
    project, workspace = workspace_of(request)
    chosen = _chosen(request, project, workspace.memory)
    key = session(request).keep_undo(chosen)
    return _page(request, project, "check", chosen=chosen, key=key)


def run(request: Request) -> Response:
    """Purge, and report what is gone."""
    kept = session(request).undo.get(field(request, "key"))
    if not isinstance(kept, Purge):
        raise UsageError("nothing is chosen any more", hint="choose again what to purge")
    if field(request, "word").lower() != WORD:
        raise UsageError(f"nothing was purged: `{WORD}` was not typed", hint="choose again")
    del session(request).undo[field(request, "key")]
    workspace = site(request).projects.workspace(kept.project)
    purged: Purged = MEMORY_OPERATIONS["purge"].run(workspace, **kept.arguments)
    return _page(request, kept.project, "done", purged=purged, chosen=kept)


def _page(
    request: Request,
    project: Project,
    step: str,
    *,
    fact: Fact | None = None,
    chosen: Purge | None = None,
    key: str = "",
    purged: Purged | None = None,
) -> Response:
    return render(
        request,
        "purge.html",
        section="Memory",
        tab="Purge",
        project=project,
        projects=site(request).projects.all(),
        step=step,
        fact=fact,
        chosen=chosen,
        key=key,
        purged=purged,
        word=WORD,
    )


def _chosen(request: Request, project: Project, memory: Memory) -> Purge:
    """What the form names.

    Raises:
        UsageError: If it names nothing, or something that does not exist.
    """
    kind, text = field(request, "kind"), field(request, "text")
    if kind == "project":
        status = memory.status()
        what = f"everything about {project.name}: {status.events:,} events, and all facts"
        return Purge(project, {"whole_project": True}, what, ())
    if not text:
        raise UsageError("nothing is named", hint="fill in the field")
    if kind == "id":
        fact = public_fact(memory, text)
        return Purge(project, {"ids": (fact.id,)}, "this fact with all its versions", (fact.text,))
    if kind == "session":
        found = memory.session(text)[0]
        what = f"this session with {found.events:,} events, and the facts drawn from it"
        return Purge(project, {"session": found.id}, what, (found.title,))
    if kind == "containing":
        found_facts = [each for each in memory.list(limit=20_000, all_projects=True) if text.lower() in each.text.lower()]  # fmt: skip
        what = f"every record of every project that contains this text; of the facts that may be shown, {len(found_facts):,} do"  # fmt: skip
        examples = tuple(each.text[:200] for each in found_facts[:_MAX_LISTED])
        return Purge(project, {"containing": text}, what, (f"“{text}”", *examples))
    raise UsageError("nothing is chosen", hint="choose what to purge")


ROUTES = (
    Route("/memory/purge", purge_page),
    Route("/memory/purge/check", check, methods=["POST"]),
    Route("/memory/purge/run", run, methods=["POST"]),
)
