"""A question for a number, a time or a person is answered by a passage that has one."""

import pytest

from codecairn.memory.expected_answer_type import (
    ADDRESS,
    COUNT,
    DAY,
    NUMBER,
    PERSON,
    PLACE,
    SPAN,
    VERSION,
    about,
    asks_whether,
    is_of_kind,
    kind_of,
    written_small,
)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Which version of the cache is it?", VERSION),
        ("What PostgreSQL version is used?", VERSION),
        ("Which version control do we use?", None),
        ("How do we version the API?", None),
        ("How did you port the parser?", None),
        ("On which port is the API?", NUMBER),
        ("How big is the image?", NUMBER),
        ("How many workers are there?", COUNT),
        ("How long does a token live?", SPAN),
        ("How often is it rebuilt?", SPAN),
        ("What is the release date?", DAY),
        ("Which date format do we use?", None),
        ("When will it be released?", DAY),
        ("When is the cart emptied?", None),
        ("Who decided on Redis?", PERSON),
        ("Who may delete a product?", None),
        ("What is the monthly cost of it?", NUMBER),
        ("What rate limit does the API have?", NUMBER),
        ("What error is there when the limit is exceeded?", None),
        ("What's the timeout of the pool?", SPAN),
        ("What is the number of workers?", COUNT),
        ("What is the build number?", NUMBER),
        ("What is the address of the server?", ADDRESS),
        ("Which path does it write to?", PLACE),
        ("Which path parameter is there?", None),
        ("Why is it slow?", None),
        ("How?", None),
        ("", None),
    ],
)
def test_the_kind_is_told_from_the_words_to_ask_with(question: str, kind: str | None) -> None:
    assert kind_of(question) == kind


@pytest.mark.parametrize(
    ("form", "words", "kind"),
    [
        ("How {} is it?", "much big fast far high large slow small", NUMBER),
        ("What {} port?", "are is was were", NUMBER),
        ("What is {} port?", "a an our my the your", NUMBER),
        ("Which {} is it?", "version versions", VERSION),
        ("Which {} is it?", "date day", DAY),
        ("Which {} is it?", "address addresses", ADDRESS),
        ("Who {} delete it?", "can could may might must should", None),
        ("Who wrote that it {} be deleted?", "can could may might must should", PERSON),
        ("What is the {}?", "number", NUMBER),
        ("What {}", "? is the", None),
    ],
)
def test_each_word_to_ask_with_counts(form: str, words: str, kind: str | None) -> None:
    for word in words.split():
        assert kind_of(form.format(word)) == kind, word


def test_words_that_ask_are_no_topic() -> None:
    assert about('How "long" is a token kept?', ["long", "token", "kept"]) == {"token", "kept"}
    assert about("What is our rate limit?", ["rate", "limit"]) == {"rate"}
    assert about("Which parser port is it?", ["parser", "port"]) == {"parser"}
    assert about("Which parser is it?", ["parser"]) == {"parser"}


@pytest.mark.parametrize("article", ["a", "an", "each", "the"])
def test_word_after_an_article_is_no_name(article: str) -> None:
    assert written_small([f"{article} Redis pool.Alice"]) == {article, "redis", "pool"}


@pytest.mark.parametrize("every", ["a", "an", "each", "every", "half", "per"])
def test_span_may_be_told_without_a_number(every: str) -> None:
    assert is_of_kind(SPAN, "How often?", (), f"renewed {every} hour", ())
    assert not is_of_kind(SPAN, "How often?", (), "renewed some hour", ())


@pytest.mark.parametrize(
    ("question", "passage", "expected"),
    [
        ("How many uvicorn workers run?", "4 uvicorn", True),
        ("How many uvicorn workers run?", "4 workers", True),
        ("How many uvicorn workers run?", "4 run", False),
        ("How many policies are there?", "1 policy", True),
        ("How many jobs are there?", "4 in one job", True),
        ("How many 'jobs' are there?", "jobs: 4", True),
        ("How many models are there?", "Next.js 15; models of Prisma", False),
        ("How many models are there?", "Next.js 15, models of Prisma", False),
    ],
)
def test_number_is_near_to_what_is_counted(question: str, passage: str, *, expected: bool) -> None:
    assert is_of_kind(COUNT, question, (), passage, ()) is expected


