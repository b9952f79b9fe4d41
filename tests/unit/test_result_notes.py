"""The estimate of how probably an answer has what is needed."""

from dataclasses import replace

from codecairn.core.types.hits import Hit, SearchResult

HIT = Hit(
    path="a.py", start_line=1, end_line=2, kind="function", name="a", language="python",
    score=1.0, text="", context_start_line=1,
)  # fmt: skip


def _result(*hits: tuple[str, float | None]) -> SearchResult:
    found = tuple(replace(HIT, base=base, confidence=confidence) for base, confidence in hits)
    return SearchResult(query="q", branch="", hits=found)


def test_roots_do_not_add_up() -> None:
    """Each root's confidence is by itself: two roots that perhaps have it don't make one that does."""
    assert _result(("", 0.25), ("other", 0.5), ("", 0.125)).confidence == 0.5
    assert _result(("", 0.75), ("", 0.5)).confidence == 1.0
    assert _result(("", 0.25), ("", None)).confidence is None
    assert _result().confidence == 0.0
