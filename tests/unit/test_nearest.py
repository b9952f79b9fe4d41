"""The name that a misspelled one means."""

import pytest

from codecairn.core.nearest import did_you_mean, nearest

COMMANDS = ("search", "similar", "status", "list", "add", "run", "call", "callers")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("serach", "search"),
        ("SEARCH", "search"),
        ("lst", "list"),
        ("ad", "add"),
        ("rum", "run"),
        ("calers", "callers"),
        ("qqqq", ""),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_nearest_is_the_name_that_was_meant_or_none(given: str, meant: str) -> None:
    assert nearest(given, COMMANDS) == meant
    assert did_you_mean(given, COMMANDS) == (f"did you mean `{meant}`?" if meant else "")


def test_names_are_suggested_as_they_are_spelled() -> None:
    assert nearest("python", ["C++", "Python"]) == "Python"


def test_a_long_text_costs_no_more_than_a_name() -> None:
    assert nearest("x" * 10_000_000, COMMANDS) == ""
