"""How far a refresh came. A module of its own, as each search needs it, and no other report of indexing."""

from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How far a refresh came.

    Attributes:
        state: "fresh", "partial" (the budget ran out), "locked", "read-only" or "disk-full".
        changed: Files that were brought up to date.
        unchecked: Files known to have changed but not indexed yet, or not looked at.
        seconds: How long it took.
    """

    state: str
    changed: int
    unchecked: int
    seconds: float
