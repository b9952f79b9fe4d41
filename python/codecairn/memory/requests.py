"""Requests to the memory; see `codecairn.core.requests`."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated

from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import Doc
from codecairn.core.types.memory import FACT_TYPES, SCOPES
from codecairn.memory.detail import LEVELS
from codecairn.memory.recall import MIN_EVIDENCE

Limit = Annotated[int, Doc(text="How many at most.", letter="n", metavar="N", minimum=1)]
Types = Annotated[
    Sequence[str],
    Doc(text="Only facts of this type.", name="type", metavar="TYPE", choices=FACT_TYPES),
]
Scopes = Annotated[
    Sequence[str],
    Doc(text="Only facts of this scope.", name="scope", metavar="SCOPE", choices=SCOPES),
]
AsOf = Annotated[
    str | None,
    Doc(text='Facts as they were believed at this time ("2026-03-01", "2w").', metavar="TIME"),
]
WithPrivate = Annotated[bool, Doc(text="Include private records.", name="private")]
WithHistory = Annotated[bool, Doc(text="Include facts that no longer hold.", name="history")]
AllProjects = Annotated[bool, Doc(text="In every project.")]


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question to the memory; a condition on types or scopes leaves no events.

    Only Python takes `evidence`: the least probability to answer, from 0 to 1; 0 for all that was found.
    """

    query: Annotated[str, Doc(text="Words in any script.", metavar="QUERY")]
    _: KW_ONLY
    limit: Limit = 10
    types: Types = ()
    scopes: Scopes = ()
    kinds: Annotated[
        Sequence[str],
        Doc(
            text="Only facts, or only events.",
            name="kind",
            metavar="KIND",
            choices=("fact", "event"),
        ),
    ] = ()
    session: Annotated[str | None, Doc(text="Only events of this session.", metavar="SESSION")] = (
        None
    )
    since: Annotated[str | None, Doc(text="Only records since this time.", metavar="TIME")] = None
    until: Annotated[str | None, Doc(text="Only records before this time.", metavar="TIME")] = None
    as_of: AsOf = None
    with_private: WithPrivate = False
    with_history: WithHistory = False
    all_projects: AllProjects = False
    evidence: float = MIN_EVIDENCE


@dataclass(frozen=True, slots=True)
class MemorySearchRequest(RecallRequest):
    """A question to the memory, and how its answers are shown."""

    _: KW_ONLY
    detail: Annotated[
        str, Doc(text="How much of each result is shown.", metavar="LEVEL", choices=LEVELS)
    ] = "full"
    everything: Annotated[bool, Doc(text="Include results that probably do not answer.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FactListRequest:
    """The facts that are listed."""

    limit: Limit = 50
    types: Types = ()
    scopes: Scopes = ()
    as_of: AsOf = None
    with_private: WithPrivate = False
    with_history: WithHistory = False
    forgotten: Annotated[bool, Doc(text="Only facts that were forgotten.")] = False
    all_projects: AllProjects = False
