"""How sure an answer is, in words."""

from dataclasses import replace

import pytest

from codecairn.core.types.hits import Hit, SearchResult
from codecairn.search.result_notes import confidence_line

HIT = Hit(
    path="a.py", start_line=1, end_line=2, kind="function", name="a", language="python",
    score=1.0, text="", context_start_line=1,
)  # fmt: skip


def _result(*hits: tuple[str, float | None]) -> SearchResult:
    found = tuple(replace(HIT, base=base, confidence=confidence) for base, confidence in hits)
    return SearchResult(query="q", branch="", hits=found)


@pytest.mark.parametrize(
    ("confidences", "line"),
    [
        ([0.5, 0.25], "likely here (75 %)"),
        ([0.6], "likely here (60 %)"),
        ([0.375, 0.125], "perhaps here (50 %)"),
        ([0.25], "perhaps here (25 %)"),
        ([0.125, 0.0625], "nothing here seems to answer this (19 %), these come closest"),
        ([None], ""),
        ([], ""),
    ],
)
def test_confidence_has_a_word(confidences: list[float | None], line: str) -> None:
    assert confidence_line(_result(*(("", each) for each in confidences))) == line


def test_roots_do_not_add_up() -> None:
    """Each root's confidence is by itself: two roots that perhaps have it don't make one that does."""
    assert _result(("", 0.25), ("other", 0.5), ("", 0.125)).confidence == 0.5
    assert _result(("", 0.75), ("", 0.5)).confidence == 1.0
    assert _result(("", 0.25), ("", None)).confidence is None
    assert _result().confidence == 0.0
