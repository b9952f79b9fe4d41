"""A memory that has a question's words need not have the answer."""

import pytest

from codecairn.memory.answerability import is_answered, likelihoods


def _likely(question: str, *texts: str, evidence: float = 0.6) -> list[float]:
    return likelihoods(question, [(evidence, text) for text in texts])


def test_a_text_that_says_all_of_it_is_likelier_than_one_that_says_some() -> None:
    question = "Where is the cache of tokens?"
    whole, some, none = _likely(question, "The cache of tokens.", "The cache.", "Invoices.")
    assert whole > 0.6 > none
    assert whole > some > none


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
        ("How long do workers live?", "Workers live for 3 hours.", "Workers live. In 3 hours."),
        ("Who wrote the workers?", "The workers are by Alice.", "The workers are by hand."),
    ],
)
def test_a_question_is_answered_by_the_kind_of_thing_that_it_asks_for(
    question: str, answer: str, other: str
) -> None:
    assert _likely(question, answer) > [0.0]
    assert _likely(question, other) == [0.0]


@pytest.mark.parametrize("question", ["为什么用 SQLite", "!?", "Wie heißt die Warteschlange?"])
def test_evidence_stays_where_it_cannot_be_told_what_is_said(question: str) -> None:
    assert _likely(question, "用 SQLite", "Die Warteschlange heißt Redis.") == pytest.approx(
        [0.6, 0.6]
    )


@pytest.mark.parametrize("evidence", [0.0, 1.0])
def test_certainty_stays(evidence: float) -> None:
    assert _likely("which version of the cache", "nothing", evidence=evidence) == [evidence]


def test_yes_or_no_is_answered_only_by_what_names_all_of_it() -> None:
    text = "The cart is kept in Redis."
    assert _likely("Is the cart kept in Redis?", text) < _likely("Why is the cart in Redis?", text)


def test_what_nothing_speaks_of_is_hardly_answered() -> None:
    text = "The payment provider is Stripe, and the API is deployed by hand."
    asked = [
        ("Which payment provider do we have?", True),
        ("Which cloud provider is the API deployed on?", False),
        ("Does the API support payment by invoice?", False),
    ]
    for question, expected in asked:
        assert is_answered(question, [(0.45, text)], least=0.38) is expected


def test_nothing_found_answers_nothing() -> None:
    assert not is_answered("Which payment provider do we have?", [], least=0.3)
    assert not is_answered("Which payment provider do we have?", [(0.05, "Stripe")], least=0.3)


def test_a_question_does_not_answer_itself() -> None:
    question = "Which payment provider do we have?"
    assert not is_answered(question, [(0.9, f"{question}\n")], least=0.3)
