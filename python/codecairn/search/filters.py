"""Translates the filters of a request to the engine's terms."""

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.core.engine import languages
from codecairn.core.options import KINDS
from codecairn.core.requests import SearchFilters
from codecairn.errors import UsageError
from codecairn.paths.relative import inner_name

if TYPE_CHECKING:
    from codecairn.search.git_history import History


def history_of(filters: SearchFilters, *, root: Path) -> "History | None":
    """Which commits are meant and what they touched; `None` if no condition is about commits.

    Raises:
        UsageError: If there is no such commit or moment.
        HistoryUnavailable: If git's history can't be read.
    """
    if not filters.asks_history:
        return None
    from codecairn.search.git_history import look_up

    return look_up(
        root,
        author=filters.author,
        commit=filters.commit,
        since=filters.since,
        until=filters.until,
    )


def require_lists(filters: SearchFilters) -> None:
    """Check that no list is a text, each of whose letters would count as an entry.

    Raises:
        UsageError: If one is.
    """
    for field in fields(filters):
        is_list = isinstance(field.default, tuple) or field.name == "paths"
        if is_list and isinstance(getattr(filters, field.name), str):
            raise UsageError(f"`{field.name}` is one text", hint="give a list of texts")


def resolve_filters(
    filters: SearchFilters, *, root: Path, paths: tuple[str, ...] | None = None
) -> SearchFilters:
    """The filters in the engine's terms: names checked, folders relative; `paths` are the only files, if given.

    Raises:
        UsageError: If a kind or language is unknown, a folder is not there or outside the workspace, or a list is a text.
    """
    require_lists(filters)
    if not all(pattern.strip() for pattern in (*filters.globs, *filters.exclude)):
        raise UsageError("a pattern is empty", hint="for example `*.py` or `tests/**`")
    if filters.paths is not None:
        given = set(filters.paths)
        paths = tuple(filters.paths if paths is None else (path for path in paths if path in given))
    return replace(
        filters,
        kinds=tuple(_known_kind(kind) for kind in filters.kinds),
        languages=_language_ids(filters.languages),
        directories=tuple(
            name for given in filters.directories if (name := _folder(given, root=root))
        ),
        paths=paths,
    )


def _folder(given: str, *, root: Path) -> str:
    """The name of a folder in the workspace; empty for the root itself."""
    from codecairn.paths.named_entry import require_folder

    name = inner_name(given, root=root) if given.strip() else ""
    if name or not given.strip():
        require_folder(name, base=root, root=root)
    return name


def _known_kind(kind: str) -> str:
    lowered = kind.lower()
    if lowered not in KINDS:
        from codecairn.core.nearest import did_you_mean

        hint = did_you_mean(kind, KINDS) or f"known are {', '.join(KINDS)}"
        raise UsageError(f"unknown kind `{kind}`", hint=hint)
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
        from codecairn.core.nearest import nearest

        meant = nearest(name, ids)
        hint = f"did you mean `{ids[meant]}`?" if meant else "see `codecairn status`"
        raise UsageError(f"unknown language `{name}`", hint=hint)
    return found
