"""What a search's filters mean for the engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codecairn.engine import languages
from codecairn.errors import UsageError
from codecairn.paths.relative import inner_name
from codecairn.requests import EngineFilters
from codecairn.types import KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """What hits must be, as somebody asked for it.

    All conditions that are given must hold; within one list any entry will do.

    Attributes:
        kinds: Normalised kinds such as "function".
        languages: Language ids or names such as "python" or "C++".
        directories: Folders, relative to the root.
        globs: Patterns in the syntax of gitignore.
        author: Part of the name or address of somebody whose commits touched the file.
        since: A date as git reads it ("2 weeks ago", "2026-01-31"); commits since then touched the file.
    """

    kinds: Sequence[str] = ()
    languages: Sequence[str] = ()
    directories: Sequence[str] = ()
    globs: Sequence[str] = ()
    author: str | None = None
    since: str | None = None


def resolve_filters(filters: SearchFilters, *, root: Path) -> EngineFilters:
    """The filters in the engine's terms: names checked, folders relative, history asked.

    Raises:
        UsageError: If a kind or language is unknown, a folder lies outside the workspace, or a list is a text.
        HistoryUnavailable: If git's history is needed and can't be read.
    """
    for name in ("kinds", "languages", "directories", "globs"):
        if isinstance(getattr(filters, name), str):
            raise UsageError(f"`{name}` is one text", hint="give a list of texts")
    paths = None
    if filters.author is not None or filters.since is not None:
        from codecairn.search.history import changed_paths

        paths = changed_paths(root, author=filters.author, since=filters.since)
    return EngineFilters(
        kinds=tuple(_known_kind(kind) for kind in filters.kinds),
        languages=_language_ids(filters.languages),
        directories=tuple(
            name for given in filters.directories if (name := inner_name(given, root=root))
        ),
        globs=tuple(filters.globs),
        paths=paths,
    )


def _known_kind(kind: str) -> str:
    lowered = kind.lower()
    if lowered not in KINDS:
        raise UsageError(f"unknown kind `{kind}`", hint=f"known are {', '.join(KINDS)}")
    return lowered


def _language_ids(given: Sequence[str]) -> tuple[str, ...]:
    if not given:
        return ()
    ids = {}
    for language in languages():
        ids[language.name.lower()] = language.id
        ids[language.id] = language.id
    return tuple(_language_id(name, ids) for name in given)


def _language_id(name: str, ids: dict[str, str]) -> str:
    found = ids.get(name.lower())
    if found is None:
        import difflib

        matches = difflib.get_close_matches(name.lower(), ids, n=1)
        hint = f"did you mean `{ids[matches[0]]}`?" if matches else "see `codecairn status`"
        raise UsageError(f"unknown language `{name}`", hint=hint)
    return found
