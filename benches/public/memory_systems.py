"""Systems that answer questions about a conversation, in one form: our memory and its simplest rivals."""

import bisect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from benches.memory.conversations import Conversation, Turn
from benches.memory.replay import Replayed, replayed
from benches.public.bm25 import Bm25
from codecairn.memory.excerpts import shortened, tokens

MEMORY = "codecairn"
BM25 = "BM25 of turns"
LAST = "the last turns"


class System(Protocol):
    """A system that has read one conversation."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    def ranked(self, question: str, limit: int, /) -> list[str]:
        """The keys of the turns that answer best, best first."""

    def block(self, question: str, max_tokens: int, /) -> str:
        """The text that a model is shown for a question, in at most so many tokens."""

    def confidence(self, question: str, /) -> float:
        """How sure it is that there is an answer. Our memory decides by itself: 1 or 0."""


class Memory:
    """Our memory as a host asks it: no model, no summary but those made at the end of a session."""

    name = MEMORY

    def __init__(self, replay: Replayed) -> None:
        self._replay = replay
        self._asked = 0

    def ranked(self, question: str, limit: int, /) -> list[str]:
        """The turns of facts and events, in the order of recall."""
        keys: dict[str, None] = {}
        for hit in self._replay.memory.recall(question, limit=limit, evidence=0):
            keys |= dict.fromkeys(sorted(self._replay.turns_of(hit)))
        return [*keys][:limit]

    def block(self, question: str, max_tokens: int, /) -> str:
        """The block of a prompt that is the first of a session."""
        self._asked += 1
        session = f"asked-{self._asked}"
        return self._replay.memory.context(session, question, budget_tokens=max_tokens).text

    def confidence(self, question: str, /) -> float:
        """Whether the answer of a search says that it answers."""
        return float(self._replay.memory.search(question).is_answered)


class Lexical:
    """BM25 of whole turns; the block has the best ones."""

    name = BM25

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._texts = {turn.key: turn.text for turn in turns}
        self._index = Bm25(self._texts)

    def ranked(self, question: str, limit: int, /) -> list[str]:
        """The turns of the highest score."""
        return [key for key, _ in self._index.ranked(question, limit)]

    def block(self, question: str, max_tokens: int, /) -> str:
        """The best turns, as many as there is room for; the last is cut."""
        return _filled((self._texts[key] for key in self.ranked(question, 50)), max_tokens)

    def confidence(self, question: str, /) -> float:
        """The highest score."""
        best = self._index.ranked(question, 1)
        return best[0][1] if best else 0.0


class Latest:
    """No search: the last turns, as in a context that is cut at its beginning."""

    name = LAST

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns[::-1]

    def ranked(self, _question: str, limit: int, /) -> list[str]:
        """The last turns, whatever is asked."""
        return [turn.key for turn in self._turns[:limit]]

    def block(self, _question: str, max_tokens: int, /) -> str:
        """The last turns, as many as there is room for."""
        return _filled((turn.text for turn in self._turns), max_tokens)

    def confidence(self, _question: str, /) -> float:
        """Always sure."""
        return 1.0


def _filled(texts: Iterator[str], max_tokens: int) -> str:
    parts: list[str] = []
    left = max_tokens
    for text in texts:
        parts.append(shortened(text, left))
        left -= tokens(parts[-1])
        if left <= 0:
            break
    return "\n".join(parts)


@contextmanager
def systems(conversation: Conversation) -> Iterator[tuple[System, ...]]:
    """All of them, with the conversation recorded."""
    with replayed(conversation, with_summaries=True) as replay:
        yield Memory(replay), Lexical(conversation.turns), Latest(conversation.turns)


def best_threshold(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """The least confidence to answer at, by which most of both are right: the highest balanced accuracy.

    Raises:
        ValueError: If there are none of one kind.
    """
    if not (answerable and unanswerable):
        raise ValueError("a threshold needs questions that have an answer and some that have none")
    yes, no = sorted(answerable), sorted(unanswerable)

    def balanced(threshold: float) -> float:
        told = 1 - bisect.bisect_left(yes, threshold) / len(yes)
        return told + bisect.bisect_left(no, threshold) / len(no)

    return max(sorted({*yes, *no}), key=balanced)