def test_name_is_no_first_word() -> None:
    assert not is_of_kind(PERSON, "Who?", (), "Alice", ())
    assert is_of_kind(PERSON, "Who?", (), "- then Alice", ())
    assert is_of_kind(PERSON, "Who?", (), "then Alice", ())


@pytest.mark.parametrize(
    ("question", "passage", "expected"),
    [
        ("Which version of Python is it?", "FROM python:3.12-slim AS builder", True),
        ("Which version of Python is it?", "Python, and a port of 8000", False),
        ("Which version of Python is it?", "Python is there in v3", False),
        ("Which version of the API is it?", "The API has version 2", True),
        ("Which version of Redis is it?", "Auth, Redis, a 7-day TTL", False),
        ("Which version of Redis is it?", "Python 3, Redis and Docker", False),
        ("How many models are there?", "Next.js 15, models of Prisma", False),
        ("What is the number of workers?", "workers: 4", True),
        ("What is the cost of the server?", "the server is 40 a month", True),
        ("What is the cost of the server?", "the server is cheap", False),
        ("What is the address of the server?", "the server is at 10.0.0.1:80", True),
        ("What is the address of the server?", "the server is on localhost", True),
        ("What is the address of the server?", "the server has @app.get", False),
        ("What is the address of the sender?", "the sender is shop@example.com", True),
        ("Which path does the log write to?", "the log is in `/var/log`", True),
        ("Which path does the log write to?", "the log is structured", False),
        ("How many workers are there?", "four of the workers", True),
        ("How many workers are there?", "workers: 4", True),
        ("How many workers are there?", "Workers and a port of their own, 8000", False),
        ("How many of them are there?", "There are 12", True),
        ("How long does a token live?", "A token has a 15-minute expiry", True),
        ("How long does a token live?", "a token is renewed every hour", True),
        ("How long does a token live?", "dedupe: 30s of a token", True),
        ("How often is the token renewed?", "a token is renewed daily", True),
        ("How long does a token live?", "a token of version 2", False),
        ("How big is the image?", "the image has 340MB", True),
        ("How big is the image?", "the image is huge", False),
        ("When will the old routes go?", "routes go on March 5", True),
        ("When will the old routes go?", "routes go by 2025-03-05", True),
        ("When will the old routes go?", "routes go some time", False),
        ("Who chose the queue?", "- The queue was chosen by Alice", True),
        ("Who chose the queue?", "- The queue was chosen by Redis", False),
        ("Who chose the queue?", "- The queue was Alice's choice", True),
        ("Who chose the queue?", "- The queue was chosen by Stripe", False),
        ("Who chose the queue?", "- The queue was chosen in March", False),
        ("Who chose the queue?", "- The queue was chosen (Decimal)", False),
        ("Who chose the queue?", "- Queue: chosen last year", False),
    ],
)
def test_a_passage_has_the_kind_of_thing_near_to_what_is_asked_about(
    question: str, passage: str, *, expected: bool
) -> None:
    kind = kind_of(question)
    assert kind is not None
    asked = about(question, {word[:6] for word in question.casefold().strip("?").split()})
    small = written_small(["we run redis", "Alice does, by the Stripe dashboard"])
    assert is_of_kind(kind, question, asked, passage, small) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is there a queue?", True),
        ("Does it scale?", True),
        ("Can you remind me of the queue?", False),
        ("What is there?", False),
        ("", False),
    ],
)
def test_yes_or_no_is_asked_for_by_the_first_word(question: str, *, expected: bool) -> None:
    assert asks_whether(question) is expected
