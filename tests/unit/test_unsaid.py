"""What a question is about is told from the words to ask with, and looked for in all that was found."""

import pytest

from codecairn.memory.unsaid import unsaid_shares


@pytest.mark.parametrize(
    ("question", "words", "pairs"),
    [
        ("Can you remind me which library the charts are made with?", 0.0, 0.0),
        ("What chart colours does the dashboard show?", 0.0, 0.0),
        ("What is the dashboard's cloud region?", 2 / 3, 1.0),
        ("Is there a CDN?", 1.0, 0.0),
        ("Which chart palette is there?", 0.0, 1.0),
        ("What is it?", 0.0, 0.0),
    ],
)
def test_shares_of_what_is_asked_about_that_nothing_says(
    question: str, words: float, pairs: float
) -> None:
    texts = [
        "The dashboard has three `charts`, in colours.",
        "Drawn by Recharts. A palette.\n(No CDNs.)",
    ]
    assert unsaid_shares(question, texts) == (pytest.approx(words), pytest.approx(pairs))


def test_forms_of_a_word_are_the_same_word_and_short_ones_stand_alone() -> None:
    assert unsaid_shares("How is the cache refreshed?", ["refreshing caches"]) == (0.0, 0.0)
    assert unsaid_shares("What is the CI?", ["a specific city"]) == (1.0, 0.0)


@pytest.mark.parametrize(
    "question",
    [
        "Welche Datenbank benutzen wir?",
        "我们用什么数据库?",
        "why " + " ".join(f"word{number}" for number in range(40)),
    ],
)
def test_of_long_questions_and_other_languages_it_is_not_told(question: str) -> None:
    assert unsaid_shares(question, ["Postgres"]) is None
