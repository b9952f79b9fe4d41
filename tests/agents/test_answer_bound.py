"""No answer is longer than a host takes, whatever a call asks for."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from codecairn import Workspace
from codecairn.mcp.answer_bound import (
    MAX_DOCUMENT_CHARACTERS,
    TRUNCATED,
    bounded,
    bounded_text,
)
from codecairn.mcp.answers import MAX_CHARACTERS, Answer
from codecairn.mcp.dispatcher import ToolDispatcher
from support.repository import Repository

NOTE = 200
"""Characters of the note on what is left out."""

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)),
    max_leaves=20,
)  # fmt: skip


def test_text_is_cut_after_a_line_with_its_fence_closed() -> None:
    text = "```python\n" + "value = 1\n" * MAX_CHARACTERS
    shown = bounded_text(text)
    assert len(shown) <= MAX_CHARACTERS + NOTE
    assert shown.count("```") == 2
    assert "more characters left out" in shown
    assert bounded_text("short") == "short"


@settings(max_examples=25)
@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), st.integers(1, 60_000))
def test_any_document_is_bounded_and_stays_json(document: dict[str, object], times: int) -> None:
    large = {**document, "results": [{"text": "x" * times, **document}] * 40}
    for is_json in (True, False):
        found = bounded(Answer(text=json.dumps(large), document=large), is_json=is_json)
        limit = MAX_CHARACTERS if is_json else MAX_DOCUMENT_CHARACTERS
        assert len(json.dumps(found.document, ensure_ascii=False)) <= limit + len(TRUNCATED) + 10
        if is_json:
            assert json.loads(found.text) == json.loads(json.dumps(found.document))


def test_large_file_and_memory_are_bounded_whatever_a_call_asks_for(project: Repository) -> None:
    lines = "".join(f"    value_{number} = {number}\n" for number in range(20_000))
    project.write("shop/large.py", f"def large_function():\n{lines}    return 0\n")
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], chosen=["all"], in_background=False) as dispatcher,
    ):
        calls: list[tuple[str, dict[str, object]]] = [
            ("codebase_search", {"query": "large_function", "tokens": 10**9}),
            ("codebase_search", {"query": "large_function", "context": 10**6}),
            ("codebase_edit_context", {"target": "large_function", "token_budget": 10**9}),
            ("codebase_context", {"query": "large_function", "token_budget": 10**9}),
            ("ask", {"question": "large_function", "token_budget": 10**9}),
        ]
        for number in range(30):
            text = f"Fact {number} on large functions: " + f"it is long {number} " * 300
            fact = dispatcher.call("memory_add", {"text": text})
        ids = [
            row["id"] for row in dispatcher.call("memory_list", {"limit": 100}).document["results"]
        ]  # type: ignore[attr-defined]
        calls += [
            ("memory_get", {"ids": ids}),
            ("memory_list", {"limit": 10**6}),
            ("memory_search", {"query": "large functions", "limit": 10**6, "detail": "full"}),
            ("memory_why", {"id": str(fact.document["id"])}),
            ("memory_context", {"session": "one"}),
            ("memory_session", {"action": "export"}),
        ]
        for name, arguments in calls:
            answer = dispatcher.call(name, arguments)
            assert 0 < len(answer.text) <= MAX_CHARACTERS + NOTE, name
            document = json.dumps(answer.document, ensure_ascii=False)
            assert len(document) <= MAX_DOCUMENT_CHARACTERS + NOTE, name
