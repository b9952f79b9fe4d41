"""The judge of retrieval quality, judged."""

import json
import math
from pathlib import Path

import pytest

from benches.quality.annotations import Question, Target, load
from benches.quality.metrics import Answered, mean_by_repository, score, standard_error


def _question(*paths: str, query: str = "q") -> Question:
    return Question(
        query=query, category="semantic", targets=tuple(Target(path=path) for path in paths)
    )


def test_first_covering_rank_counts_and_repeats_take_up_ranks() -> None:
    places = [("x.py", 1, 2), ("x.py", 3, 4), ("a.py", 1, 2), ("a.py", 3, 4)]
    found = score(_question("a.py", "b.py"), places)
    ideal = 1 + 1 / math.log2(3)
    assert found.ndcg10 == pytest.approx((1 / math.log2(4)) / ideal)
    assert (found.recall10, found.mrr10, found.hit1) == (0.5, pytest.approx(1 / 3), 0.0)


def test_perfect_answer_scores_one_and_none_scores_nothing() -> None:
    assert score(
        _question("a.py", "b.py"), [("b.py", 1, 1), ("a.py", 1, 1)]
    ).ndcg10 == pytest.approx(1)
    assert score(_question("a.py"), []).ndcg10 == 0


def test_two_targets_in_one_result_gain_once() -> None:
    question = Question(
        query="q",
        category="semantic",
        targets=(
            Target(path="a.py", start_line=1, end_line=5),
            Target(path="a.py", start_line=4, end_line=9),
        ),
    )
    found = score(question, [("a.py", 3, 6)])
    assert found.recall10 == 1
    assert found.ndcg10 == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_results_after_the_tenth_do_not_count() -> None:
    places = [(f"{number}.py", 1, 1) for number in range(10)] + [("a.py", 1, 1)]
    assert score(_question("a.py"), places).recall10 == 0


@pytest.mark.parametrize(
    ("path", "covers"),
    [
        ("src/app.py", True),
        ("app.py", True),
        ("repo/src/app.py", True),
        ("xapp.py", False),
        ("src/other.py", False),
    ],
)
def test_paths_match_by_their_ends(path: str, covers: bool) -> None:
    assert Target(path="src/app.py").covers(path, 1, 1) is covers


@pytest.mark.parametrize(
    ("query", "path", "leaks"),
    [
        ("how are tokens verified", "src/auth.py", False),
        ("how are tokens verified", "src/token.py", True),
        ("VerifyToken", "lib/verifying.rs", True),
        ("the app", "app/main.go", True),
        ("apples", "app/main.go", False),
        ("python", "a.py", False),
    ],
)
def test_leaks_are_shared_words(query: str, path: str, leaks: bool) -> None:
    assert _question(path, query=query).leaks is leaks


def _answered(repository: str, value: float) -> Answered:
    places = (("a.py", 1, 1),) if value else ()
    question = _question("a.py")
    return Answered(
        repository=repository,
        language="python",
        question=question,
        places=places,
        score=score(question, places),
        milliseconds=1.0,
    )


def test_every_repository_weighs_the_same() -> None:
    answers = [
        _answered("large", 1),
        _answered("large", 1),
        _answered("large", 1),
        _answered("small", 0),
    ]
    assert mean_by_repository(answers, lambda each: each.ndcg10) == 0.5
    assert (
        standard_error(answers, lambda each: each.ndcg10)
        == standard_error(answers, lambda each: each.ndcg10)
        > 0
    )


def test_data_is_read_as_documented(tmp_path: Path) -> None:
    (tmp_path / "annotations").mkdir()
    specification = [{"name": "r", "language": "python", "root": "r/src", "checkout": "r"}, {"name": "absent", "language": "go", "root": "x", "checkout": "x"}]  # fmt: skip
    (tmp_path / "repos.json").write_text(json.dumps(specification))
    items = [
        {
            "query": "auth tokens",
            "category": "semantic",
            "relevant": ["src/auth.py"],
            "secondary": [],
        },
        {"query": "verify", "relevant": [{"path": "src/a.py", "start_line": 3, "end_line": 9}]},
    ]
    (tmp_path / "annotations" / "r.json").write_text(json.dumps(items))
    (tmp_path / "repos" / "r" / "src").mkdir(parents=True)
    (found,) = load(tmp_path, tmp_path / "repos")
    assert found.root == tmp_path / "repos" / "r" / "src"
    assert [question.category for question in found.questions] == ["semantic", "symbol"]
    assert found.questions[1].targets == (Target(path="src/a.py", start_line=3, end_line=9),)
    (leak_free,) = load(tmp_path, tmp_path / "repos", leak_free=True, whole_checkout=True)
    assert [question.query for question in leak_free.questions] == ["verify"]
    assert leak_free.root == tmp_path / "repos" / "r"
