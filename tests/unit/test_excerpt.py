"""What is shown of a hit."""

import pytest

from codecairn.core.types.hits import Hit
from codecairn.search.excerpt import ExcerptLine, QueryWords, make_excerpt, numbered_lines


def _hit(text: str, *, start_line: int = 10, name: str = "f") -> Hit:
    return Hit(
        path="a.py",
        start_line=start_line,
        end_line=start_line + text.count("\n"),
        kind="function",
        name=name,
        language="python",
        score=1.0,
        text=text,
        context_start_line=start_line,
    )


def _excerpt(text: str, *, query: str, max_lines: int) -> list[ExcerptLine]:
    hit = _hit(text)
    words = QueryWords(query)
    return make_excerpt(numbered_lines(hit), name=hit.name, words=words, max_lines=max_lines)


def _shown(text: str, *, query: str, max_lines: int) -> list[tuple[int, str]]:
    lines = _excerpt(text, query=query, max_lines=max_lines)
    return [(line.number, line.text) for line in lines]


def _marked(query: str, line: str) -> list[str]:
    return [line[start:end] for start, end in QueryWords(query).spans(line)]


def test_short_text_is_shown_whole() -> None:
    assert _shown("def f():\n    return 1\n", query="x", max_lines=5) == [
        (10, "def f():"),
        (11, "    return 1"),
    ]


def test_long_text_shows_the_line_that_defines_it_and_the_best_run() -> None:
    text = "\n".join(
        ["@slow", "def f():", *(f"    line {n}" for n in range(20)), "    verify(token)", "    end"]
    )
    lines = _excerpt(text, query="verify token", max_lines=3)
    assert [(line.number, line.text, line.follows_gap) for line in lines] == [
        (11, "def f():", False),
        (31, "    line 19", True),
        (32, "    verify(token)", False),
    ]


@pytest.mark.parametrize(
    "text",
    ["# f is slow\ndef f():", "@f\ndef f():", "/// f\nfn f()", "xf = f_x\nf = 1", "#[f]\nfn f()", "of(ff)\nf()"],
)  # fmt: skip
def test_name_is_defined_in_code_as_a_whole_word(text: str) -> None:
    lines = [*text.split("\n"), *(f"line {n}" for n in range(5))]
    assert _shown("\n".join(lines), query="x1", max_lines=1) == [(11, lines[1])]


def test_single_line_is_the_one_with_most_words() -> None:
    text = "def f(token):\n    first()\n    verify(token)\n"
    assert _shown(text, query="verify token", max_lines=1) == [(12, "    verify(token)")]
    assert _shown(text, query="token", max_lines=1) == [(10, "def f(token):")]
    assert _shown(text, query="token", max_lines=0) == []


def test_without_a_match_the_beginning_is_shown() -> None:
    text = "\n".join(f"line {n}" for n in range(9))
    assert _shown(text, query="nothing", max_lines=3) == [
        (10, "line 0"),
        (11, "line 1"),
        (12, "line 2"),
    ]


@pytest.mark.parametrize("max_lines", range(1, 14))
def test_no_excerpt_is_longer_than_allowed(max_lines: int) -> None:
    text = "\n".join(
        [*(f"# {n}" for n in range(5)), "def f():", *(f"token {n}" for n in range(6)), "", "end"]
    )
    for query in ("token", "nothing", "f"):
        lines = _excerpt(text, query=query, max_lines=max_lines)
        assert 1 <= len(lines) <= min(max_lines, 13)
        assert [line.number for line in lines] == sorted({line.number for line in lines})


def test_parts_of_identifiers_count_as_words() -> None:
    assert QueryWords("getUserById HTTPServer user_name 版本 of").stems == {
        "get", "user", "http", "serv", "nam", "版本",
    }  # fmt: skip


def test_words_of_a_question_are_looked_for_by_their_stems_alone() -> None:
    assert QueryWords("where are the secrets redacted").stems == {"secret", "redact"}
    assert QueryWords("where are the").stems == {"wher", "are", "the"}
    assert QueryWords("verified").stems == QueryWords("verify").stems
    assert _marked("verified", "verify(version, Verifiable)") == ["verify", "Verifiable"]


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("redacted = RedactionPolicy()", ["redacted", "Redaction"]),
        ("REDACTED_SECRETS and redactsecret", ["REDACTED", "SECRETS"]),
        ("unredacted isSecret JSONSecret", ["Secret", "Secret"]),
        ("aesecret", []),
    ],
)
def test_words_are_found_where_a_part_of_a_name_begins(line: str, marked: list[str]) -> None:
    assert _marked("secrets redacted", line) == marked


def test_words_without_upper_case_are_found_anywhere() -> None:
    assert _marked("版本 sha256", "新版本 sha256 1256") == ["版本", "sha", "256"]


def test_blank_ends_are_not_shown_and_numbers_stay_right() -> None:
    assert _shown("\n\n  x\n\n", query="", max_lines=5) == [(12, "  x")]


def test_only_line_feeds_end_a_line() -> None:
    assert _shown("a\x0cb\r\nc\u2028d", query="", max_lines=5) == [(10, "a\x0cb"), (11, "c\u2028d")]


def test_text_that_was_not_asked_for_shows_nothing() -> None:
    assert _shown("", query="x", max_lines=5) == []
