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
