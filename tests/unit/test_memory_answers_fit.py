"""The fit of the model that judges whether a memory answers."""

import json
import random
from pathlib import Path

import numpy as np

from benches.memory.answers import fitting
from benches.memory.answers.corpora import Asked, words


def _prompts(count: int) -> list[Asked]:
    """Prompts of which every other has an answer; the first feature tells which memory it is, the second nothing."""
    chance = random.Random(7)
    found = []
    for at in range(count):
        is_answer = np.zeros(5, bool)
        is_answer[0] = at % 2 == 0
        rows = [[chance.gauss(3 * right, 1), chance.gauss(0, 1)] for right in is_answer]
        found.append(
            Asked(
                names=("tells", "noise"),
                corpus="made",
                kind="answered" if is_answer.any() else "nothing",
                rows=np.array(rows, np.float32),
                is_answer=is_answer,
            )
        )
    return found


def test_the_fit_finds_the_feature_that_tells_and_when_nothing_answers() -> None:
    model = fitting.fit(_prompts(300))
    assert model.weights[0] > 5 * abs(model.weights[1])
    right = [
        bool(model.scores(each.rows).max() > 0) is bool(each.is_answer.any())
        for each in _prompts(100)
    ]
    assert sum(right) > 85


def test_weights_are_written_by_name(tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    fitting.write(file, ("tells", "noise"), fitting.fit(_prompts(40)))
    document = json.loads(file.read_text("utf-8"))
    assert set(document) == {"weights", "bias"}
    assert list(document["weights"]) == ["tells", "noise"]


def test_words_have_three_letters_or_a_digit() -> None:
    assert words("We use v2 of RabbitMQ, on port 5672") == {"use", "v2", "rabbitmq", "port", "5672"}
