"""Requests: each option of an operation once, with its type, default and documentation.

Commands, tools, their schemas and the signatures in Python are made from these classes, and the Rust core reads their
fields by name. A default of `None` means that a setting decides. A new option is a field here, and the code that uses it.
"""

import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, Protocol, TypeVar, cast, overload

from codecairn.core.light_dataclass import dataclass
from codecairn.core.options import KINDS

if TYPE_CHECKING:
    from typing_extensions import Self

_P = ParamSpec("_P")
_Request = TypeVar("_Request")
_Answer = TypeVar("_Answer")
_Request_contra = TypeVar("_Request_contra", contravariant=True)
_Answer_co = TypeVar("_Answer_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doc:
    """The documentation and limits of a parameter, in addition to its type and default.

    Attributes:
        text: What it means.
        name: What users call it, where that differs from the parameter: `kind` for `kinds`.
        alias: Another name for it on the command line.
        letter: Its one-letter form.
        metavar: The word that stands for its value.
        choices: The only values allowed; empty for any.
        minimum: The least number allowed.
        maximum: The greatest number allowed.
        is_positional: Whether it is positional on the command line; required parameters always are.
        setting: The key of the setting that decides where no value is given.
        place: What the value names in the workspace, `folder`, `file` or `pattern`; the command line sees it from the
            folder where the command runs.
        offers: Of a field with options of its own, those that commands and tools offer; empty for all.
    """

    text: str
    name: str = ""
    alias: str = ""
    letter: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    is_positional: bool = False
    setting: str = ""
    place: str = ""
    offers: tuple[str, ...] = ()


MIN_TOKENS = 100
"""The least token budget of an answer with code."""

Limit = Annotated[
    int | None, Doc(text="How many results at most.", letter="n", metavar="N", minimum=1)
]
Query = Annotated[
    str,
    Doc(
        text='Words, an identifier or a path; "quoted parts" must occur if they do anywhere.',
        metavar="QUERY",
    ),
]
Refresh = Annotated[
    bool | None,
    Doc(
        text="Take in what changed first, within the budget of the settings.",
        setting="search.refresh",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """What hits must be. All conditions that are given must hold; within one list any entry will do.

    Attributes:
        kinds: Normalised kinds such as "function".
        languages: Language ids or names such as "python" or "C++".
        directories: Folders, relative to the root.
        globs: Patterns in the syntax of gitignore.
        exclude: Such patterns; files that match one are left out.
        paths: Exact paths, relative to the root; `None` for any.
        scopes: Knowledge bases by name, "workspace" or "all", where several roots are searched.
        author: Part of the name or address of the author whose commit changed a line of the hit last.
        commit: The commit that changed a line of the hit last: its id or the beginning of that.
        since: A date as git reads it ("2 weeks ago", "2026-01-31"); a line of the hit was changed since then.
        until: Such a date; a line of the hit was changed last before it, or on that day.
        blame: No condition: whether each hit shows who changed it last; `None` for what the settings say.
    """

    kinds: Annotated[
        Sequence[str],
        Doc(
            text=f"Only this kind of code ({', '.join(KINDS)}).",
            name="kind",
            metavar="KIND",
            choices=KINDS,
        ),
    ] = ()
    languages: Annotated[
        Sequence[str], Doc(text="Only this language.", name="lang", metavar="LANG")
    ] = ()
    directories: Annotated[
        Sequence[str],
        Doc(text="Only below this folder.", name="dir", metavar="DIR", place="folder"),
    ] = ()
    globs: Annotated[
        Sequence[str],
        Doc(
            text="Only files that match this pattern (gitignore syntax).",
            name="glob",
            metavar="GLOB",
            place="pattern",
        ),
    ] = ()
    exclude: Annotated[
        Sequence[str],
        Doc(
            text="Leave out files that match this pattern (gitignore syntax).",
            metavar="GLOB",
            place="pattern",
        ),
    ] = ()
    paths: Sequence[str] | None = None
    scopes: Annotated[
        Sequence[str],
        Doc(text="Only in this knowledge base, `workspace` or `all`.", name="in", metavar="NAME"),
    ] = ()
    author: Annotated[
        str | None,
        Doc(text="Only lines that a commit of this author changed last.", metavar="NAME"),
    ] = None
    commit: Annotated[
        str | None, Doc(text="Only lines that this commit changed last.", metavar="SHA")
    ] = None
    since: Annotated[
        str | None,
        Doc(
            text='Only lines that were changed since this date, such as "2 weeks ago".',
            metavar="DATE",
        ),
    ] = None
    until: Annotated[
        str | None, Doc(text="Only lines whose last change is not after this date.", metavar="DATE")
    ] = None
    blame: Annotated[
        bool | None,
        Doc(
            text="Show which commit changed each result last, and its author.",
            setting="search.blame",
        ),
    ] = None

    @property
    def asks_history(self) -> bool:
        """Whether some condition is about commits."""
        return any(each is not None for each in (self.author, self.commit, self.since, self.until))


NO_FILTERS = SearchFilters()


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRequest:
    """What all requests for places in the code have in common.

    The argument `scopes` is a short form of `filters=SearchFilters(scopes=...)`.
    """

    limit: Annotated[
        int | None,
        Doc(
            text="How many results at most.",
            letter="n",
            metavar="N",
            minimum=1,
            setting="search.limit",
        ),
    ] = None
    filters: Annotated[SearchFilters, Doc(text="What hits must be.")] = NO_FILTERS
    scopes: InitVar[Sequence[str]] = ()

    def __post_init__(self, scopes: Sequence[str]) -> None:
        if scopes:
            object.__setattr__(self, "filters", replace(self.filters, scopes=scopes))

    @property
    def words(self) -> str:
        """The text that is asked about; empty where a place is."""
        return ""

    def for_one_of(self, _roots: int) -> "Self":
        """The request to each of so many roots whose hits make one answer."""
        return self


@dataclass(frozen=True, slots=True)
class SearchRequest(HitRequest):
    """A question about the code."""

    query: Query
    _: KW_ONLY
    context_lines: Annotated[
        int | None,
        Doc(
            text="Lines to show around each result.",
            name="context",
            metavar="N",
            minimum=0,
            setting="search.context_lines",
        ),
    ] = None
    explain: Annotated[bool, Doc(text="Show why each result ranks where it does.")] = False
    token_budget: Annotated[
        int | None,
        Doc(
            text="Show about so many tokens of code: the most probable places of all results.",
            name="tokens",
            metavar="N",
            minimum=MIN_TOKENS,
        ),
    ] = None
    refresh: Refresh = None

    @property
    def words(self) -> str:
        """The text that is asked about."""
        return self.query

    def for_one_of(self, roots: int) -> "Self":
        """With an equal share of the token budget."""
        if self.token_budget is None:
            return self
        share = max(self.token_budget // roots, min(self.token_budget, MIN_TOKENS))
        return replace(self, token_budget=share)


@dataclass(frozen=True, slots=True)
class PeekRequest(HitRequest):
    """A question whose answers are shown without their text."""

    query: Query
    _: KW_ONLY
    refresh: Refresh = None

    @property
    def words(self) -> str:
        """The text that is asked about."""
        return self.query


@dataclass(frozen=True, slots=True)
class SimilarRequest(HitRequest):
    """A text for which similar code is searched."""

    text: Annotated[str, Doc(text="Code to look for.")]
    _: KW_ONLY
    refresh: Refresh = None

    @property
    def words(self) -> str:
        """The text that is asked about."""
        return self.text


@dataclass(frozen=True, slots=True)
class DefineRequest(HitRequest):
    """A name whose definitions are searched."""

    name: Annotated[
        str, Doc(text="The symbol's name; `Class.method` narrows it down.", metavar="NAME")
    ]
    _: KW_ONLY
    refresh: Refresh = None

    @property
    def words(self) -> str:
        """The text that is asked about."""
        return self.name


@dataclass(frozen=True, slots=True)
class SimilarPlaceRequest(HitRequest):
    """A place in the code, or a text, for which similar code is searched."""

    place: Annotated[
        str,
        Doc(
            text="A line of the code to look for, or `-` to read code from standard input.",
            metavar="FILE:LINE|-",
        ),
    ]
    text: Annotated[str | None, Doc(text="Code to look for, instead of what is at the place.")] = (
        None
    )
    _: KW_ONLY
    refresh: Refresh = None

    @property
    def words(self) -> str:
        """The text that is asked about."""
        return self.text or ""


def request_of(request: type[_Request], values: Mapping[str, object]) -> _Request:
    """The request whose options have these values, by field; options of nested classes are given among the others."""
    given: dict[str, Any] = {}
    for field in fields(request):  # type: ignore[arg-type]
        nested = nested_options(field.type)
        if nested is not None:
            given[field.name] = request_of(nested, values)
        elif field.name in values:
            given[field.name] = values[field.name]
    return request(**given)


def nested_options(declared: object) -> type | None:
    """The class of a field whose value has options of its own; `None` for any other field."""
    if typing.get_origin(declared) is Annotated:
        declared = typing.get_args(declared)[0]
    return declared if isinstance(declared, type) and is_dataclass(declared) else None


class _Bound(Protocol[_P, _Request_contra, _Answer_co]):
    """A method that takes a request, or the arguments of its constructor."""

    @overload
    def __call__(self, request: _Request_contra, /) -> _Answer_co: ...
    @overload
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _Answer_co: ...


class _Method(Protocol[_P, _Request_contra, _Answer_co]):
    """Such a method as an attribute of a class."""

    def __get__(
        self, instance: object, owner: type | None = None, /
    ) -> _Bound[_P, _Request_contra, _Answer_co]: ...


def accepts(
    request: Callable[_P, _Request],
) -> Callable[[Callable[[Any, _Request], _Answer]], _Method[_P, _Request, _Answer]]:
    """Let a method that takes a request be called with the arguments of the request's constructor, too.

        @accepts(SearchRequest)
        def search(self, request: SearchRequest) -> SearchResult: ...

        workspace.search(SearchRequest("tokens", limit=5))  # as it is
        workspace.search("tokens", limit=5)  # the same

    Type checkers and `help` see the constructor's signature, and the documentation of its arguments.
    """

    def decorate(method: Callable[[Any, _Request], _Answer]) -> _Method[_P, _Request, _Answer]:
        @functools.wraps(method)
        def call(self: object, *args: Any, **kwargs: Any) -> _Answer:  # noqa: ANN401 - the constructor checks them
            if len(args) == 1 and not kwargs and isinstance(args[0], cast("type", request)):
                return method(self, cast("_Request", args[0]))
            return method(self, request(*args, **kwargs))

        call.__doc__ = f"{inspect.getdoc(method)}\n\nArgs:\n{_argument_docs(request)}"
        signature = inspect.signature(request)
        instance = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        answer = inspect.signature(method).return_annotation
        cast("Any", call).__signature__ = signature.replace(
            parameters=[instance, *signature.parameters.values()], return_annotation=answer
        )
        return cast("_Method[_P, _Request, _Answer]", call)

    return decorate


def _argument_docs(request: Any) -> str:  # noqa: ANN401 - the class of a request
    """A line for each documented field of a request."""
    return "\n".join(
        f"    {field.name}: {doc.text}"
        for field in sorted(fields(request), key=lambda field: bool(field.kw_only))
        for doc in getattr(field.type, "__metadata__", ())
    )
