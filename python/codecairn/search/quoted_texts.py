"""Quoted parts of a query: hits must have them, ignoring case; if nothing has them, their words are searched for."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from codecairn.core.requests import PeekRequest, SearchRequest

if TYPE_CHECKING:
    from codecairn.core.types.hits import SearchResult

_QUOTED = re.compile('"([^"]+)"')
_Request = TypeVar("_Request", SearchRequest, PeekRequest)


def or_unquoted(request: _Request, search: "Callable[[_Request], SearchResult]") -> "SearchResult":
    """What `search` finds; if nothing has the quoted parts, what it finds without quotes, with a note."""
    result = search(request)
    quoted = _QUOTED.findall(request.query)
    if result.hits or not quoted:
        return result
    unquoted: _Request = replace(request, query=request.query.replace('"', " "), refresh=False)
    words: SearchResult = search(unquoted)
    if not words.hits:
        return result
    parts = " and ".join(f'"{part}"' for part in quoted)
    note = f"nothing has {parts} exactly; these results were found by the words"
    return replace(result, hits=words.hits, stale=words.stale, notes=(*words.notes, note))
