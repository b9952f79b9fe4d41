"""How likely a question is about each of several repositories."""

from math import inf, isfinite, log, nextafter, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.workspace.organization.query_likelihood import (
    SMOOTHING,
    WEIGHT,
    StemCounts,
    relevances,
)

COUNTS = st.builds(
    StemCounts,
    st.integers(1, 10**9),
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 10**6), max_size=3),
)


def test_a_repository_that_has_a_word_more_often_is_likelier() -> None:
    often, seldom, never = (
        StemCounts(1_000, {"token": 50}), StemCounts(1_000, {"token": 5}), StemCounts(1_000, {}),
    )  # fmt: skip
    first, second, third = relevances(["token"], [often, seldom, never])
    assert first > second > third
    mean = 55 / 3_000
    assert first == pytest.approx(WEIGHT * log(SMOOTHING * 0.05 / mean + 1 - SMOOTHING))
    assert third == pytest.approx(WEIGHT * log(1 - SMOOTHING))


def test_size_alone_decides_nothing() -> None:
    small, large = StemCounts(100, {"token": 1}), StemCounts(10_000, {"token": 100})
    assert relevances(["token"], [small, large]) == pytest.approx([0, 0])


def test_a_word_that_nothing_has_decides_nothing() -> None:
    both = [StemCounts(100, {"token": 9}), StemCounts(100, {"token": 1})]
    assert relevances(["token", "xylophone"], both) == relevances(["token"], both)
    assert relevances(["xylophone"], both) == relevances([], both) == [0, 0]


def test_words_of_one_question_count_less_than_their_number() -> None:
    both = [StemCounts(100, {"a": 8, "b": 8}), StemCounts(100, {})]
    one, two = relevances(["a"], both)[0], relevances(["a", "b"], both)[0]
    assert two == pytest.approx(one * sqrt(2))
    assert relevances(["a", "a"], both)[0] == one


@given(st.lists(st.sampled_from("abcd")), st.lists(COUNTS, min_size=1, max_size=5))
def test_relevances_are_numbers_and_one_repository_has_none(
    stems: list[str], repositories: list[StemCounts]
) -> None:
    found = relevances(stems, repositories)
    assert len(found) == len(repositories)
    assert all(map(isfinite, found))
    assert nextafter(0, -inf) < abs(relevances(stems, repositories[:1])[0]) < 1e-9
