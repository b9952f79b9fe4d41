"""A memory that has a question's words need not have the answer."""

import pytest

from codecairn.memory.answering import is_answered, likely


def test_words_that_stand_together_keep_their_evidence() -> None:
    text = "The cache lives in Redis. Tests need no network."
    assert likely(0.6, "Where does the cache live, in Redis?", text) == pytest.approx(0.6)


def test_words_that_are_scattered_over_a_text_lose_some() -> None:
    filler = "Nothing of it matters here. " * 3
    text = f"The invoice is sent at night. {filler}The queue is drained. {filler}Retries are cheap."
    question = "invoice queue retries"
    assert likely(0.6, question, text) < likely(0.6, question, "Invoice queue retries.") <= 0.6


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "What PostgreSQL version is used?",
            "We run PostgreSQL 15.",
            "PostgreSQL is on port 5432.",
        ),
        ("Which port has the API?", "The API is on port 8080.", "The API has a port of its own."),
        ("How many workers are there?", "There are four workers.", "The workers are restarted."),
        ("How many workers are there?", "Use 4 workers.", "Workers cost money."),
    ],
)
def test_a_number_is_answered_by_a_number(question: str, answer: str, other: str) -> None:
    assert likely(0.6, question, answer) > 0
    assert likely(0.6, question, other) == 0


@pytest.mark.parametrize(
    "question",
    ["How do we version the API?", "How did you port the parser?", "为什么用 SQLite", "!?"],
)
def test_other_questions_ask_for_no_number(question: str) -> None:
    text = "We version the API by its path, and the parser was ported by hand. 用 SQLite"
    assert 0 < likely(0.6, question, text) <= 0.6


@pytest.mark.parametrize("evidence", [0.0, 1.0])
def test_certainty_stays(evidence: float) -> None:
    assert likely(evidence, "which version of the cache", "nothing") == evidence


def test_what_nothing_speaks_of_is_hardly_answered() -> None:
    text = "The payment provider is Stripe, and the API is deployed by hand."
    assert likely(0.6, "a provider", text, doubt=1.0) < likely(0.6, "a provider", text)
    asked = [
        ("Which payment provider do we have?", True),
        ("Which cloud provider is it on?", False),
    ]
    for question, expected in asked:
        assert is_answered(question, [(0.45, text)], least=0.3) is expected


def test_nothing_found_answers_nothing() -> None:
    assert not is_answered("Which payment provider do we have?", [], least=0.3)
    assert not is_answered("Which payment provider do we have?", [(0.1, "Stripe")], least=0.3)


def test_a_question_does_not_answer_itself() -> None:
    question = "Which payment provider do we have?"
    assert not is_answered(question, [(0.9, f"{question}\n")], least=0.3)
