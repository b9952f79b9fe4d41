"""Each operation once: its name, its parameters with types, defaults and docs, and what it does.

The command line makes its commands from these functions, and later surfaces make theirs: names, documentation,
choices and defaults are written here and nowhere else. A default of `None` means that a setting decides.
"""

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType, UnionType
from typing import Annotated, Any, TypeVar

from codecairn.ask.answer import PROFILES, Answer
from codecairn.logbook import CATEGORIES, LEVELS, Entry
from codecairn.metrics import Metrics
from codecairn.paths.relative import inner_name, split_place
from codecairn.search.filters import SearchFilters
from codecairn.types import (
    KINDS,
    GarbageReport,
    IndexPreview,
    IndexReport,
    Problem,
    SearchResult,
    Skip,
    Status,
)
from codecairn.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Doc:
    """What is said about a parameter, besides its type and default.

    Attributes:
        text: What it means.
        name: What users call it, where that differs from the parameter: `kind` for `kinds`.
        letter: Its one-letter form.
        metavar: The word that stands for its value.
        choices: The only values allowed; empty for any.
        minimum: The least number allowed.
        is_positional: Whether it is given by its place even where it has a default; what has none always is.
    """

    text: str
    name: str = ""
    letter: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    is_positional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of an operation. `value_type` is `str`, `int` or `bool`; `is_list` allows several."""

    field: str
    doc: Doc
    value_type: type
    is_list: bool
    is_required: bool
    default: object

    @property
    def name(self) -> str:
        """What users call it."""
        return self.doc.name or self.field.replace("_", "-")


class Operation:
    """One thing that a user can do with a workspace: a function that takes a workspace and parameters.

    Its parameters are read from the function's signature when somebody first asks for them.
    """

    def __init__(self, run: Callable[..., object]) -> None:
        self.run = run
        self.name = run.__name__

    @property
    def doc(self) -> str:
        """Its documentation; the first line is a summary."""
        return inspect.getdoc(self.run) or ""

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters, without the workspace."""
        hints = typing.get_type_hints(self.run, include_extras=True)
        return tuple(
            _parameter(parameter, hints[parameter.name])
            for parameter in inspect.signature(self.run).parameters.values()
            if parameter.name != "workspace"
        )


_Function = TypeVar("_Function", bound=Callable[..., object])
_REGISTRY: dict[str, Operation] = {}

OPERATIONS: Mapping[str, Operation] = MappingProxyType(_REGISTRY)
"""Every operation by name."""


def _operation(function: _Function) -> _Function:
    operation = Operation(function)
    _REGISTRY[operation.name] = operation
    return function


def _parameter(parameter: inspect.Parameter, hint: Any) -> Parameter:  # noqa: ANN401 - a type
    declared, doc = typing.get_args(hint)
    value_type, is_list = _value_type(declared)
    is_required = parameter.default is inspect.Parameter.empty
    return Parameter(
        field=parameter.name,
        doc=doc,
        value_type=value_type,
        is_list=is_list,
        is_required=is_required,
        default=None if is_required else parameter.default,
    )


def _value_type(declared: Any) -> tuple[type, bool]:  # noqa: ANN401 - a type
    if typing.get_origin(declared) is tuple:
        return typing.get_args(declared)[0], True
    if isinstance(declared, UnionType):
        (declared,) = (part for part in typing.get_args(declared) if part is not type(None))
    return declared, False


# Parameters that several operations share

Query = Annotated[
    str,
    Doc(text='Words, an identifier or a path; "quoted parts" must occur exactly.', metavar="QUERY"),
]
Limit = Annotated[
    int | None, Doc(text="How many results at most.", letter="n", metavar="N", minimum=1)
]
Kinds = Annotated[
    tuple[str, ...],
    Doc(
        text=f"Only this kind of code ({', '.join(KINDS)}).",
        name="kind",
        metavar="KIND",
        choices=KINDS,
    ),
]
Languages = Annotated[tuple[str, ...], Doc(text="Only this language.", name="lang", metavar="LANG")]
Directories = Annotated[
    tuple[str, ...],
    Doc(text="Only below this folder, relative to the root.", name="dir", metavar="DIR"),
]
Globs = Annotated[
    tuple[str, ...],
    Doc(text="Only files that match this pattern (gitignore syntax).", name="glob", metavar="GLOB"),
]
Author = Annotated[
    str | None, Doc(text="Only files that commits of this author touched.", metavar="NAME")
]
Since = Annotated[
    str | None,
    Doc(text='Only files that commits since then touched, such as "2 weeks ago".', metavar="DATE"),
]
Refresh = Annotated[
    bool | None, Doc(text="Take in what changed first, within the budget of the settings.")
]


@_operation
def index(
    workspace: Workspace,
    *,
    force: Annotated[
        bool, Doc(text="Read every file again, also those that look unchanged.")
    ] = False,
    wait: Annotated[
        bool | None, Doc(text="Wait while another process writes, as long as the settings say.")
    ] = None,
) -> IndexReport:
    """Index the workspace, or bring its index up to date."""
    return workspace.index(force=force, wait=wait)


@_operation
def preview(workspace: Workspace) -> IndexPreview:
    """Tell what indexing would do, without indexing anything."""
    return workspace.preview()


