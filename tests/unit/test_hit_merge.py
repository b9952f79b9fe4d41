"""Hits of several roots in one list."""

from dataclasses import replace

from codecairn.core.types.hits import Hit, SearchResult
from codecairn.workspace.knowledge.hit_merge import Part, merged


def _part(base: str, *scores: float) -> Part:
    hits = tuple(
        Hit(
            path=f"{at}.py", start_line=1, end_line=2, kind="function", name="", language="python",
            score=score, text="", context_start_line=1,
        )
        for at, score in enumerate(scores)
    )  # fmt: skip
    return Part(base=base, prefix="", result=SearchResult(query="q", branch="", hits=hits))


def _order(*parts: Part, limit: int = 10, by_rank: bool = False) -> list[tuple[str, str]]:
    found = merged(parts, limit=limit, by_rank=by_rank)
    return [(hit.base, hit.path) for hit in found]


def test_the_best_scores_come_first_and_equals_in_the_order_of_roots() -> None:
    assert _order(_part("a", 3, 1), _part("b", 3, 2), limit=3) == [
        ("a", "0.py"),
        ("b", "0.py"),
        ("b", "1.py"),
    ]


def test_hits_of_a_root_keep_their_order() -> None:
    """An answer within a token budget is ordered by probabilities, not by scores."""
    found = _order(_part("a", 1, 9, 0), _part("b", 2, 0.5))
    assert found == [("b", "0.py"), ("a", "0.py"), ("a", "1.py"), ("b", "1.py"), ("a", "2.py")]


def test_ranks_decide_where_scores_cannot_be_compared() -> None:
    assert _order(_part("a", 9, 8), _part("b", 1), by_rank=True) == [
        ("a", "0.py"),
        ("b", "0.py"),
        ("a", "1.py"),
    ]


def test_relevance_raises_all_hits_of_a_root() -> None:
    likely = replace(_part("b", 2, 1), relevance=1.5)
    found = merged([_part("a", 3, 2), likely], limit=10, by_rank=False)
    assert [(hit.base, hit.score) for hit in found] == [("b", 3.5), ("a", 3), ("b", 2.5), ("a", 2)]
    assert found[0].contributions == ()
