"""A request that passes the check is one to the SDK, which drops others without an answer; notifications have none."""

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp_types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError

from codecairn.mcp.message_check import error_of

TEXTS = st.text(st.characters(exclude_categories=()), max_size=5)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.one_of(st.just("2.0"), VALUES),
        "id": st.one_of(st.integers(), TEXTS, VALUES),
        "method": st.one_of(st.sampled_from(["ping", "tools/call", "tools/list"]), VALUES),
        "params": st.one_of(st.dictionaries(TEXTS, VALUES, max_size=3), VALUES),
        "result": st.one_of(st.just({}), VALUES),
    },
)


def _is_taken(line: str) -> bool:
    try:
        jsonrpc_message_adapter.validate_json(line)
    except (ValidationError, ValueError):
        return False
    return True


@settings(max_examples=300)
@given(st.one_of(MESSAGES, VALUES))
@example({"jsonrpc": "2.0", "id": 1, "result": None})
@example({"jsonrpc": "2.0", "id": 1, "error": {"code": "x"}})
def test_request_that_passes_the_check_is_taken_by_the_sdk(message: Any) -> None:
    line = json.dumps(message)
    is_request = isinstance(message, dict) and "method" in message and "id" in message
    if error_of(line) is None and is_request:
        assert _is_taken(line)


@settings(max_examples=100)
@given(st.text())
def test_any_line_is_checked_without_a_failure(line: str) -> None:
    error_of(line)


def test_usual_messages_pass() -> None:
    for message in (
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask"}},
        {"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {"cursor": "x"}},
        {"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": None},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
    ):
        assert error_of(json.dumps(message)) is None