@_operation
def search(
    workspace: Workspace,
    query: Query,
    *,
    limit: Limit = None,
    kinds: Kinds = (),
    languages: Languages = (),
    directories: Directories = (),
    globs: Globs = (),
    author: Author = None,
    since: Since = None,
    context_lines: Annotated[
        int | None,
        Doc(text="Lines to show around each result.", name="context", metavar="N", minimum=0),
    ] = None,
    explain: Annotated[bool, Doc(text="Show why each result ranks where it does.")] = False,
    refresh: Refresh = None,
) -> SearchResult:
    """Find the code that answers a question, best first.

    The first search in a folder indexes it; later ones take in what changed.
    """
    filters = _filters(kinds, languages, directories, globs, author, since)
    return workspace.search(
        query,
        limit=limit,
        filters=filters,
        context_lines=context_lines,
        explain=explain,
        refresh=refresh,
    )


@_operation
def peek(
    workspace: Workspace,
    query: Query,
    *,
    limit: Limit = None,
    kinds: Kinds = (),
    languages: Languages = (),
    directories: Directories = (),
    globs: Globs = (),
    author: Author = None,
    since: Since = None,
    refresh: Refresh = None,
) -> SearchResult:
    """Find the same places as `search`, and show only where they are."""
    filters = _filters(kinds, languages, directories, globs, author, since)
    return workspace.peek(query, limit=limit, filters=filters, refresh=refresh)


@_operation
def similar(
    workspace: Workspace,
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
    refresh: Refresh = None,
) -> SearchResult:
    """Find code that looks like a given piece."""
    filters = _filters(kinds, languages, directories, globs, None, None)
    if text is not None:
        return workspace.similar(text, limit=limit, filters=filters, refresh=refresh)
    file, line = split_place(place)
    path = inner_name(file, root=workspace.root)
    return workspace.similar_to(path, line, limit=limit, filters=filters, refresh=refresh)


@_operation
def define(
    workspace: Workspace,
    name: Annotated[
        str, Doc(text="The symbol's name; `Class.method` narrows it down.", metavar="NAME")
    ],
    *,
    limit: Limit = None,
    kinds: Kinds = (),
    languages: Languages = (),
    directories: Directories = (),
    globs: Globs = (),
    refresh: Refresh = None,
) -> SearchResult:
    """Find where symbols of a name are defined."""
    filters = _filters(kinds, languages, directories, globs, None, None)
    return workspace.define(name, limit=limit, filters=filters, refresh=refresh)


@_operation
def status(workspace: Workspace) -> Status:
    """Show the state of the index."""
    return workspace.status()


@_operation
def skips(workspace: Workspace) -> tuple[Skip, ...]:
    """List every file that is not indexed, and why."""
    return workspace.skips()


@_operation
def doctor(
    workspace: Workspace,
    *,
    repair: Annotated[bool, Doc(text="Mend what can be mended.")] = False,
) -> tuple[Problem, ...]:
    """Look for damage in the store.

    Derived files are rebuilt, and a database that can't be read is set aside and made anew.
    """
    return workspace.doctor(repair=repair)


@_operation
def gc(
    workspace: Workspace,
    *,
    dry_run: Annotated[bool, Doc(text="Count what would go, and remove nothing.")] = False,
) -> GarbageReport:
    """Remove what no branch refers to any more."""
    return workspace.gc(dry_run=dry_run)


@_operation
def metrics(
    workspace: Workspace,
    *,
    reset: Annotated[bool, Doc(text="Let the log begin anew after this.")] = False,
) -> Metrics:
    """Show how often and how fast things were done lately."""
    return workspace.metrics(reset=reset)


@_operation
def logs(
    workspace: Workspace,
    *,
    limit: Limit = None,
    categories: Annotated[
        tuple[str, ...],
        Doc(text="Only this category.", name="category", metavar="NAME", choices=CATEGORIES),
    ] = (),
    level: Annotated[
        str, Doc(text="Only what is at least this important.", metavar="LEVEL", choices=LEVELS)
    ] = "debug",
) -> tuple[Entry, ...]:
    """Show what was done with the store lately, by every process that used it."""
    return workspace.logs(limit=limit, categories=categories, level=level)


def _filters(
    kinds: tuple[str, ...],
    languages: tuple[str, ...],
    directories: tuple[str, ...],
    globs: tuple[str, ...],
    author: str | None,
    since: str | None,
) -> SearchFilters:
    return SearchFilters(
        kinds=kinds,
        languages=languages,
        directories=directories,
        globs=globs,
        author=author,
        since=since,
    )


@_operation
def ask(
    workspace: Workspace,
    question: Annotated[str, Doc(text="What to ask.", metavar="QUESTION")],
    *,
    profile: Annotated[
        str,
        Doc(
            text="What sort of question it is; `auto` tells by its words.",
            metavar="PROFILE",
            choices=("auto", *PROFILES),
        ),
    ] = "auto",
    token_budget: Annotated[
        int, Doc(text="About how many tokens the material may have.", metavar="N", minimum=200)
    ] = 1800,
) -> Answer:
    """Gather the material of an answer from memory and code; every line says where it comes from."""
    return workspace.ask(question, profile=profile, token_budget=token_budget)
