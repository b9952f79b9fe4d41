"""Results in answers of nodes: only what a search can find is taken."""

import dataclasses
import json
from typing import Any

import pytest

from codecairn.core.types.hits import Contribution, Hit, SearchResult, Span
from codecairn.errors import RemoteUntrusted
from codecairn.team.node_result import outlines, search_result

SPAN = Span(
    start_line=3, end_line=9, kind="function", name="f", probability=0.5, text="x",
    shown=((3, 4), (9, 9)), ways=(((3, 9),),),
)  # fmt: skip
HIT = Hit(
    path="a.py", start_line=3, end_line=9, kind="function", name="f", language="python", score=1.5, text="x",
    context_start_line=1, contributions=(Contribution(feature="words", value=1.0, part=0.5),), spans=(SPAN,), confidence=0.5,
)  # fmt: skip
RESULT = SearchResult(query="f", branch="main", hits=(HIT,), unchecked=0)


def _document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps({"result": dataclasses.asdict(RESULT)}))
    return document


def test_a_result_is_read_back_as_it_was() -> None:
    assert search_result(_document()) == RESULT


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("shown", "[[5, 1]]"), ("shown", "[[0, 1]]"), ("shown", "[[1, Infinity]]"), ("shown", "[[NaN, 2]]"),
        ("shown", "[[1e999, 1e999]]"), ("shown", "[[1, 4294967296]]"), ("shown", "[[1.5, 2]]"), ("shown", "[[1, 2, 3]]"),
        ("shown", '["12"]'), ("shown", "[[true, 2]]"), ("ways", "[[[5, 1]]]"), ("start_line", "0"), ("start_line", "10"),
        ("end_line", "-1"), ("probability", "Infinity"), ("probability", "NaN"), ("probability", "1e999"),
    ],
)  # fmt: skip
def test_a_span_that_is_none_is_refused(field: str, value: str) -> None:
    document = _document()
    document["result"]["hits"][0]["spans"][0][field] = json.loads(value)
    with pytest.raises(RemoteUntrusted):
        search_result(document)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("start_line", "0"), ("end_line", "2"), ("context_start_line", "4"), ("context_start_line", "-5"), ("score", "Infinity"),
        ("score", "-Infinity"), ("confidence", "NaN"), ("end_line", "1" + "0" * 400), ("contributions", '[{"feature": "x"}]'),
    ],
)  # fmt: skip
def test_a_hit_that_is_none_is_refused(field: str, value: str) -> None:
    document = _document()
    document["result"]["hits"][0][field] = json.loads(value)
    with pytest.raises(RemoteUntrusted):
        search_result(document)


@pytest.mark.parametrize("line", ["Infinity", "NaN", "0", "true", '"5"', "1" + "0" * 400])
def test_outlines_that_are_none_are_left_out(line: str) -> None:
    document = {"outlines": [[[json.loads(line), "def f()"]]]}
    assert outlines(document, 1) == ((),)
    assert outlines({"outlines": [[[5, "def f()"]]]}, 1) == (((5, "def f()"),),)
