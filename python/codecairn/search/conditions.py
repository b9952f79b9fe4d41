"""The filters of one search, resolved to conditions of the engine and questions to git."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.core.requests import SearchFilters
from codecairn.search.filters import history_of, resolve_filters

if TYPE_CHECKING:
    from codecairn.core.types.hits import Hit
    from codecairn.search.commit_filter import Blames


class SearchConditions:
    """The filters of one search on one root. git is asked, and what asks it loaded, only where commits matter.

    Attributes:
        filters: What the engine narrows by.
    """

    def __init__(self, filters: SearchFilters, *, root: Path, blames_usually: bool = False) -> None:
        self._history = history_of(filters, root=root)
        self.filters: SearchFilters = resolve_filters(
            filters, root=root, paths=None if self._history is None else self._history.paths
        )
        shows = blames_usually if filters.blame is None else filters.blame
        self._blames = _blames(root) if shows or self._history is not None else None
        self._is_asked_for = filters.blame is True or self._history is not None

    def hits(
        self,
        ask: "Callable[[int], Sequence[Hit]]",
        *,
        limit: int,
        others: "Callable[[Hit, SearchFilters], Iterable[Hit]]" = lambda _hit, _filters: (),
    ) -> "tuple[Hit, ...]":
        """The best hits; `ask` gives so many that pass the engine, `others` further places in a hit's file."""
        if self._history is None or self._blames is None:
            return tuple(ask(limit))
        return self._blames.narrowed(
            ask,
            self._history.wanted,
            limit=limit,
            others=lambda hit: others(hit, self._only(hit.path)),
        )

    def shown(self, hits: "Sequence[Hit]") -> "tuple[Hit, ...]":
        """The hits as they are shown: with who changed them last, if that was asked for."""
        return tuple(hits) if self._blames is None else self._blames.shown(hits)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on the result."""
        of_history = () if self._history is None else self._history.notes
        if self._blames is None or not self._is_asked_for:
            return of_history
        return (*of_history, *dict.fromkeys(self._blames.notes))

    def _only(self, path: str) -> SearchFilters:
        from dataclasses import replace

        return replace(self.filters, paths=(path,))


def _blames(root: Path) -> "Blames":
    from codecairn.search.commit_filter import Blames

    return Blames(root=root)
