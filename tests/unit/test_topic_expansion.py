"""What belongs to a matter is known in words of its own."""

import pytest

from codecairn.memory.topic_expansion import expand_topic


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the complete tech stack?", "database"),
        ("How did the deployment evolve?", "Docker"),
        ("How did the deployment evolve?", "migrated"),
        ("What is the overall status of both projects?", "pending"),
        ("整个项目的技术栈是什么", "database"),
    ],
)
def test_a_matter_that_is_named_brings_its_words(question: str, words: str) -> None:
    assert words in expand_topic(question).split()


@pytest.mark.parametrize(
    "question",
    ["What is the order status?", "Which orders are there?", "What about the contests?", ""],
)
def test_other_questions_bring_none(question: str) -> None:
    assert expand_topic(question) == ""
