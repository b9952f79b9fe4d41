"""Which records of the memory the core returns, as plain data."""

from collections.abc import Mapping

from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryEmbedding:
    """The vector that a provider made of a query, in the provider's vector space. The core reads the fields by name."""

    space: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOptions:
    """Which records may answer a question to the memory. The core reads the fields by name.

    Attributes:
        limit: How many at most.
        facts: Whether to return facts.
        events: Whether to return events.
        filter: The conditions on facts, by the names of the core's `FactFilter`.
        session: Only events of this session.
        since_ms: Only records since this time.
        until_ms: Only records at or before this time.
        least_evidence: The minimum evidence, from 0 to 1.
        is_overview: Whether hits should come from many sessions.
        prefers_new: Whether newer records rank higher.
        around_ms: A period, from and to, whose records rank higher.
        embedding: The query's vector: the provider's vectors take the place of the built-in model's where there are any.
    """

    limit: int
    facts: bool = True
    events: bool = True
    filter: Mapping[str, object]
    session: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    least_evidence: float
    is_overview: bool = False
    prefers_new: bool = False
    around_ms: tuple[int, int] | None = None
    embedding: QueryEmbedding | None = None
