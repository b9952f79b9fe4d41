"""The operations on the memory; see `codecairn.operations.index_operations`."""

from dataclasses import replace
from typing import Annotated

from codecairn.core.requests import Doc
from codecairn.core.types.memory import (
    CONTEXT_FORMS,
    CONTEXT_PARTS,
    FACT_TYPES,
    ORIGINS,
    SCOPES,
    Added,
    Context,
    Event,
    Fact,
    MemoryStatus,
    Purged,
    Recalled,
    Session,
    Timeline,
    Why,
)
from codecairn.memory.detail import preview
from codecairn.memory.explanation import why as explained
from codecairn.memory.requests import FactListRequest, Limit, MemorySearchRequest, WithPrivate
from codecairn.memory.search_result import MemorySearch
from codecairn.operations.operation import OperationTable
from codecairn.workspace.workspace import Workspace

MEMORY_OPERATIONS = OperationTable()
"""These operations by name."""


Id = Annotated[str, Doc(text="A fact's id or its beginning, or an event (`E12`).", metavar="ID")]


@MEMORY_OPERATIONS.add
def add(
    workspace: Workspace,
    text: Annotated[str, Doc(text="What to remember, word for word.", metavar="TEXT")],
    *,
    type: Annotated[  # noqa: A002 - the word users know
        str, Doc(text="The type of the statement.", metavar="TYPE", choices=FACT_TYPES)
    ] = "note",
    scope: Annotated[
        str | None,
        Doc(text="Its scope; default: project.", metavar="SCOPE", choices=SCOPES),
    ] = None,
    title: Annotated[str, Doc(text="A short title for lists.", metavar="TEXT")] = "",
    tags: Annotated[
        tuple[str, ...], Doc(text="A tag to find it by.", name="tag", metavar="WORD")
    ] = (),
    subject: Annotated[
        str,
        Doc(
            text="Its subject; a newer fact with the same subject and predicate ends it.",
            metavar="WORDS",
        ),
    ] = "",
    predicate: Annotated[
        str, Doc(text="Its predicate: the property of the subject.", metavar="WORDS")
    ] = "",
    origin: Annotated[str, Doc(text="Its origin.", metavar="ORIGIN", choices=ORIGINS)] = "user",
    pin: Annotated[bool, Doc(text="Never end it automatically.")] = False,
    privacy_tags: Annotated[
        tuple[str, ...],
        Doc(text="`private` shows it on request only.", name="privacy-tag", metavar="TAG"),
    ] = (),
    anchors: Annotated[
        tuple[str, ...],
        Doc(
            text="Code that it refers to: `src/app.py::Session.get`, `src/app.py:12`, `src/app.py`, or a name that the index "
            "knows; names between backticks are found automatically.",
            name="anchor",
            alias="symbol",
            metavar="PATH[::NAME]",
        ),
    ] = (),
    supersedes: Annotated[
        tuple[str, ...], Doc(text="A fact that it replaces, pinned or not.", metavar="ID")
    ] = (),
) -> Added:
    """Store a statement word for word.

    Text in `<private>…</private>` and secrets are removed first.
    """
    return workspace.memory.add(
        text,
        type=type,
        scope=scope,
        title=title,
        tags=tags,
        subject=subject,
        predicate=predicate,
        origin=origin,
        is_pinned=pin,
        privacy_tags=privacy_tags,
        anchors=anchors,
        supersedes=supersedes,
    )


@MEMORY_OPERATIONS.add
def search(workspace: Workspace, request: MemorySearchRequest) -> MemorySearch:
    """Search facts and events, best first.

    A question may name a time ("since Monday", "last week", 昨天) or ask for all facts of a type ("list all decisions").
    """
    evidence = 0.0 if request.everything else request.evidence
    found = workspace.memory.search(replace(request, evidence=evidence))
    if request.detail == "full":
        return found
    recalled = (each for each in found.results if isinstance(each, Recalled))
    shown = tuple(preview(each, request.query, level=request.detail) for each in recalled)
    return replace(found, results=shown)


@MEMORY_OPERATIONS.add
def context(
    workspace: Workspace,
    session: Annotated[str, Doc(text="The agent's session.", metavar="SESSION")],
    *,
    prompt: Annotated[str, Doc(text="The user's prompt.", metavar="TEXT")] = "",
    part: Annotated[
        str,
        Doc(
            text="`static` opens a session, `volatile` comes with a prompt, `compaction` precedes a loss of context.",
            metavar="PART",
            choices=CONTEXT_PARTS,
        ),
    ] = "volatile",
    style: Annotated[
        str, Doc(text="The output format.", metavar="STYLE", choices=CONTEXT_FORMS)
    ] = "markdown",
    refresh: Annotated[bool, Doc(text="Rebuild the static part.")] = False,
    budget: Annotated[
        int | None,
        Doc(
            text="The maximum number of tokens of all parts.",
            alias="tokens",
            setting="memory.context_tokens",
            metavar="N",
            minimum=100,
        ),
    ] = None,
) -> Context:
    """Show what to put before an agent.

    Without what it was already shown in this session, unless it changed.
    """
    return workspace.memory.context(
        session, prompt, part=part, form=style, refresh=refresh, budget_tokens=budget
    )


@MEMORY_OPERATIONS.add
def timeline(
    workspace: Workspace,
    id: Id,  # noqa: A002 - the word users know
    *,
    before: Annotated[int, Doc(text="Events before it.", metavar="N", minimum=0)] = 5,
    after: Annotated[int, Doc(text="Events after it.", metavar="N", minimum=0)] = 5,
    with_private: WithPrivate = False,
) -> Timeline:
    """Show the events around an event.

    Of a fact, around its newest source event.
    """
    return workspace.memory.timeline(id, before=before, after=after, with_private=with_private)


