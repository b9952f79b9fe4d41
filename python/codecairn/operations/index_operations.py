"""The operations on an index: each with its name, its parameters with types, defaults and documentation, and its effect.

Commands and tools are made from these functions and their requests: names, documentation, choices and defaults are written
there and nowhere else. A default of `None` means that a setting decides.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from codecairn.context.ask_request import AskRequest
from codecairn.core.requests import (
    DefineRequest,
    Doc,
    Limit,
    PeekRequest,
    SearchRequest,
    SimilarPlaceRequest,
)
from codecairn.core.store_log import CATEGORIES, LEVELS
from codecairn.operations.operation import OperationTable

if TYPE_CHECKING:
    from codecairn.context.answer import Answer
    from codecairn.core.store_log import Entry
    from codecairn.core.types.hits import SearchResult
    from codecairn.core.types.indexing import IndexPreview, IndexReport, Skip
    from codecairn.core.types.maintenance import GarbageReport, Problem
    from codecairn.core.types.status import Status
    from codecairn.workspace.metrics import Metrics
    from codecairn.workspace.savings import Savings
    from codecairn.workspace.workspace import Workspace
    from codecairn.workspace.workspaces import Workspaces


OPERATIONS = OperationTable()
"""These operations by name."""


OfBase = Annotated[
    str | None, Doc(text="In this knowledge base, not in the workspace.", name="in", metavar="NAME")
]


@OPERATIONS.add
def index(
    workspace: "Workspace",
    *,
    force: Annotated[
        bool, Doc(text="Read every file again, also those that look unchanged.")
    ] = False,
    wait: Annotated[
        bool | None, Doc(text="Wait while another process writes, as long as the settings say.")
    ] = None,
) -> "IndexReport":
    """Index the workspace, or bring its index up to date."""
    return workspace.index(force=force, wait=wait)


@OPERATIONS.add
def preview(workspace: "Workspace") -> "IndexPreview":
    """Tell what indexing would do, without indexing anything."""
    return workspace.preview()


@OPERATIONS.add
def search(workspace: "Workspace | Workspaces", request: SearchRequest) -> "SearchResult":
    """Find the code that answers a question, best first.

    The first search in a folder indexes it; later ones take in what changed.
    """
    return workspace.knowledge.search(request)


@OPERATIONS.add
def peek(workspace: "Workspace | Workspaces", request: PeekRequest) -> "SearchResult":
    """Find the same locations as `search`, without their text."""
    return workspace.knowledge.peek(request)


@OPERATIONS.add
def similar(workspace: "Workspace | Workspaces", request: SimilarPlaceRequest) -> "SearchResult":
    """Find code that looks like a given text or location."""
    knowledge = workspace.knowledge
    if request.text is None:
        return knowledge.similar_to(request)
    limit, filters, refresh = request.limit, request.filters, request.refresh
    return knowledge.similar(request.text, limit=limit, filters=filters, refresh=refresh)


@OPERATIONS.add
def define(workspace: "Workspace | Workspaces", request: DefineRequest) -> "SearchResult":
    """Find the definitions of a name."""
    return workspace.knowledge.define(request)


@OPERATIONS.add
def status(workspace: "Workspace") -> "Status":
    """Show the state of the index."""
    from codecairn.operations.network_use import outgoing

    sent = tuple(each.line for each in outgoing(workspace.settings, root=workspace.root))
    is_embedded = workspace.settings.memory_embedding_provider != "builtin"
    return replace(
        workspace.status(),
        knowledge=workspace.knowledge.states(),
        outgoing=sent,
        memory_embedding=workspace.memory.embedding() if is_embedded else None,
    )


@OPERATIONS.add
def skips(workspace: "Workspace") -> "tuple[Skip, ...]":
    """List every file that is not indexed, and why."""
    return workspace.skips()


@OPERATIONS.add
def doctor(
    workspace: "Workspace",
    *,
    repair: Annotated[bool, Doc(text="Repair what can be repaired.")] = False,
    base: OfBase = None,
) -> "tuple[Problem, ...]":
    """Look for damage in the store.

    Derived files are rebuilt, and a database that can't be read is set aside and rebuilt.
    """
    return _on(workspace, base).doctor(repair=repair)


@OPERATIONS.add
def gc(
    workspace: "Workspace",
    *,
    dry_run: Annotated[bool, Doc(text="Only count what would be removed.")] = False,
    base: OfBase = None,
) -> "GarbageReport":
    """Remove data that no branch refers to."""
    return _on(workspace, base).gc(dry_run=dry_run)


@OPERATIONS.add
def metrics(
    workspace: "Workspace",
    *,
    reset: Annotated[bool, Doc(text="Clear the log afterwards.")] = False,
) -> "Metrics":
    """Show how often and how fast recent operations ran.

    Also how many of the files that agents were shown they opened.
    """
    from codecairn.workspace.effectiveness import observed_effectiveness

    observed = observed_effectiveness(workspace)
    return replace(workspace.metrics(reset=reset), effectiveness=observed)


@OPERATIONS.add
def savings(workspace: "Workspace") -> "Savings":
    """Show the tokens that answers to agents saved.

    Beside those of whole files and of grep, which agents would have read instead.
    """
    from codecairn.workspace.savings import observed_savings

    return observed_savings(workspace)


@OPERATIONS.add
def logs(
    workspace: "Workspace",
    *,
    limit: Limit = None,
    categories: Annotated[
        tuple[str, ...],
        Doc(text="Only this category.", name="category", metavar="NAME", choices=CATEGORIES),
    ] = (),
    level: Annotated[
        str, Doc(text="Only entries of at least this level.", metavar="LEVEL", choices=LEVELS)
    ] = "debug",
) -> "tuple[Entry, ...]":
    """Show recent operations on the store, of all processes."""
    return workspace.logs(limit=limit, categories=categories, level=level)


def _on(workspace: "Workspace", base: str | None) -> "Workspace":
    return workspace if base is None else workspace.knowledge.workspace_of(base)


@OPERATIONS.add
def ask(workspace: "Workspace", request: AskRequest) -> "Answer":
    """Collect the material of an answer from memory and code.

    Each line has its source.
    """
    return workspace.ask(request)
