"""What a question to the memory found, and whether any of it seems to answer."""

from collections.abc import Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import Recalled
from codecairn.memory.detail import Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySearch:
    """What a question found.

    Attributes:
        results: Best first; a complete list newest first.
        is_answered: Whether one of them seems to answer. If not, they are only what is nearest.
        period: The period that the question is confined to: "since 2026-03-02 00:00"; empty if it is to none.
        notes: What kept the search from using the provider's vectors, if the settings name one for the memory.
    """

    results: Sequence[Recalled | Preview]
    is_answered: bool
    period: str = ""
    notes: tuple[str, ...] = ()

    @property
    def remark(self) -> str:
        """What people and agents should know before they read the results; empty if nothing."""
        within = f" {self.period}" if self.period else ""
        if not self.results:
            return f"nothing is remembered about this{within}"
        return "" if self.is_answered else "nothing that is remembered seems to answer this"
