"""The topic of a question is separated from its question words, and looked for in each text that was found."""

import pytest

from codecairn.memory.term_coverage import term_coverage

_TEXTS = (
    "The dashboard has three `charts`, in colours.",
    "Drawn by Recharts. A palette.\n(No CDNs.)",
)


def _shares(question: str, *texts: str) -> list[float]:
    found = term_coverage(question, texts)
    assert found is not None
    return found[0]


@pytest.mark.parametrize(
    ("question", "apart"),
    [
        ("Can you remind me which library the charts are made with?", 0.0),
        ("What chart colours does the dashboard show?", 0.0),
        ("What is the dashboard's cloud region?", 1.0),
        ("Which chart palette is there?", 1.0),
    ],
)
def test_neighbours_of_a_question_that_share_no_sentence_together_are_apart(
    question: str, apart: float
) -> None:
    found = term_coverage(question, _TEXTS)
    assert found is not None
    assert found[1] == pytest.approx(apart)


def test_a_text_says_more_the_more_words_of_the_question_it_holds() -> None:
    none, one, both = _shares(
        "How is the webhook signature checked?", "Nothing.", "The webhook.", "Webhook signatures."
    )
    assert none == 0.0 < one < both < 1.0


def test_a_word_that_few_texts_hold_weighs_more() -> None:
    texts = ("The shop.", "The shop again.", "A coupon.")
    often, _, seldom = _shares("Does the shop take a coupon?", *texts)
    assert often < seldom


def test_what_nothing_says_weighs_most() -> None:
    texts = ("The shop has a queue.", "The shop.")
    assert _shares("How does the shop's queue rotate?", *texts)[0] < 0.6


def test_the_kind_of_thing_that_is_asked_for_weighs_more() -> None:
    text = "The shop is deployed by hand."
    kind = _shares("Which cloud provider is the shop deployed on?", text)
    rest = _shares("Is the shop deployed in a cloud?", text)
    assert kind < rest


def test_one_word_tells_less_than_several() -> None:
    assert _shares("How does the cache work?", "The cache.") < _shares(
        "How does the cache of tokens work?", "The cache of tokens."
    )


def test_forms_of_a_word_are_the_same_word_and_short_ones_stand_alone() -> None:
    question = "How is the cache refreshed?"
    assert _shares(question, "refreshing caches") == _shares(question, "the cache is refreshed")
    assert _shares("What is the CI?", "a specific city") == [0.0]


def test_the_day_that_a_question_names_need_not_stand_in_the_text() -> None:
    named = _shares("What was the deployment of January 25th about?", "The deployment.")
    assert named == _shares("What was the deployment about?", "The deployment.")
    number = _shares("What was deployment 25 about?", "The deployment.")
    assert number < named


@pytest.mark.parametrize(
    "question",
    [
        "Welche Datenbank benutzen wir?",
        "我们用什么数据库?",
        "What is it?",
        "why " + " ".join(f"word{number}" for number in range(40)),
    ],
)
def test_of_long_questions_and_other_languages_it_is_not_told(question: str) -> None:
    assert term_coverage(question, ["Postgres"]) is None
