"""Questions about a conversation, in the form that all sets share."""

from dataclasses import dataclass

ABSTENTION = "abstention"
CONTRADICTION = "contradiction_resolution"
UPDATE = "knowledge_update"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A question, with the turns that its answer needs.

    Attributes:
        sides: The turns of the first and of the second statement of a contradiction, or of the value before and after an
            update; else all turns are in one. None for a question that nothing answers.
        statements: The answer, or of a contradiction the two statements that an answer must mention.
        group: Questions that are alike and stay together in an interval; if empty, those of its conversation.
    """

    text: str
    category: str
    sides: tuple[frozenset[str], ...]
    statements: tuple[str, ...]
    group: str = ""

    @property
    def gold(self) -> frozenset[str]:
        """All turns that its answer needs."""
        return frozenset().union(*self.sides)
