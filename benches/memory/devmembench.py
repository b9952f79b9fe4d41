"""DevMemBench without a model of language: which session answers, whether the answer is injected, and what is made up.

    python -m benches.memory.devmembench FOLDER [--out FILE]

All 25 sessions are recorded into one memory. *Sessions*: recall orders events and facts; a session's place is that of its
first. *Injected*: at the start of a new session the static part is given, then the question is its first prompt; an
answer is present if the block of 1,800 tokens has at least 80 % of those of the answer's words that its own sessions
have at all and the question does not. *By chance* is the same for the block of another question. *False injections*: the
share of the questions that nothing answers for which the volatile part was not empty. Settings were chosen on the
questions of one half (`conversations.is_tuned_on`).
"""

import argparse
import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from benches.memory.conversations import Conversation, Question, devmembench, is_tuned_on
from benches.memory.replay import Replayed, replayed
from benches.results import Figure, Results, default_folder
from codecairn.core.types.memory import Recalled
from codecairn.memory.excerpts import words

ABSTENTION = "abstention"
SYNTHESIS = "cross-session-synthesis"
PRESENT = 0.8
_POOL = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """How one question went. The first three say nothing of a question that nothing answers."""

    question: Question
    is_tuned: bool
    hit: float
    recall: float
    reciprocal: float
    is_present: bool
    is_there_by_chance: bool
    is_injected: bool
    tokens: int


def run(conversation: Conversation) -> list[Answered]:
    """Ask every question twice: for its sessions, and as the first prompt of a session."""
    blocks = []
    places: list[list[str]] = []
    with replayed(conversation, with_summaries=True) as replay:
        for at, question in enumerate(conversation.questions):
            places.append(sessions(replay, question.text))
            static = replay.memory.context(f"ask-{at}", part="static")
            volatile = replay.memory.context(f"ask-{at}", question.text)
            blocks.append((static, volatile))
    said: dict[str, str] = defaultdict(str)
    for turn in conversation.turns:
        said[turn.session] += f"\n{turn.text}"
    answered = []
    for at, question in enumerate(conversation.questions):
        static, volatile = blocks[at]
        other = blocks[(at + 7) % len(blocks)]
        ranks = [place for place, session in enumerate(places[at], 1) if session in question.gold]
        first = set(places[at][:5]) & question.gold
        answered.append(
            Answered(
                question=question,
                is_tuned=is_tuned_on(question, at),
                hit=float(bool(ranks) and ranks[0] == 1),
                recall=len(first) / len(question.gold) if question.gold else 0.0,
                reciprocal=1 / ranks[0] if ranks else 0.0,
                is_present=_is_present(question, static.text + volatile.text, said),
                is_there_by_chance=_is_present(question, other[0].text + other[1].text, said),
                is_injected=bool(volatile.text),
                tokens=static.tokens + volatile.tokens,
            )
        )
    return answered


def drifts(conversation: Conversation) -> tuple[int, int, float]:
    """Later prompts of sessions, those of them that leave the matter, and the share that would in another session."""
    later = left = elsewhere = 0
    with replayed(conversation) as replay:
        memory = replay.memory
        names = sorted({turn.session for turn in conversation.turns})
        events = {name: memory.events(session=name) for name in names}
        for session, rows in events.items():
            for event in rows[:-1]:
                if event.role == "user":
                    later += 1
                    engine = memory.engine()
                    left += engine.has_drifted(session, event.body, before=event.seq)
                    others = [name for name in names if name != session]
                    elsewhere += sum(engine.has_drifted(name, event.body) for name in others)
    return later, left, elsewhere / later / (len(events) - 1)


def sessions(replay: Replayed, question: str) -> list[str]:
    """Sessions in the order of their first hit."""
    hits = replay.memory.recall(question, limit=_POOL, evidence=0)
    order: dict[str, None] = {}
    for hit in hits:
        for session in _of(replay, hit):
            order.setdefault(session)
    return list(order)


def _of(replay: Replayed, hit: Recalled) -> list[str]:
    if hit.event is not None:
        return [hit.event.session]
    sources = hit.fact.sources if hit.fact is not None else ()
    sessions = {replay.keys[f"E{seq}"].split("-")[0] for seq in sources}
    # What was drawn from several sessions tells none of them.
    return [*sessions] if len(sessions) == 1 else []


def _is_present(question: Question, block: str, said: dict[str, str]) -> bool:
    source = set().union(*(words(said[session]) for session in question.gold))
    wanted = (words(question.answer) & source) - words(question.text)
    if not wanted:
        wanted = words(question.answer) & source
    return bool(wanted) and len(wanted & words(block)) >= PRESENT * len(wanted)


def _figures(half: str, answered: list[Answered]) -> list[Figure]:
    asked = [each for each in answered if each.question.category != ABSTENTION]
    synthesis = [each for each in asked if each.question.category == SYNTHESIS]
    nothing = [each for each in answered if each.question.category == ABSTENTION]
    mean = statistics.mean
    shares = {
        "Hit@1": mean(each.hit for each in asked),
        "Recall@5": mean(each.recall for each in asked),
        "MRR": mean(each.reciprocal for each in asked),
        "synthesis Recall@5": mean(each.recall for each in synthesis),
        "answer in the block": mean(each.is_present for each in asked),
        "answer in the block by chance": mean(each.is_there_by_chance for each in asked),
        "false injections": mean(each.is_injected for each in nothing),
        "injected where something answers": mean(each.is_injected for each in asked),
        "tokens of a block, mean": mean(each.tokens for each in asked),
        "tokens of a block, most": max(each.tokens for each in asked),
    }
    shares |= _categories(asked)
    note = f"{len(asked)} questions, {len(nothing)} that nothing answers"
    return [
        Figure(measure=f"memory: DevMemBench, {half}: {name}", value=value, note=note)
        for name, value in shares.items()
    ]


def _categories(asked: list[Answered]) -> dict[str, float]:
    by_category: dict[str, list[Answered]] = defaultdict(list)
    for each in asked:
        by_category[each.question.category].append(each)
    shares = {}
    for category, rows in sorted(by_category.items()):
        shares[f"{category}, Hit@1"] = statistics.mean(each.hit for each in rows)
        shares[f"{category}, Recall@5"] = statistics.mean(each.recall for each in rows)
        shares[f"{category}, present"] = statistics.mean(each.is_present for each in rows)
    return shares


def main() -> None:
    """Replay and ask; print and write the figures of both halves."""
    parser = argparse.ArgumentParser(prog="python -m benches.memory.devmembench")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=("tuned", "held-out"))
    parser.add_argument(
        "--out",
        type=Path,
        help="the file of the results (default: benches/runs/…/devmembench.json)",
    )
    options = parser.parse_args()
    results = Results("DevMemBench")
    answered = run(devmembench(options.folder))
    for label, name, is_tuned in (("tuned", "tuned on", True), ("held-out", "held out", False)):
        if options.only in (None, label):
            results.add(_figures(name, [each for each in answered if each.is_tuned is is_tuned]))
    if options.only is None:
        results.add(_figures("all", answered))
        later, left, elsewhere = drifts(devmembench(options.folder))
        drift = "memory: DevMemBench, prompts that leave their session's topic"
        results.add(Figure(measure=drift, value=left / later, note=f"{left} of {later}"))
        results.add(Figure(measure=f"{drift}, put into another session", value=elsewhere))
    results.write(options.out or default_folder() / "devmembench.json")


if __name__ == "__main__":
    main()
