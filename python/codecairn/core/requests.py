"""Requests and the documentation of their options: what commands, tools and their schemas are made from.

A default of `None` means that a setting decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
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
