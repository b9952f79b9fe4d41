"""BEAM's conversations: https://github.com/mohammadtavakoli78/BEAM, of which nothing is kept here."""

import json
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

from benches.memory.conversations import Conversation, Turn
from benches.public.mirrors import Mirror
from benches.public.probes import ABSTENTION, CONTRADICTION, Probe

ADDRESS = "https://github.com/mohammadtavakoli78/BEAM"
REVISION = "b2a3ee8ba12d68f83143dda191097dc3e028ddd3"
SIZES = {"128K": "100K", "500K": "500K"}
"""The sizes as the paper calls them, in tokens, and their folders."""

_FIRST_DAY = datetime(2024, 1, 1, 12, tzinfo=timezone.utc)
_MINUTE_MS = 60_000


def conversations(mirror: Mirror, size: str) -> Iterator[tuple[Conversation, tuple[Probe, ...]]]:
    """The conversations of one size with their questions. A batch of turns that share a date is a session."""
    folder = f"chats/{SIZES[size]}"
    names = {path.split("/")[2] for path in mirror.paths(folder)}
    numbers = sorted(int(name) for name in names if name.isdigit())
    for number in numbers:
        chat = json.loads(mirror.text(f"{folder}/{number}/chat.json"))
        asked = json.loads(
            mirror.text(f"{folder}/{number}/probing_questions/probing_questions.json")
        )
        name = f"beam-{size.lower()}-{number}"
        turns = tuple(_turns(name, chat))
        known = {turn.key for turn in turns}
        probes = (_probe(category, row) for category, rows in asked.items() for row in rows)
        whole = tuple(
            each
            for each in probes
            if each.gold <= known and (each.gold or each.category == ABSTENTION)
        )
        yield Conversation(name=name, turns=turns, questions=()), whole


def _turns(name: str, chat: list[dict[str, Any]]) -> Iterator[Turn]:
    began = _FIRST_DAY
    at = 0
    for batch in chat:
        for message in (message for exchange in batch["turns"] for message in exchange):
            began = _day(message.get("time_anchor")) or began
            at += 1
            yield Turn(
                key=str(message["id"]), session=f"{name}-{batch['batch_number']}", role=message["role"], speaker="",
                text=message["content"], ts_ms=int(began.timestamp() * 1000) + at * _MINUTE_MS,
            )  # fmt: skip


def _day(written: str | None) -> datetime | None:
    try:
        return datetime.strptime(f"{written} 12 +0000", "%B-%d-%Y %H %z")
    except ValueError:
        return None


def _probe(category: str, row: dict[str, Any]) -> Probe:
    sources = row.get("source_chat_ids") or []
    grouped = list(sources.values()) if isinstance(sources, dict) else [sources]
    sides = tuple(frozenset(str(each) for each in _flat(side)) for side in grouped if side)
    rubric = [str(each).partition(": ")[2] or str(each) for each in row["rubric"]]
    # The first line of a contradiction says that there is one, the last asks which statement holds.
    statements = rubric[1:3] if category == CONTRADICTION else rubric
    return Probe(text=row["question"], category=category, sides=sides, statements=tuple(statements))


def _flat(side: object) -> Iterator[int]:
    """Turns are numbers, lists of them, or one number."""
    if isinstance(side, list):
        for each in side:
            yield from _flat(each)
    elif isinstance(side, int):
        yield side