@MEMORY_OPERATIONS.add
def get(
    workspace: Workspace,
    id: Id,  # noqa: A002 - the word users know
    *,
    history: Annotated[bool, Doc(text="All versions of the fact, the newest first.")] = False,
) -> tuple[Fact | Event, ...]:
    """Show a fact or an event in full."""
    return workspace.memory.history(id) if history else workspace.memory.get(id)


@MEMORY_OPERATIONS.add
def why(
    workspace: Workspace,
    id: Id,  # noqa: A002 - the word users know
    *,
    query: Annotated[
        str | None, Doc(text="Also show its score and rank for this question.", metavar="QUERY")
    ] = None,
) -> Why:
    """Explain a fact.

    Its author, its sources, and whether its code has changed.
    """
    return explained(workspace.memory, id, query=query)


@MEMORY_OPERATIONS.add
def list_(workspace: Workspace, request: FactListRequest) -> tuple[Fact, ...]:
    """List the facts that hold, the newest first."""
    return workspace.memory.list(request)


@MEMORY_OPERATIONS.add
def update(
    workspace: Workspace,
    id: Id,  # noqa: A002 - the word users know
    *,
    text: Annotated[str | None, Doc(text="The new statement.", metavar="TEXT")] = None,
    type: Annotated[  # noqa: A002 - the word users know
        str | None, Doc(text="The new type.", metavar="TYPE", choices=FACT_TYPES)
    ] = None,
    title: Annotated[str | None, Doc(text="The new title.", metavar="TEXT")] = None,
    pin: Annotated[bool | None, Doc(text="Whether it is pinned.")] = None,
    reason: Annotated[str, Doc(text="Why.", metavar="TEXT")] = "",
) -> Fact:
    """Change a fact; its older version stays in its history."""
    return workspace.memory.update(
        id, text=text, type=type, title=title, is_pinned=pin, reason=reason
    )


@MEMORY_OPERATIONS.add
def forget(
    workspace: Workspace,
    id: Id,  # noqa: A002 - the word users know
    *,
    reason: Annotated[str, Doc(text="Why.", metavar="TEXT")] = "",
) -> Fact:
    """Hide a fact from everything but its history; `purge` removes it."""
    return workspace.memory.forget(id, reason=reason)


@MEMORY_OPERATIONS.add
def restore(
    workspace: Workspace,
    id: Id,  # noqa: A002 - the word users know
    *,
    reason: Annotated[str, Doc(text="Why.", metavar="TEXT")] = "",
) -> Fact:
    """Let a forgotten fact hold again, as its next version."""
    return workspace.memory.restore(id, reason=reason)


@MEMORY_OPERATIONS.add
def purge(
    workspace: Workspace,
    *,
    ids: Annotated[
        tuple[str, ...],
        Doc(text="Facts and events (`E12`), by id.", name="id", metavar="ID", is_positional=True),
    ] = (),
    containing: Annotated[
        str | None, Doc(text="All records that contain this text, in all projects.", metavar="TEXT")
    ] = None,
    session: Annotated[
        str | None, Doc(text="A session and the facts extracted from it.", metavar="SESSION")
    ] = None,
    whole_project: Annotated[bool, Doc(text="Everything about this project.")] = False,
) -> Purged:
    """Remove every byte of records.

    Rows, versions, full text, vectors, and remains in free pages and the log.
    """
    return workspace.memory.purge(
        *ids, containing=containing, session=session, whole_project=whole_project
    )


@MEMORY_OPERATIONS.add
def session(
    workspace: Workspace,
    *,
    session: Annotated[
        str | None, Doc(text="One session and those it started.", name="id", metavar="SESSION")
    ] = None,
    limit: Limit = 20,
) -> tuple[Session, ...]:
    """List the project's sessions, the newest first."""
    if session is not None:
        return workspace.memory.session(session)
    return workspace.memory.sessions(limit=limit)


@MEMORY_OPERATIONS.add
def export(
    workspace: Workspace,
    *,
    format: Annotated[  # noqa: A002 - the word users know
        str,
        Doc(
            text="`json` can be imported; the others contain only facts.",
            metavar="FORMAT",
            choices=("json", "csv", "markdown"),
        ),
    ] = "json",
    anonymise: Annotated[
        bool, Doc(text="Remove e-mail addresses, users' folders and long hexadecimal numbers.")
    ] = False,
    with_private: WithPrivate = False,
    session: Annotated[
        str | None,
        Doc(text="Only this session, those it started, and their facts.", metavar="SESSION"),
    ] = None,
    max_events: Annotated[
        int, Doc(text="With `--session`: its newest events.", metavar="N", minimum=1)
    ] = 1_000,
    max_facts: Annotated[
        int, Doc(text="With `--session`: its newest facts.", metavar="N", minimum=1)
    ] = 500,
) -> str:
    """Write the project's memory, or one session, to standard output."""
    if session is None:
        return workspace.memory.export(
            format=format, anonymise=anonymise, with_private=with_private
        )
    return workspace.memory.upkeep.export_session(
        session,
        format=format,
        most_events=max_events,
        most_facts=max_facts,
        with_private=with_private,
        anonymise=anonymise,
    )


@MEMORY_OPERATIONS.add
def status(workspace: Workspace) -> MemoryStatus:
    """Show the size and location of the memory."""
    return workspace.memory.status()
