"""A conversation, recorded as an agent's host would."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from benches.memory.conversations import Conversation, Turn
from codecairn.config import layers
from codecairn.core.types.memory import Recalled, Recorded
from codecairn.memory.memory import Memory


@dataclass(frozen=True, slots=True)
class StoppedClock:
    """Always the same moment."""

    ms: int

    def now_ns(self) -> int:
        """The moment, in nanoseconds since 1970."""
        return self.ms * 1_000_000

    def monotonic_s(self) -> float:
        """Time does not pass."""
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A memory of a conversation, asked on the day after it; `keys` names the turns by the ids of their events."""

    memory: Memory
    keys: dict[str, str]

    def turns_of(self, hit: Recalled) -> set[str]:
        """The turns that a hit is, or is drawn from."""
        sources = hit.fact.sources if hit.fact is not None else ()
        ids = [hit.id, *(f"E{seq}" for seq in sources)]
        return {self.keys[id_] for id_ in ids if id_ in self.keys}


@contextmanager
def replayed(conversation: Conversation, *, with_summaries: bool = False) -> Iterator[Replayed]:
    """Record all turns into a memory of their own, and summarise each session at its end if wanted.

    The memory is gone afterwards.
    """
    with tempfile.TemporaryDirectory(prefix="codecairn-replay-") as folder:
        root = Path(folder) / conversation.name
        root.mkdir()
        home = {"memory.path": str(Path(folder) / "memory.db")}
        before = os.environ.get("CODECAIRN_HOME")
        os.environ["CODECAIRN_HOME"] = str(Path(folder) / "home")
        try:
            settings = layers.load(root, arguments=home).settings
            clock = StoppedClock(conversation.ended_ms)
            memory = Memory(root, settings, clock=clock)
            keys = {}
            for session, turns in groupby(conversation.turns, key=lambda turn: turn.session):
                for turn in turns:
                    recorded = _record(memory, turn)
                    keys[f"E{recorded.seq}"] = turn.key
                if with_summaries:
                    memory.upkeep.summarise(session, with_models=False)
            yield Replayed(memory=memory, keys=keys)
            memory.close()
        finally:
            if before is None:
                del os.environ["CODECAIRN_HOME"]
            else:
                os.environ["CODECAIRN_HOME"] = before


def _record(memory: Memory, turn: Turn) -> Recorded:
    return memory.record(
        turn.session,
        turn.text,
        key=f"{turn.session}/{turn.key}",
        role=turn.role,
        hook="UserPromptSubmit" if turn.role == "user" else "Stop",
        ts_ms=turn.ts_ms,
        meta={"speaker": turn.speaker} if turn.speaker else {},
    )
