"""Requests and the documentation of their options: what commands, tools and their schemas are made from.

A default of `None` means that a setting decides.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True, kw_only=True)
class Doc:
    """The documentation and limits of a parameter, in addition to its type and default.

    Attributes:
        text: What it means.
        name: What users call it, where that differs from the parameter: `kind` for `kinds`.
        letter: Its one-letter form.
        metavar: The word that stands for its value.
        choices: The only values allowed; empty for any.
        minimum: The least number allowed.
        maximum: The greatest number allowed.
        is_positional: Whether it is given by its place even where it has a default; what has none always is.
    """

    text: str
    name: str = ""
    letter: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    is_positional: bool = False


Limit = Annotated[
    int | None, Doc(text="How many results at most.", letter="n", metavar="N", minimum=1)
]
Languages = Annotated[Sequence[str], Doc(text="Only this language.", name="lang", metavar="LANG")]
Directories = Annotated[
    Sequence[str],
    Doc(text="Only below this folder, relative to the root.", name="dir", metavar="DIR"),
]
Query = Annotated[
    str,
    Doc(text='Words, an identifier or a path; "quoted parts" must occur exactly.', metavar="QUERY"),
]
Refresh = Annotated[
    bool | None, Doc(text="Take in what changed first, within the budget of the settings.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """The filters of a search, as the caller gave them.

    All conditions that are given must hold; within one list any entry will do.

    Attributes:
        kinds: Normalised kinds such as "function".
        languages: Language ids or names such as "python" or "C++".
        directories: Folders, relative to the root.
        globs: Patterns in the syntax of gitignore.
        paths: Exact paths, relative to the root; `None` for any.
        author: Part of the name or address of the author whose commit changed a line of the hit last.
        commit: The commit that changed a line of the hit last: its id or the beginning of that.
        since: A date as git reads it ("2 weeks ago", "2026-01-31"); a line of the hit was changed since then.
        until: Such a date; a line of the hit was changed last before it, or on that day.
        blame: No condition: whether each hit tells who changed it last; `None` for what the settings say.
    """

    kinds: Sequence[str] = ()
    languages: Sequence[str] = ()
    directories: Sequence[str] = ()
    globs: Sequence[str] = ()
    paths: Sequence[str] | None = None
    author: str | None = None
    commit: str | None = None
    since: str | None = None
    until: str | None = None
    blame: bool | None = None

    @property
    def asks_history(self) -> bool:
        """Whether some condition is about commits."""
        return any(each is not None for each in (self.author, self.commit, self.since, self.until))


NO_FILTERS = SearchFilters()


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRequest:
    """What all requests for places in the code have in common."""

    limit: Limit = None
    filters: Annotated[SearchFilters, Doc(text="What hits must be.")] = NO_FILTERS


@dataclass(frozen=True, slots=True)
class SearchRequest(HitRequest):
    """A question about the code."""

    query: Query
    _: KW_ONLY
    context_lines: Annotated[
        int | None,
        Doc(text="Lines to show around each result.", name="context", metavar="N", minimum=0),
    ] = None
    explain: Annotated[bool, Doc(text="Show why each result ranks where it does.")] = False
    refresh: Refresh = None


@dataclass(frozen=True, slots=True)
class SimilarRequest(HitRequest):
    """A text for which similar code is searched."""

    text: Annotated[str, Doc(text="Code to look for.")]
    _: KW_ONLY
    refresh: Refresh = None


@dataclass(frozen=True, slots=True)
class DefineRequest(HitRequest):
    """A name whose definitions are searched."""

    name: Annotated[
        str, Doc(text="The symbol's name; `Class.method` narrows it down.", metavar="NAME")
    ]
    _: KW_ONLY
    refresh: Refresh = None
