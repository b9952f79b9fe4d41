"""Two public benchmarks of what is remembered of conversations, in one form.

LoCoMo (`locomo10.json`, CC BY-NC 4.0) and DevMemBench (`sessions.json` and `questions.json`, MIT, in
prosperitypirate/codexfi under `benchmark/src/dataset`) are no part of this project: name the place of your copies.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

_TURN = re.compile(r"D(\d+):(\d+)")
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something said. `speaker` is empty where it is known by the role alone."""

    key: str
    session: str
    role: str
    speaker: str
    text: str
    ts_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, with the keys of the turns, or of the sessions, that answer it; none if nothing does."""

    text: str
    category: str
    gold: frozenset[str]
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What was said in some sessions, in order, and what is asked about it afterwards."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    @property
    def ended_ms(self) -> int:
        """The day after its last turn, when it is asked about."""
        return max(turn.ts_ms for turn in self.turns) + _DAY_MS


def locomo(path: Path) -> tuple[Conversation, ...]:
    """The ten conversations of LoCoMo; evidence that is malformed or missing counts as never found."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return tuple(_locomo(f"locomo-{at}", row) for at, row in enumerate(rows))


def _locomo(name: str, row: dict[str, Any]) -> Conversation:
    said = row["conversation"]
    names = {said["speaker_a"]: "user"}
    turns = []
    numbers = sorted(int(key[8:]) for key in said if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        written = f"{said[f'session_{number}_date_time']} +0000"
        began = datetime.strptime(written, "%I:%M %p on %d %B, %Y %z")
        began_ms = int(began.timestamp() * 1000)
        for at, turn in enumerate(said[f"session_{number}"]):
            picture = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            turns.append(
                Turn(
                    key=_turn_key(turn["dia_id"])[0],
                    session=f"{name}-{number}",
                    role=names.get(turn["speaker"], "assistant"),
                    speaker=turn["speaker"],
                    text=turn["text"] + picture,
                    ts_ms=began_ms + at * 1000,
                )
            )
    questions = [
        Question(
            text=each["question"],
            category=str(each["category"]),
            gold=frozenset(key for text in each["evidence"] for key in _turn_key(text)),
            answer=str(each.get("answer", "")),
        )
        for each in row["qa"]
    ]
    asked = tuple(question for question in questions if question.gold)
    return Conversation(name=name, turns=tuple(turns), questions=asked)


def _turn_key(text: str) -> list[str]:
    return [f"D{int(found[1])}:{int(found[2])}" for found in _TURN.finditer(text)]


def devmembench(folder: Path) -> Conversation:
    """DevMemBench in the order of its days; gold are sessions, and questions that nothing answers have none."""
    sessions = json.loads((folder / "sessions.json").read_text(encoding="utf-8"))
    asked = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    turns = []
    for session in sorted(sessions, key=lambda row: str(row["metadata"]["date"])):
        began = datetime.fromisoformat(f"{session['metadata']['date']}T12:00+00:00")
        for at, message in enumerate(session["messages"]):
            turns.append(
                Turn(
                    key=f"{session['sessionId']}-{at}",
                    session=session["sessionId"],
                    role=message["role"],
                    speaker="",
                    text=message["content"],
                    ts_ms=int(began.timestamp() * 1000) + at * 60_000,
                )
            )
    questions = tuple(
        Question(
            text=row["question"],
            category=row["questionType"],
            gold=frozenset(row["haystackSessionIds"]),
            answer=row["groundTruth"],
        )
        for row in asked
    )
    return Conversation(name="devmembench", turns=tuple(turns), questions=questions)


def is_tuned_on(question: Question, at: int) -> bool:
    """The half of DevMemBench that settings may be chosen on.

    A question belongs to its first session, and sessions of odd numbers are tuned on; of the questions that nothing
    answers, those of odd places are.
    """
    numbers = [int(session[1:]) for session in question.gold]
    return (min(numbers) if numbers else at + 1) % 2 == 1
