"""Requests for context; see `codecairn.core.requests`."""

from dataclasses import KW_ONLY
from typing import Annotated

from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import NO_FILTERS, Doc, Refresh, SearchFilters

TokenBudget = Annotated[
    int, Doc(text="The maximum number of tokens.", alias="tokens", metavar="N", minimum=128)
]


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """A question, or a symbol, whose context is collected."""

    query: Annotated[
        str, Doc(text='A question or a name; "from A to B" asks for a way.', metavar="QUERY")
    ]
    _: KW_ONLY
    source: Annotated[
        str | None, Doc(text="The symbol where a path starts.", name="from", metavar="NAME")
    ] = None
    target: Annotated[
        str | None, Doc(text="The symbol where a path ends.", name="to", metavar="NAME")
    ] = None
    symbol: Annotated[str | None, Doc(text="The symbol to describe.", metavar="NAME")] = None
    limit: Annotated[
        int, Doc(text="How many hits or neighbours at most.", letter="n", metavar="N", minimum=1)
    ] = 10
    max_depth: Annotated[
        int, Doc(text="The maximum number of steps of a path.", metavar="N", minimum=1)
    ] = 10
    filters: Annotated[
        SearchFilters,
        Doc(text="What hits of a search must be.", offers=("languages", "directories")),
    ] = NO_FILTERS
    token_budget: TokenBudget = 1200
    refresh: Refresh = None


@dataclass(frozen=True, slots=True)
class EditContextRequest:
    """A symbol that is about to be changed."""

    target: Annotated[
        str,
        Doc(
            text="The symbol to change: `name`, `Class.name`, `path::name` or `path:line`.",
            metavar="TARGET",
        ),
    ]
    _: KW_ONLY
    file: Annotated[
        str | None,
        Doc(
            text="The file that defines it, if several symbols have its name.",
            metavar="FILE",
            place="file",
        ),
    ] = None
    query: Annotated[
        str, Doc(text="What to search for if nothing has the name.", metavar="QUERY")
    ] = ""
    caller_limit: Annotated[int, Doc(text="How many callers at most.", metavar="N", minimum=1)] = 5
    callee_limit: Annotated[int, Doc(text="How many callees at most.", metavar="N", minimum=1)] = 5
    token_budget: TokenBudget = 1200
    refresh: Refresh = None
