"""Finds definitions in an index that exists already, without creating one."""

from collections.abc import Callable

from codecairn.core.engine import Engine
from codecairn.core.requests import DefineRequest
from codecairn.errors import CodecairnError

_MAX_DEFINITIONS = 100
_REFRESH_BUDGET_MS = 2_000


class IndexedDefinitions:
    """The definitions of one workspace by their names."""

    def __init__(self, opened: Callable[[], Engine]) -> None:
        self._opened = opened

    def paths(self, name: str) -> tuple[str, ...]:
        """The files that define a name; none where there is no index, or it can't be read."""
        try:
            hits = self._opened().define(DefineRequest(name, limit=_MAX_DEFINITIONS))
        except CodecairnError:
            return ()
        return tuple(dict.fromkeys(hit.path for hit in hits))

    def refresh(self) -> bool:
        """Bring the index up to date; whether it is as new as the files."""
        try:
            return self._opened().refresh(budget_ms=_REFRESH_BUDGET_MS).state == "fresh"
        except CodecairnError:
            return False
