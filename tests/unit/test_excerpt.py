"""What is shown of a hit."""

from codecairn.core.types.hits import Hit
from codecairn.search.excerpt import make_excerpt, query_words


def _hit(text: str, *, start_line: int = 10) -> Hit:
    return Hit(
        path="a.py",
        start_line=start_line,
        end_line=start_line + text.count("\n"),
        kind="function",
        name="f",
        language="python",
        score=1.0,
        text=text,
        context_start_line=start_line,
    )


def _shown(text: str, *, query: str, max_lines: int) -> list[tuple[int | None, str]]:
    lines = make_excerpt(_hit(text), words=query_words(query), max_lines=max_lines)
    return [(line.number, line.text) for line in lines]


def test_short_text_is_shown_whole() -> None:
    assert _shown("def f():\n    return 1\n", query="x", max_lines=5) == [
        (10, "def f():"),
        (11, "    return 1"),
    ]


def test_long_text_shows_its_first_line_and_the_best_run() -> None:
    text = "\n".join(
        ["def f():", *(f"    line {n}" for n in range(20)), "    verify(token)", "    end"]
    )
    shown = _shown(text, query="verify token", max_lines=3)
    assert shown == [
        (10, "def f():"),
        (None, ""),
        (30, "    line 19"),
        (31, "    verify(token)"),
        (None, ""),
    ]


def test_without_a_match_the_beginning_is_shown() -> None:
    text = "\n".join(f"line {n}" for n in range(9))
    assert _shown(text, query="nothing", max_lines=3) == [
        (10, "line 0"),
        (11, "line 1"),
        (12, "line 2"),
        (None, ""),
    ]


def test_parts_of_identifiers_count_as_words() -> None:
    assert query_words("getUserById HTTPServer user_name 版本 of") == {
        "get", "user", "http", "server", "name", "版本",
    }  # fmt: skip


def test_blank_ends_are_not_shown_and_numbers_stay_right() -> None:
    assert _shown("\n\n  x\n\n", query="", max_lines=5) == [(12, "  x")]


def test_only_line_feeds_end_a_line() -> None:
    assert _shown("a\x0cb\r\nc\u2028d", query="", max_lines=5) == [(10, "a\x0cb"), (11, "c\u2028d")]


def test_text_that_was_not_asked_for_shows_nothing() -> None:
    assert _shown("", query="x", max_lines=5) == []
