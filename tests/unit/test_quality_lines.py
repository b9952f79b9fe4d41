"""The benchmark of needed lines: its split, its questions, what they need, and differences of results."""

from pathlib import Path

import pytest

from benches.quality.lines.descriptions import body_lines, words_of
from benches.quality.lines.doc_comments import (
    blanked,
    description,
    docstring_text,
    first_sentence,
)
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


# Descriptions


def test_blanking_keeps_line_numbers() -> None:
    content = b"/** one\n * two */\nint f();\n/// x\nint g();\n"
    spans = [(0, 17), (27, 32)]
    assert blanked(content, spans, is_python=False) == b"\n\nint f();\n\nint g();\n"
    code = b'def f():\n    """One.\n\n    Two."""\n    return 1\n'
    rest = blanked(code, [(13, 33)], is_python=True)
    assert rest == b'def f():\n    ""\n\n\n    return 1\n'
    compile(rest, "f.py", "exec")


@pytest.mark.parametrize(
    ("comments", "sentence"),
    [
        (["/**\n * Reads a header, e.g. this one. And more.\n * @param x y\n */"],
         "Reads a header, e.g. this one."),
        (["// Parse reads all", "// of it."], "Parse reads all of it."),
        (["/// <summary>", "/// Finds <see cref=\"X\"/> the `key`.", "/// </summary>"],
         "Finds the key."),
        (["/** @brief Opens {@link File} now\n * @return it */"], "Opens File now"),
        (["# Builds it:", "#", "#   x"], "Builds it:"),
        ([], ""),
    ],
)  # fmt: skip
def test_the_first_sentence_is_plain(comments: list[str], sentence: str) -> None:
    assert first_sentence(comments) == sentence


def test_a_docstring_is_what_its_quotes_hold() -> None:
    assert docstring_text('r"""One\ntwo."""') == "One\ntwo."


@pytest.mark.parametrize(
    ("sentence", "query"),
    [
        ("Parse reads a header from r.", "reads a header from r"),
        ("Reads what parse has left of it.", ""),
        ("Reads it.", ""),
        ("Copyright by those who wrote all this", ""),
        ("word " * 26, ""),
    ],
)
def test_a_description_has_some_words_and_not_the_name(sentence: str, query: str) -> None:
    assert description(sentence, "Parse") == query


def test_the_body_is_its_first_five_lines_with_words() -> None:
    lines = ["f() {", '""', "a", "", "{", "b", "c", "d", "e", "g", "}"]
    assert body_lines(lines, 2, 11) == [3, 6, 7, 8, 9]
    assert words_of(" * One,\n * two") == "one two"
