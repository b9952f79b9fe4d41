"""Reading what models write: what is complete is kept, what was cut off is dropped, and nothing ever fails."""

import json
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecairn.llm.chain import Unreadable
from codecairn.memory.extract.model_answer import objects_in, says_nothing, statements_in
from codecairn.memory.extract.tolerant_json import Cut, complete_parts, values_in
from unit.malformed_json import CORPUS, NOTHING, UNREADABLE

_TEXT = st.text(
    alphabet=st.characters(exclude_categories=("Cs", "Cc")), min_size=14, max_size=60
).map(lambda text: " ".join(text.split()))
_FACTS = st.lists(
    st.fixed_dictionaries({"text": _TEXT, "type": st.sampled_from(["rule", "decision"])}),
    max_size=6,
)
_PROSE = st.text(alphabet=string.ascii_letters + " .,!:\n", max_size=40)


def _read(text: str) -> tuple[str, ...]:
    return tuple(s.text for s in statements_in(text, shown=text, events=()).statements)


@pytest.mark.parametrize(
    ("text", "expected"), [row[1:] for row in CORPUS], ids=[row[0] for row in CORPUS]
)
def test_what_can_be_read_is_read(text: str, expected: tuple[str, ...]) -> None:
    if expected:
        assert _read(text) == expected
    else:
        with pytest.raises(Unreadable):
            _read(text)


@pytest.mark.parametrize("text", NOTHING)
def test_an_empty_list_is_an_answer(text: str) -> None:
    assert _read(text) == ()
    assert says_nothing(text)


@pytest.mark.parametrize("text", UNREADABLE)
def test_no_answer_is_told_from_an_empty_one(text: str) -> None:
    with pytest.raises(Unreadable):
        _read(text)


@given(facts=_FACTS, before=_PROSE, after=_PROSE, indent=st.sampled_from([None, 1, 4]))
@settings(max_examples=150)
def test_prose_and_fences_around_sound_json_change_nothing(
    facts: list[dict[str, str]], before: str, after: str, indent: int | None
) -> None:
    text = f"{before}\n```json\n{json.dumps({'facts': facts}, indent=indent)}\n```\n{after}"
    assert [row for row in objects_in(text) if "text" in row] == facts


@given(facts=_FACTS, at=st.integers(min_value=0, max_value=2000))
@settings(max_examples=300)
def test_of_a_cut_answer_exactly_the_complete_facts_are_left(
    facts: list[dict[str, str]], at: int
) -> None:
    whole = json.dumps(facts, ensure_ascii=False)
    cut = whole[: min(at, len(whole))]
    complete = []
    decoder, place = json.JSONDecoder(), 1
    for fact in facts:
        end = decoder.raw_decode(whole, place)[1]
        if end <= len(cut):
            complete.append(fact)
        place = end + 2
    assert [row for row in objects_in(cut) if "text" in row] == complete


@given(st.text(alphabet="[]{}\"'\\:,ntu0 a1`/*#\n", max_size=400) | st.text(max_size=200))
@settings(max_examples=400)
def test_no_text_makes_reading_fail(text: str) -> None:
    """What is read is plain JSON, what was cut adds only to it, and whole objects come back as they went in."""
    whole, cut = objects_in(text), objects_in(text, with_cut=True)
    for found in (whole, complete_parts(text)):
        assert json.loads(json.dumps(found)) == found
    assert all(isinstance(each, list | dict | Cut) for each in values_in(text))
    assert all(each in cut for each in whole)
    sound = {"text": text, "type": "rule"}
    assert values_in(json.dumps([sound])) == [[sound]]
    assert objects_in(f"{json.dumps([sound])}\n{text}")[:1] == [sound]


@given(
    document=st.recursive(
        st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=12),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
@settings(max_examples=200)
def test_sound_json_is_read_as_it_is(document: object) -> None:
    text = json.dumps([document])
    (value,) = values_in(text)
    assert value == json.loads(text)


@pytest.mark.parametrize(
    "unit", ["[", "{", '["', '{"a":', "'", '[{"a":"', "/*", "[/", "`{", '\\"[']
)
def test_reading_time_is_bounded_by_the_size(unit: str) -> None:
    """A ratio in one run: eight times the text takes far less than the square of it."""

    def cost(count: int) -> float:
        started = time.process_time()
        values_in(unit * count)
        return time.process_time() - started

    assert cost(40_000) <= 40 * max(cost(5_000), 0.02)


def test_parts_of_a_cut_manifest_are_read() -> None:
    document = complete_parts(
        '{"name": "x", "scripts": {"test": "vitest", "build": "tsc"}, "depend'
    )
    assert document == {"name": "x", "scripts": {"test": "vitest", "build": "tsc"}}
