"""PersonaMem: the turn that a question refers to, and how far a question knows its conversation."""

import csv
import json
from pathlib import Path

import pytest

from benches.public.conversation_scores import Asked, ask
from benches.public.memory_systems import Lexical
from benches.public.parts import PARTS, part_of
from benches.public.personamem.data import gpt_4o_tokens, persona_of, read
from codecairn.errors import UsageError

MESSAGES = [
    ("system", "Current user persona: Kim"),
    ("user", "User: I gave up my herb garden because the balcony gets no sun at all"),
    ("assistant", "Assistant: Too bad."),
    ("system", "Current user persona: Kim"),
    ("user", "User: I play the cello"),
    ("assistant", "Assistant: Nice."),
    ("user", "User: Now the garden is back"),
]
# With a word for a token the messages begin at 0, 4, 19, 22, 26, 31 and 33.


def question(number: int, before: int, end: int, text: str = "My garden?") -> dict[str, str]:
    """A row whose reference has so many tokens before it."""
    return {
        "persona_id": "3",
        "question_id": f"q{number}",
        "question_type": "recall_user_shared_facts",
        "context_length_in_tokens": "500",
        "distance_to_ref_in_tokens": str(500 - before),
        "user_question_or_message": text,
        "correct_answer": "(a)",
        "all_options": "['(a) x', '(b) y']",
        "shared_context_id": "c0ffee0123",
        "end_index_in_shared_context": str(end),
    }


def write(folder: Path, rows: list[dict[str, str]]) -> None:
    """The two files of the set."""
    with (folder / "questions_32k.csv").open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    said = [{"role": role, "content": text} for role, text in MESSAGES]
    text = json.dumps({"c0ffee0123": said}) + "\n"
    (folder / "shared_contexts_32k.jsonl").write_text(text, encoding="utf-8")


def count(text: str) -> int:
    """A word is a token."""
    return len(text.split())


def test_the_turn_that_begins_at_the_reference_is_the_gold(tmp_path: Path) -> None:
    write(tmp_path, [question(1, 4, 6), question(2, 26, 6, "Music?"), question(3, 4, 3)])
    asked = read(tmp_path, "32k", count)
    assert asked.left_out == 0
    ((early, (third,)), (late, (first, second))) = asked.conversations
    assert [each.name for each in (early, late)] == [
        "personamem-3-c0ffee01-3",
        "personamem-3-c0ffee01-6",
    ]
    assert [probe.gold for probe in (first, second, third)] == [frozenset(key) for key in "141"]
    assert {probe.group for probe in (first, second, third)} == {"3"}
    assert first.category == "recall_user_shared_facts"


def test_nothing_that_is_said_later_is_known(tmp_path: Path) -> None:
    write(tmp_path, [question(1, 4, 3), question(2, 4, 6)])
    early, late = (conversation for conversation, _ in read(tmp_path, "32k", count).conversations)
    assert [turn.key for turn in early.turns] == ["1", "2"]
    assert [(turn.key, turn.session, turn.role) for turn in late.turns] == [
        ("1", "personamem-3-1", "user"),
        ("2", "personamem-3-1", "assistant"),
        ("4", "personamem-3-2", "user"),
        ("5", "personamem-3-2", "assistant"),
    ]
    times = [turn.ts_ms for turn in late.turns]
    assert times == sorted(set(times))


def test_a_reference_that_no_known_turn_begins_at_is_left_out(tmp_path: Path) -> None:
    rows = [
        question(1, 5, 6),  # within a turn
        question(2, 22, 6),  # a message of the system
        question(3, 26, 3),  # said later
        question(4, 4, -1),  # a place that is none
        question(5, 4, 6) | {"shared_context_id": "gone"},
    ]
    write(tmp_path, rows)
    asked = read(tmp_path, "32k", count)
    assert (asked.conversations, asked.left_out) == ([], 5)


def test_the_measures_are_of_that_turn(tmp_path: Path) -> None:
    write(tmp_path, [question(1, 4, 6, "Is there no sun on my balcony?")])
    ((conversation, probes),) = read(tmp_path, "32k", count).conversations
    asked = Asked()
    ask(Lexical(conversation.turns), conversation, probes, asked)
    assert asked.values["recall@10"] == {"3": [1.0]}
    assert asked.values["turns shown, 120 tokens"] == {"3": [1.0]}
    assert "statements shown, 120 tokens" not in asked.values


def test_conversations_of_a_persona_are_in_one_half() -> None:
    assert persona_of("personamem-3-c0ffee01-6") == "personamem-3"
    found = {part_of(persona_of(f"personamem-{number}-c0ffee01-6")) for number in range(20)}
    assert found == set(PARTS)


def test_data_that_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no shared_contexts_32k.jsonl"):
        read(tmp_path, "32k", count)
    row = question(1, 4, 6)
    write(tmp_path, [row | {"shared_context_id": ""}])
    with pytest.raises(UsageError, match=r"questions_32k.csv: question 1 has no shared_context_id"):
        read(tmp_path, "32k", count)
    write(tmp_path, [row | {"user_question_or_message": ""}])
    with pytest.raises(UsageError, match="question 1 has no user_question_or_message"):
        read(tmp_path, "32k", count)
    write(tmp_path, [row | {"end_index_in_shared_context": "six"}])
    with pytest.raises(UsageError, match=r"question 1: end_index_in_shared_context is 'six'"):
        read(tmp_path, "32k", count)
    contexts = tmp_path / "shared_contexts_32k.jsonl"
    contexts.write_text('{"a": [{"role": "user"}]}\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"shared_contexts_32k.jsonl:1: KeyError\('content'\)"):
        read(tmp_path, "32k", count)
    contexts.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    with pytest.raises(UsageError, match="pointer of Git LFS"):
        read(tmp_path, "32k", count)


def test_tokens_are_not_counted_without_their_vocabulary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    # tiktoken would fetch the vocabulary in place of a damaged one.
    (tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790").write_text("damaged")
    with pytest.raises(UsageError, match="tiktoken or its vocabulary is not there"):
        gpt_4o_tokens()
