"""Systems that answer questions about a conversation, in one form: our memory, its simplest rivals, and other programs.

Other programs are asked only if `--system` names them; each says where it is to be found.
"""

import argparse
import bisect
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Protocol

from benches.memory.conversations import Conversation, Turn
from benches.memory.replay import Replayed, replayed
from benches.public.blocks import filled
from benches.public.bm25 import Bm25
from benches.public.claude_mem import ClaudeMem
from benches.public.mem0 import Mem0

MEMORY = "codecairn"
BM25 = "BM25 of turns"
LAST = "the last turns"
FIRST = "everything in order"
CLAUDE_MEM = "claude-mem"
MEM0 = "mem0"
DEFAULT = (MEMORY, BM25, LAST, FIRST)


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
        return filled((self._texts[key] for key in self.ranked(question, 50)), max_tokens)

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
        return filled((turn.text for turn in self._turns), max_tokens)

    def confidence(self, _question: str, /) -> float:
        """Always sure."""
        return 1.0


class InOrder:
    """No search: everything from the beginning. Where a budget takes a whole conversation, nothing can show more."""

    name = FIRST

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns

    def ranked(self, _question: str, limit: int, /) -> list[str]:
        """The first turns, whatever is asked."""
        return [turn.key for turn in self._turns[:limit]]

    def block(self, _question: str, max_tokens: int, /) -> str:
        """The first turns, as many as there is room for."""
        return filled((turn.text for turn in self._turns), max_tokens)

    def confidence(self, _question: str, /) -> float:
        """Always sure."""
        return 1.0


@contextmanager
def _memory(conversation: Conversation) -> Iterator[System]:
    with replayed(conversation, with_summaries=True) as replay:
        yield Memory(replay)


Opening = Callable[[Conversation], AbstractContextManager[System]]

SYSTEMS: dict[str, Opening] = {
    MEMORY: _memory,
    BM25: lambda conversation: nullcontext(Lexical(conversation.turns)),
    LAST: lambda conversation: nullcontext(Latest(conversation.turns)),
    FIRST: lambda conversation: nullcontext(InOrder(conversation.turns)),
    CLAUDE_MEM: lambda conversation: ClaudeMem.reading(conversation.turns),
    MEM0: lambda conversation: Mem0.reading(conversation.turns),
}


@contextmanager
def systems(
    conversation: Conversation, names: Sequence[str] = DEFAULT
) -> Iterator[tuple[System, ...]]:
    """Those that are named, with the conversation recorded."""
    with ExitStack() as opened:
        yield tuple(opened.enter_context(SYSTEMS[name](conversation)) for name in names)


def add_option(parser: argparse.ArgumentParser) -> None:
    """The option `--system` of a command that asks about conversations."""
    parser.add_argument(
        "--system",
        nargs="+",
        choices=tuple(SYSTEMS),
        default=list(DEFAULT),
        metavar="NAME",
        help=f"of {', '.join(SYSTEMS)} (default: {', '.join(DEFAULT)})",
    )


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
