"""The benchmark of needed lines: its split, its questions, what they need, and differences of results."""

from pathlib import Path

import pytest

from benches.quality.lines.listing import load, split_of
from benches.quality.lines.questions import Question, Target, ranges_of, read, write
from benches.quality.lines.syntax import is_asked_about
from benches.quality.model.corpus import may_learn_from

_CORPUS = Path("benches/quality/model/corpus.tsv")


def _target(path: str, *lines: int, at_least: int = 1) -> Target:
    return Target(path=path, ranges=ranges_of(lines), at_least=at_least)


# The list


def test_the_list_is_in_the_splits_of_its_names_and_in_nothing_that_was_learnt_from() -> None:
    repositories = load()
    names = [each.name for each in repositories]
    learnt = {row.split("\t")[1] for row in _CORPUS.read_text(encoding="utf-8").splitlines()[1:]}
    assert len(names) == len(set(names))
    assert not [name for name in names if name in learnt or not may_learn_from(name)]
    assert {each.split for each in repositories} == {"fit", "choose", "judge"}


def test_splits_have_their_shares() -> None:
    drawn = [split_of(f"owner/name{at}") for at in range(2_000)]
    assert drawn.count("fit") == pytest.approx(1_000, rel=0.1)
    assert drawn.count("judge") == pytest.approx(600, rel=0.1)


# Questions


def test_questions_are_written_and_read_as_they_are(tmp_path: Path) -> None:
    asked = Question(id="a/b/0", query="größe", targets=(_target("x.py", 1, 2, 5),), revision="c")
    write(tmp_path / "q.jsonl", [asked, asked])
    once = (tmp_path / "q.jsonl").read_bytes()
    write(tmp_path / "q.jsonl", read(tmp_path / "q.jsonl"))
    assert (tmp_path / "q.jsonl").read_bytes() == once
    assert read(tmp_path / "q.jsonl")[1] == asked


def test_lines_become_ranges() -> None:
    assert ranges_of([3, 1, 2, 7, 7]) == ((1, 3), (7, 7))


@pytest.mark.parametrize(
    ("path", "is_asked"),
    [
        ("src/a.py", True),
        ("src/CppUTest/a.cpp", True),
        ("lib/rspec/mocks/a.rb", True),
        ("openssl-tests/src/a.rs", False),
        ("Tests/A/b.swift", False),
        ("functional_tests.go", False),
        ("vendor/a.go", False),
        ("dist/x.min.js", False),
        ("README.md", False),
    ],
)
def test_only_source_of_the_project_itself_is_asked_about(path: str, *, is_asked: bool) -> None:
    assert is_asked_about(path) == is_asked
