"""Finds definitions in an index that exists already, without creating or refreshing one."""

from collections.abc import Callable

from codecairn.core.engine import Engine
from codecairn.core.requests import DefineRequest
from codecairn.errors import CodecairnError

_MAX_DEFINITIONS = 8


def definition_paths(opened: Callable[[], Engine]) -> Callable[[str], tuple[str, ...]]:
    """A function that gives the files that define a name; none where there is no index, or it can't be read."""

    def paths(name: str) -> tuple[str, ...]:
        try:
            hits = opened().define(DefineRequest(name, limit=_MAX_DEFINITIONS))
        except CodecairnError:
            return ()
        return tuple(dict.fromkeys(hit.path for hit in hits))

    return paths
