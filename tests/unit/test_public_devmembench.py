"""DevMemBench as a public set: its halves, its gold of sessions, and answers by the words that their sessions have."""

import json
from pathlib import Path

import pytest

from benches.public.conversation_scores import Asked, ask
from benches.public.devmembench.__main__ import conversations, measures, part_of
from benches.public.memory_systems import InOrder, Lexical
from codecairn.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three sessions and five questions in the layout of the set."""
    said = {
        "S01": ("Migrations run with Alembic.", "Noted."),
        "S02": ("The cache is Redis.", "Fine."),
        "S03": ("Migrations moved to Aerich, for async.", "Good."),
    }
    sessions = [
        {
            "sessionId": name,
            "metadata": {"date": f"2025-01-{at:02}", "project": "shop"},
            "messages": [
                {"role": role, "content": text}
                for role, text in zip(("user", "assistant"), texts, strict=True)
            ],
        }
        for at, (name, texts) in enumerate(said.items(), 1)
    ]
    rows = [
        ("knowledge-update", "Which tool runs migrations?", "Aerich (was Alembic)", ["S01", "S03"]),
        ("tech-stack", "Which cache is there?", "Redis", ["S02"]),
        ("abstention", "Which cloud?", "Not mentioned", []),
        ("abstention", "Which frontend?", "Not mentioned", []),
        ("tech-stack", "Why async?", "Perhaps nobody knows", ["S03"]),
    ]
    questions = [
        {"questionId": f"Q{at}", "questionType": kind, "question": text, "groundTruth": answer,
         "haystackSessionIds": gold}
        for at, (kind, text, answer, gold) in enumerate(rows, 1)
    ]  # fmt: skip
    (tmp_path / "sessions.json").write_text(json.dumps(sessions), encoding="utf-8")
    (tmp_path / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    return tmp_path


def test_each_half_has_all_sessions_and_its_own_questions(folder: Path) -> None:
    (choose, chosen), (judge, judged) = conversations(folder)
    assert [part_of(each.name) for each in (choose, judge)] == ["choose", "judge"]
    assert len(choose.turns) == len(judge.turns) == 6
    # A question belongs to its first session, one without an answer to its place.
    assert [probe.text for probe in chosen] == [
        "Which tool runs migrations?",
        "Which cloud?",
        "Why async?",
    ]
    assert [probe.group for probe in chosen] == ["S01", "question 3", "S03"]
    assert [probe.text for probe in judged] == ["Which cache is there?", "Which frontend?"]
    assert [sorted(side) for side in chosen[0].sides] == [["S01-0", "S01-1"], ["S03-0", "S03-1"]]


def test_an_answer_is_its_words_that_the_sessions_have(folder: Path) -> None:
    (_, (update, nothing, foreign)), _ = conversations(folder)
    assert update.statements == ("aerich alembi",)
    assert (nothing.statements, foreign.statements) == ((), ())


def test_sessions_are_in_the_order_of_their_first_turn(folder: Path) -> None:
    (conversation, (update, _, foreign)), _ = conversations(folder)
    turns = {turn.key: turn for turn in conversation.turns}
    found = dict(measures(InOrder(conversation.turns), update, turns))
    assert (found["Hit@1"], found["Recall@5"], found["MRR"]) == (1.0, 1.0, 1.0)
    assert found["Recall@5, knowledge update"] == 1.0
    assert found["answer shown, 120 tokens"] == 1.0
    found = dict(measures(InOrder(conversation.turns), foreign, turns))
    assert found["Hit@1"] == 0.0
    assert found["MRR"] == pytest.approx(1 / 3)
    # None of the answer's words were said: it can't be shown.
    assert found["answer shown, 600 tokens"] == 0.0


def test_questions_without_an_answer_are_counted_apart(folder: Path) -> None:
    (conversation, probes), _ = conversations(folder)
    asked = Asked()
    ask(Lexical(conversation.turns), conversation, probes, asked, measures)
    assert asked.values["Hit@1"] == {"S01": [1.0], "S03": [1.0]}
    assert asked.unanswerable == {"question 3": [0.0]}
    assert asked.values["something shown without an answer, 120 tokens"] == {"question 3": [0.0]}


def test_data_that_is_missing_or_damaged_is_named(folder: Path) -> None:
    (folder / "questions.json").write_text("[{}]", encoding="utf-8")
    with pytest.raises(UsageError, match="is not as DevMemBench has it: KeyError"):
        next(conversations(folder))
    (folder / "questions.json").unlink()
    with pytest.raises(UsageError, match=r"has no questions.json") as refused:
        next(conversations(folder))
    assert "codexfi" in str(refused.value.hint)
