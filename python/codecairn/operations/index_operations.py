"""The operations on an index: each with its name, its parameters with types, defaults and documentation, and its effect.

Commands and tools are made from these functions: names, documentation, choices and defaults are written here and nowhere else. A
default of `None` means that a setting decides.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from codecairn.context import PROFILES
from codecairn.core.options import KINDS
from codecairn.core.requests import (
    Directories,
    Doc,
    Languages,
    Limit,
    Query,
    Refresh,
    SearchFilters,
)
from codecairn.core.store_log import CATEGORIES, LEVELS
from codecairn.operations.operation import OperationTable
from codecairn.paths.relative import inner_name, split_place

if TYPE_CHECKING:
    from codecairn.context.answer import Answer
    from codecairn.core.store_log import Entry
    from codecairn.core.types.hits import SearchResult
    from codecairn.core.types.indexing import IndexPreview, IndexReport, Skip
    from codecairn.core.types.maintenance import GarbageReport, Problem
    from codecairn.core.types.status import Status
    from codecairn.workspace.metrics import Metrics
    from codecairn.workspace.workspace import Workspace
    from codecairn.workspace.workspaces import Workspaces


OPERATIONS = OperationTable()
"""These operations by name."""


# Parameters that several operations share

Kinds = Annotated[
    tuple[str, ...],
    Doc(
        text=f"Only this kind of code ({', '.join(KINDS)}).",
        name="kind",
        metavar="KIND",
        choices=KINDS,
    ),
]
Globs = Annotated[
    tuple[str, ...],
    Doc(text="Only files that match this pattern (gitignore syntax).", name="glob", metavar="GLOB"),
]
Scopes = Annotated[
    tuple[str, ...],
    Doc(
        text="Only in this knowledge base, `workspace` or `all`.",
        name="in",
        metavar="NAME",
    ),
]
OfBase = Annotated[
    str | None, Doc(text="In this knowledge base, not in the workspace.", name="in", metavar="NAME")
]
Author = Annotated[
    str | None, Doc(text="Only lines that a commit of this author changed last.", metavar="NAME")
]
Commit = Annotated[str | None, Doc(text="Only lines that this commit changed last.", metavar="SHA")]
Since = Annotated[
    str | None,
    Doc(
        text='Only lines that were changed since this date, such as "2 weeks ago".', metavar="DATE"
    ),
]
Until = Annotated[
    str | None, Doc(text="Only lines whose last change is not after this date.", metavar="DATE")
]
Blame = Annotated[
    bool | None, Doc(text="Show which commit changed each result last, and its author.")
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
def search(
    workspace: "Workspace | Workspaces",
    query: Query,
    *,
    limit: Limit = None,
    kinds: Kinds = (),
    languages: Languages = (),
    directories: Directories = (),
    globs: Globs = (),
    scopes: Scopes = (),
    author: Author = None,
    commit: Commit = None,
    since: Since = None,
    until: Until = None,
    blame: Blame = None,
    context_lines: Annotated[
        int | None,
        Doc(text="Lines to show around each result.", name="context", metavar="N", minimum=0),
    ] = None,
    explain: Annotated[bool, Doc(text="Show why each result ranks where it does.")] = False,
    refresh: Refresh = None,
) -> "SearchResult":
    """Find the code that answers a question, best first.

    The first search in a folder indexes it; later ones take in what changed.
    """
    filters = _filters(locals())
    return workspace.knowledge.search(
        query,
        scopes=scopes,
        limit=limit,
        filters=filters,
        context_lines=context_lines,
        explain=explain,
        refresh=refresh,
    )


@OPERATIONS.add
def peek(
    workspace: "Workspace | Workspaces",
    query: Query,
    *,
    limit: Limit = None,
    kinds: Kinds = (),
    languages: Languages = (),
    directories: Directories = (),
    globs: Globs = (),
    scopes: Scopes = (),
    author: Author = None,
    commit: Commit = None,
    since: Since = None,
    until: Until = None,
    blame: Blame = None,
    refresh: Refresh = None,
) -> "SearchResult":
    """Find the same locations as `search`, without their text."""
    filters = _filters(locals())
    return workspace.knowledge.peek(
        query, scopes=scopes, limit=limit, filters=filters, refresh=refresh
    )


@OPERATIONS.add
def similar(
    workspace: "Workspace",
    place: Annotated[
        str,
        Doc(
            text="A line of the code to look for, or `-` to read code from standard input.",
            metavar="FILE:LINE|-",
        ),
    ],
    *,
    text: Annotated[
        str | None, Doc(text="Code to look for, instead of what is at the place.")
    ] = None,
    limit: Limit = None,
    kinds: Kinds = (),
    languages: Languages = (),
    directories: Directories = (),
    globs: Globs = (),
    scopes: Scopes = (),
    author: Author = None,
    commit: Commit = None,
    since: Since = None,
    until: Until = None,
    blame: Blame = None,
    refresh: Refresh = None,
) -> "SearchResult":
    """Find code that looks like a given text or location."""
    filters = _filters(locals())
    if text is not None:
        return workspace.knowledge.similar(
            text, scopes=scopes, limit=limit, filters=filters, refresh=refresh
        )
    file, line = split_place(place)
    path = inner_name(file, root=workspace.root)
    filters = replace(filters, scopes=())
    return workspace.similar_to(path, line, limit=limit, filters=filters, refresh=refresh)


@OPERATIONS.add
def define(
    workspace: "Workspace | Workspaces",
    name: Annotated[
        str, Doc(text="The symbol's name; `Class.method` narrows it down.", metavar="NAME")
    ],
    *,
    limit: Limit = None,
    kinds: Kinds = (),
    languages: Languages = (),
    directories: Directories = (),
    globs: Globs = (),
    scopes: Scopes = (),
    author: Author = None,
    commit: Commit = None,
    since: Since = None,
    until: Until = None,
    blame: Blame = None,
    refresh: Refresh = None,
) -> "SearchResult":
    """Find the definitions of a name."""
    filters = _filters(locals())
    return workspace.knowledge.define(
        name, scopes=scopes, limit=limit, filters=filters, refresh=refresh
    )


@OPERATIONS.add
def status(workspace: "Workspace") -> "Status":
    """Show the state of the index."""
    from codecairn.operations.network_use import outgoing

    sent = tuple(each.line for each in outgoing(workspace.settings))
    return replace(workspace.status(), knowledge=workspace.knowledge.states(), outgoing=sent)


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
    """Show how often and how fast recent operations ran, and how many of the shown files agents opened."""
    from codecairn.workspace.effectiveness import observed_effectiveness

    observed = observed_effectiveness(workspace)
    return replace(workspace.metrics(reset=reset), effectiveness=observed)


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


def _filters(values: Mapping[str, object]) -> SearchFilters:
    """The filters among an operation's values."""
    names = SearchFilters.__dataclass_fields__.keys() & values
    return SearchFilters(**{name: values[name] for name in names})  # type: ignore[arg-type]


@OPERATIONS.add
def ask(
    workspace: "Workspace",
    question: Annotated[str, Doc(text="What to ask.", metavar="QUESTION")],
    *,
    profile: Annotated[
        str,
        Doc(
            text="The kind of question; `auto` decides by its words.",
            metavar="PROFILE",
            choices=("auto", *PROFILES),
        ),
    ] = "auto",
    token_budget: Annotated[
        int, Doc(text="The approximate maximum number of tokens.", metavar="N", minimum=200)
    ] = 1800,
) -> "Answer":
    """Collect the material of an answer from memory and code, with the source of each line."""
    return workspace.ask(question, profile=profile, token_budget=token_budget)
