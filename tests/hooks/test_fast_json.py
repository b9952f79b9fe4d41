"""JSON without `json`: the same documents, and errors of one kind."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.hooks.fast_json import dumps, loads, rows

_DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(_DOCUMENTS)
def test_what_is_written_reads_as_json_does(document: object) -> None:
    assert json.loads(dumps(document)) == document
    assert loads(json.dumps(document)) == document


@given(st.text() | st.text(alphabet='{}[]":,0123 \\untrfals'))
def test_text_is_read_as_json_does_or_refused_as_a_wrong_value(text: str) -> None:
    try:
        expected = json.loads(text, strict=False)
    except ValueError:
        with pytest.raises(ValueError, match=r".*"):
            loads(text)
        return
    found = loads(text)
    assert found == expected or (isinstance(expected, float) and math.isnan(expected))


@pytest.mark.parametrize("text", ["", "{", "[1,]", "{} {}", '"abc', "[" * 200_000])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        loads(text)


@given(st.lists(_DOCUMENTS))
def test_members_of_an_array_are_read_one_by_one(documents: list[object]) -> None:
    text = json.dumps(documents, separators=(",", ":"))
    assert list(rows(text)) == documents
    reading = rows(text[:-1] + ",nonsense]" if documents else "[nonsense]")
    assert [next(reading) for _ in documents] == documents
    with pytest.raises(ValueError, match=r".*"):
        next(reading)


def test_what_has_no_form_in_json_is_refused() -> None:
    with pytest.raises(TypeError):
        dumps({"a": object()})
