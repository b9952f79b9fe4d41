"""JSON edited as text: the rest stays as it is, and taking out what was set gives the text from before."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.hosts.jsonc import NotJson, depth_of, read_member, remove_member, set_member

PATH = ("mcpServers", "codecairn")
ENTRY = {"command": "codecairn", "args": ["mcp"]}

TEXTS = [
    "{}",
    "{}\n",
    '{"a": 1}',
    '{"a": 1,}',
    '{\n  "a": 1\n}\n',
    '{\n  "a": 1,\n}\n',
    '{\n\t"a": {\n\t\t"b": []\n\t}\n}\n',
    '{"mcpServers": {}}',
    '{\n  "mcpServers": {}\n}\n',
    '{\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}',
    '{\n  "mcpServers": {\n    "other": {"command": "x"}, // kept\n  },\n}\n',
    '// before\n{\n  /* in */ "a": "// no comment", // at\n  // last\n}\n// after\n',
    '{\n    "mcpServers": {\n        // nothing yet\n    }\n}\n',
    '{"mcpServers": { /* none */ }}',
    '{\n  "a": 1 // one\n}\n',
    '{\n  "a": 1, // one\n}\n',
    '{\r\n  "a": 1, /* one */ \r\n}\r\n',
    '{\n  "mcpServers": {\n    "other": 1 /* x */ // kept\n  } // too\n}\n',
    '\ufeff{\r\n  "a": 1\r\n}\r\n',
    '{"mcpServers": {"a": 1, "b": 2}, "z": {"y": {}}}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_was_set_is_there_and_taking_it_out_gives_the_text_from_before(text: str) -> None:
    keep = depth_of(text, PATH)
    after = set_member(text, PATH, ENTRY)
    assert read_member(after, PATH) == ENTRY
    assert set_member(after, PATH, ENTRY) == after
    assert remove_member(after, PATH, keep=keep) == text


@pytest.mark.parametrize("text", ['{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n}'])
def test_comment_stays_on_the_line_that_it_is_about(text: str) -> None:
    after = set_member(text, PATH, ENTRY)
    (line,) = [each for each in after.splitlines() if "// one" in each]
    assert line.startswith('  "a": 1,')
    later = set_member(after, ("later",), 2)
    left = remove_member(later, PATH)
    assert "// one" in left
    assert read_member(left, ()) == {"a": 1, "later": 2}


_NAMES = st.sampled_from(["a", "b c", 'q"', "mcpServers", "x", "ü"])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(_NAMES, _VALUES, max_size=4),
    st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    st.booleans(),
)
def test_any_object_in_any_layout_is_edited_and_restored(
    document: dict[str, object],
    indent: int | str | None,
    ends: bool,
) -> None:
    if not isinstance(document.get("mcpServers", {}), dict):
        document["mcpServers"] = {}
    text = json.dumps(document, indent=indent) + ("\n" if ends else "")
    keep = depth_of(text, PATH)
    if read_member(text, PATH) is not None:
        return
    after = set_member(text, PATH, ENTRY)
    expected = json.loads(text)
    expected.setdefault("mcpServers", {})["codecairn"] = ENTRY
    assert json.loads(after) == expected
    assert remove_member(after, PATH, keep=keep) == text


def test_what_came_after_ours_stays() -> None:
    after = set_member('{\n  "mcpServers": {}\n}\n', PATH, ENTRY)
    later = set_member(after, ("mcpServers", "later"), {"command": "y"})
    left = remove_member(later, PATH)
    assert json.loads(left) == {"mcpServers": {"later": {"command": "y"}}}


def test_other_value_of_ours_is_replaced_in_place() -> None:
    text = '{"mcpServers": {"codecairn": {"command": "old"}, "b": 1}} // end'
    after = set_member(text, PATH, ENTRY)
    assert read_member(after, PATH) == ENTRY
    assert after.endswith('"b": 1}} // end')


@pytest.mark.parametrize("text", ["", " \n", "// nothing\n"])
def test_empty_file_gets_an_object(text: str) -> None:
    assert json.loads(set_member(text, PATH, ENTRY)) == {"mcpServers": {"codecairn": ENTRY}}


@pytest.mark.parametrize(
    "text",
    ["[]", "{", '{"a" 1}', '{"a": }', '{"mcpServers": 5}', "{} x", "[" * 500, '{"a": 1 "b": 2}'],
)
def test_what_is_no_json_object_is_refused_and_not_guessed_at(text: str) -> None:
    with pytest.raises(NotJson):
        set_member(text, PATH, ENTRY)
