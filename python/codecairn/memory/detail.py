"""Three levels of detail for recalled memories: title, preview, full text."""

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import Recalled
from codecairn.memory.excerpts import excerpt, one_line, shortened, tokens

LEVELS = ("titles", "excerpts", "full")
"""How much of each memory is shown, the least first."""

_TITLE_TOKENS = 20
_EXCERPT_TOKENS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A memory that is not shown in full.

    Attributes:
        id: What it is called; `get` shows it in full, `timeline` what happened around it.
        kind: "fact" or "event".
        type: A fact's type, or an event's category.
        title: A few words.
        ts_ms: When it was said, or since when it holds.
        session: The session of an event.
        score: How well it answers; comparable within one answer.
        evidence: How likely it answers at all, from 0 to 1.
        tokens: About how many tokens it has in full.
        excerpt: The passage that answers best; empty in a list of titles.
    """

    id: str
    kind: str
    type: str
    title: str
    ts_ms: int
    session: str
    score: float
    evidence: float
    tokens: int
    excerpt: str


def preview(found: Recalled, question: str, *, level: str) -> Preview:
    """A memory at the level "titles" or "excerpts"."""
    fact, event = found.fact, found.event
    title = fact.title if fact is not None else event.title if event is not None else ""
    return Preview(
        id=found.id,
        kind="fact" if fact is not None else "event",
        type=fact.type if fact is not None else event.category if event is not None else "",
        title=shortened(one_line(title or found.text), _TITLE_TOKENS),
        ts_ms=fact.valid_from_ms if fact is not None else event.ts_ms if event is not None else 0,
        session=event.session if event is not None else "",
        score=found.score,
        evidence=found.evidence,
        tokens=tokens(found.text),
        excerpt=excerpt(found.text, question, _EXCERPT_TOKENS) if level == "excerpts" else "",
    )
