"""Mistakes of hosts and models at a real server: each is answered with what is wrong and what to do, and the server lives on.

All are made at one server, one after the other; after each a `ping` is answered.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.raw_server import (
    INITIALIZED,
    Message,
    RawServer,
    initialize,
    raw_server,
    request,
)
from support.repository import SMALL_PROJECT, Repository

LONG = "x" * 10_000_000

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602

MAX_ANSWER_CHARS = 4_000
"""Of an answer to a mistake, whatever it quotes."""


def _call(tool: object, /, **arguments: object) -> Message:
    return request(1, "tools/call", name=tool, arguments=arguments)


def _raw_query(value: str) -> str:
    """A call whose query is written as it is."""
    start = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"codebase_search","arguments":{"query":'
    return f"{start}{value}}}}}}}"


BAD_MESSAGES: dict[str, tuple[Message | str, int, str]] = {
    "no JSON": ("nonsense", PARSE_ERROR, "not JSON"),
    "half a message": ('{"jsonrpc": "2.0", "id": 1, "method"', PARSE_ERROR, "one line"),
    "deep JSON": (_raw_query("[" * 100_000 + "]" * 100_000), PARSE_ERROR, "deeper than 100"),
    "JSON that is too deep for the SDK": (_raw_query("[" * 300 + "]" * 300), INVALID_REQUEST, "flat arguments"),
    "half a surrogate pair": (_raw_query('"\\ud800"'), INVALID_REQUEST, "whole character"),
    "batch": (json.dumps([request(1, "ping"), request(2, "ping")]), INVALID_REQUEST, "a line of its own"),
    "empty batch": ("[]", INVALID_REQUEST, "batch"),
    "number": ("5", INVALID_REQUEST, "must be an object"),
    "null": ("null", INVALID_REQUEST, "must be an object"),
    "no version of JSON-RPC": ('{"id": 1, "method": "ping"}', INVALID_REQUEST, '`jsonrpc` must be "2.0"'),
    "other version of JSON-RPC": ('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', INVALID_REQUEST, '"2.0"'),
    "no method": ('{"jsonrpc": "2.0", "id": 1}', INVALID_REQUEST, "`method` is missing"),
    "method of a wrong type": ('{"jsonrpc": "2.0", "id": 1, "method": 5}', INVALID_REQUEST, "`method` must be a string"),
    "unknown method": (request(1, "tools/dance"), NO_METHOD, "not found"),
    "id that is null": ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', INVALID_REQUEST, "`id` must be"),
    "id that is a fraction": (request(1.5, "ping"), INVALID_REQUEST, "`id` must be"),
    "id that is an object": (request({}, "ping"), INVALID_REQUEST, "`id` must be"),
    "id that is a boolean": (request(True, "ping"), INVALID_REQUEST, "`id` must be"),
    "parameters in a list": ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]}', INVALID_PARAMS, "must be an object"),
    "parameters in a text": ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": "x"}', INVALID_PARAMS, "must be an object"),
    "call without parameters": (request(1, "tools/call"), INVALID_PARAMS, '{"name": "codebase_search"'),
    "call of no tool": (request(1, "tools/call", arguments={}), INVALID_PARAMS, "`name` must be a string"),
    "tool's name of a wrong type": (_call(5), INVALID_PARAMS, "`name` must be a string"),
    "arguments in a list": (request(1, "tools/call", name="ask", arguments=["x"]), INVALID_PARAMS, "`arguments` must be an object"),
    "arguments as text": (request(1, "tools/call", name="ask", arguments='{"question": "x"}'), INVALID_PARAMS, "must be an object"),
    "unknown tool": (_call("grep", pattern="x"), INVALID_PARAMS, "there are: codebase_search"),
    "tool with a slip of the pen": (_call("codebase_serach", query="x"), INVALID_PARAMS, "did you mean `codebase_search`?"),
    "tool of another set": (_call("index_status"), INVALID_PARAMS, "`--tools all`"),
    "tool with a huge name": (_call(LONG), INVALID_PARAMS, "there are: codebase_search"),
    "unknown prompt": (request(1, "prompts/get", name="dance"), INVALID_PARAMS, "there are: search"),
    "prompt without its argument": (request(1, "prompts/get", name="search"), INVALID_PARAMS, "`query` is missing: "),
    "prompt's argument of a wrong type": (request(1, "prompts/get", name="search", arguments={"query": 5}), INVALID_PARAMS, "must be strings"),
    "file of another scheme": (request(1, "resources/read", uri="file:///etc/passwd"), INVALID_PARAMS, "there are codecairn://file/"),
    "file outside": (request(1, "resources/read", uri="codecairn://file/../../etc/passwd"), INVALID_PARAMS, "outside the workspace"),
    "file outside, encoded": (request(1, "resources/read", uri="codecairn://file/%2e%2e/%2e%2e/etc/passwd"), INVALID_PARAMS, "outside the workspace"),
    "file with a NUL": (request(1, "resources/read", uri="codecairn://file/a%00b"), INVALID_PARAMS, "a\\x00b"),
    "no address": (request(1, "resources/read", uri=""), INVALID_PARAMS, "there are codecairn://file/"),
    "broken address": (request(1, "resources/read", uri="codecairn://["), INVALID_PARAMS, "there are codecairn://file/"),
    "unknown memory": (request(1, "resources/read", uri="codecairn://memory/nothing"), INVALID_PARAMS, "`memory_search`"),
    "address of a wrong type": (request(1, "resources/read", uri=5), INVALID_PARAMS, "`uri` must be a string"),
    "cursor of a wrong type": (request(1, "tools/list", cursor=5), INVALID_PARAMS, "`cursor` must be a string"),
}  # fmt: skip
"""A line, and the code and some words of the error that answers it."""

BAD_CALLS: dict[str, tuple[Message | str, str]] = {
    "missing argument": (_call("codebase_search"), "`query` is missing\n"),
    "arguments that are null": (request(1, "tools/call", name="ask", arguments=None), "`question` is missing\n"),
    "unknown argument": (_call("codebase_search", query="x", maxx=5), "\nthere are: query"),
    "argument with a slip of the pen": (_call("codebase_search", query="x", gloob="*"), "did you mean `glob`?"),
    "argument with a huge name": (_call("codebase_search", query="x", **{LONG: 1}), "\nthere are: query"),
    "number for a text": (_call("codebase_search", query=5), "must be of type string, not 5\n"),
    "list for a text": (_call("codebase_search", query=["x"]), "must be of type string"),
    "object for a text": (_call("codebase_search", query={"x": 1}), "must be of type string"),
    "empty query": (_call("codebase_search", query=" \n"), "the query is empty\ngive `query`"),
    "NUL in a query": (_call("codebase_search", query="a\0b"), "NUL character\nleave it out"),
    "huge query": (_call("codebase_search", query=LONG), "\ngive 1,000,000 at most"),
    "negative number": (_call("codebase_search", query="x", limit=-1), "\ngive 1 or more"),
    "fraction for a whole number": (_call("codebase_search", query="x", limit=1.5), "must be of type integer, not 1.5\n"),
    "NaN": (_raw_query('"x","limit":NaN'), "must be of type integer, not nan\n"),
    "infinity": (_raw_query('"x","limit":1e999'), "must be of type integer, not inf\n"),
    "budget that is too small": (_call("codebase_edit_context", target="sign", token_budget=1), "\ngive 128 or more"),
    "folder outside": (_call("codebase_search", query="x", dir="../../etc"), "outside the workspace"),
    "folder outside, absolute": (_call("codebase_search", query="x", dir="/etc"), "outside the workspace"),
    "no such folder": (_call("codebase_search", query="x", dir="no/such"), "\nthere are `docs`, `shop`"),
    "unknown language": (_call("codebase_search", query="x", lang="klingon"), "unknown language `klingon`\n"),
    "unknown choice": (_call("codebase_search", query="x", kind="functio"), "did you mean `function`?"),
    "unclosed pattern": (_call("codebase_search", query="x", glob="["), "bad pattern"),
    "huge pattern": (_call("codebase_search", query="x", glob="*" * 100_000), "bad pattern"),
    "unknown knowledge base": (_call("codebase_search", query="x", **{"in": "nowhere"}), "no knowledge base `nowhere`\n"),
    "time that is none": (_call("codebase_search", query="x", since="blue moon"), "\nfor example"),
    "commit that is an option": (_call("codebase_search", query="x", commit="--output=/tmp/x"), "\ngive a commit's id"),
    "unknown symbol": (_call("call_graph", name="zebra"), "`codebase_search` finds by meaning"),
    "line outside of every file": (_call("call_graph", name=f"shop/tokens.py:{10**20}"), "\nname a line of a function"),
    "symbol outside": (_call("codebase_edit_context", target="../../etc/passwd:1"), "is not in the index\n"),
    "unknown direction": (_call("call_graph", name="sign", direction="up"), "\nthere are: callers, callees"),
    "unknown id": (_call("memory_get", ids=["nothing"]), "`memory_search`"),
    "no id": (_call("memory_get", ids=[]), "\ngive `id`, or `ids`"),
    "unknown type": (_call("memory_add", text="x y z", type="decison"), "did you mean `decision`?"),
    "empty memory": (_call("memory_add", text=""), "\ngive `text`"),
    "memory that claims a person wrote it": (_call("memory_add", text="x y z", origin="user"), "no argument `origin`\n"),
    "memory that replaces nothing": (_call("memory_add", text="x y z", supersedes=["nothing"]), "`memory_search`"),
    "memory of code outside": (_call("memory_add", text="x y z", anchor="../../etc/passwd"), "\nfor example"),
    "unknown workspace": (_call("ask", question="x", workspace="nowhere"), "`codecairn index FOLDER`"),
    "workspace outside": (_call("ask", question="x", workspace="../../etc"), "`codecairn index FOLDER`"),
    "workspace that is a file": (_call("ask", question="x", workspace="/etc/passwd"), "`codecairn index FOLDER`"),
    "workspace with a NUL": (_call("ask", question="x", workspace="a\0b"), "`codecairn index FOLDER`"),
    "workspace of a wrong type": (_call("ask", question="x", workspace=5), "\ngive a project's folder"),
    "workspace with a huge name": (_call("ask", question="x", workspace=LONG), "`codecairn index FOLDER`"),
    "empty question": (_call("ask", question=""), "nothing is asked\n"),
}  # fmt: skip
"""A call, and some words of the result that says what is wrong; a line break stands before the remedy."""

ACCEPTED: dict[str, Message] = {
    "huge limit": _call("codebase_search", query="token", limit=10**30),
    "huge number of tokens": _call("codebase_search", query="token", tokens=10**19),
    "huge depth": _call("call_graph", name="sign", depth=10**18),
    "huge budget": _call("codebase_edit_context", target="sign", token_budget=10**19),
    "pattern that nothing matches": _call("codebase_search", query="token", glob="*.nothing"),
    "cursor that was never given": request(1, "tools/list", cursor="x"),
}
"""What is no mistake, but looks like one: as much as there is, is returned."""

UNANSWERED: dict[str, Message | str] = {
    "empty line": " ",
    "answer to nothing": {"jsonrpc": "2.0", "id": 99, "result": {}},
    "error to nothing": {"jsonrpc": "2.0", "id": 99, "error": {"code": -1, "message": "x"}},
    "unknown notification": {"jsonrpc": "2.0", "method": "notifications/dance"},
    "cancellation of nothing": {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 12345},
    },
    "cancellation without an id": {"jsonrpc": "2.0", "method": "notifications/cancelled"},
    "change of roots that were not declared": {
        "jsonrpc": "2.0",
        "method": "notifications/roots/list_changed",
    },
}
"""What has no answer."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawServer]:
    """A server on a small project, with its first index made."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("mistakes")
        patch.setenv("CODECAIRN_HOME", str(folder / "own"))
        patch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
        project = Repository.make(folder / "project")
        project.write_all(SMALL_PROJECT)
        project.git("config", "user.name", "Test")
        project.git("config", "user.email", "test@example.com")
        project.commit("first")
        with raw_server(project.root) as server:
            server.answers_to(_call("codebase_search", query="token"), count=1)
            yield server


def _only_answer(server: RawServer, line: Message | str) -> Message:
    (answer,) = server.answers_to(line, count=1)
    assert len(json.dumps(answer)) <= MAX_ANSWER_CHARS
    assert "Traceback" not in json.dumps(answer)
    return answer


@pytest.mark.parametrize("name", BAD_MESSAGES)
def test_bad_message_is_answered_with_an_error(name: str, server: RawServer) -> None:
    line, code, words = BAD_MESSAGES[name]
    answer = _only_answer(server, line)
    assert answer["error"]["code"] == code
    assert words.lower() in answer["error"]["message"].lower()
    assert answer["id"] in {1, None}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_call_is_answered_with_a_result_that_a_model_can_act_on(
    name: str, server: RawServer
) -> None:
    line, words = BAD_CALLS[name]
    result = _only_answer(server, line)["result"]
    assert result["isError"]
    text = result["content"][0]["text"]
    assert words in text
    message, _, remedy = text.partition("\n")
    assert message
    assert remedy
    assert not {char for char in text if ord(char) < 32} - {"\n"}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_looks_like_a_mistake_is_taken(name: str, server: RawServer) -> None:
    (answer,) = server.answers_to(ACCEPTED[name], count=1)
    assert not answer["result"].get("isError")


@pytest.mark.parametrize("name", UNANSWERED)
def test_what_has_no_answer_is_passed_over(name: str, server: RawServer) -> None:
    server.send(UNANSWERED[name])
    assert server.answers() == []


def test_same_id_of_two_calls_is_answered_twice(server: RawServer) -> None:
    line = _call("implementation_lookup", name="sign")
    answers = server.answers_to(line, line, count=2)
    assert [answer["id"] for answer in answers] == [1, 1]


def test_cancelled_call_does_not_hold_up_the_next(server: RawServer) -> None:
    cancel: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    server.send(_call("ask", question="who verifies tokens"), cancel | {"params": {"requestId": 1}})
    lookup = request(2, "tools/call", name="implementation_lookup", arguments={"name": "sign"})
    answers = server.answers_to(lookup, count=1)
    assert 2 in {answer["id"] for answer in answers}


@pytest.mark.parametrize("version", ["1999-01-01", "", 7, None, "2.0"])
def test_unknown_version_is_negotiated_or_refused(version: object, project: Repository) -> None:
    with raw_server(project.root, is_initialized=False) as server:
        (answer, *_) = server.answers_to(initialize(version), count=1)
        assert "result" in answer or answer["error"]["code"] == INVALID_PARAMS
        if isinstance(version, str):
            assert answer["result"]["protocolVersion"] >= "2025-06-18"
        again = server.answers_to(initialize(), INITIALIZED, request(5, "tools/list"), count=2)
        assert any("tools" in each.get("result", {}) for each in again)


def test_call_before_initialize_is_refused_and_does_no_harm(project: Repository) -> None:
    with raw_server(project.root, is_initialized=False) as server:
        (answer,) = server.answers_to(_call("ask", question="x"), count=1)
        assert answer["error"]["message"]
        answers = server.answers_to(initialize(), INITIALIZED, request(5, "tools/list"), count=2)
        assert len(answers[1]["result"]["tools"]) == 8


def test_there_are_sixty_mistakes() -> None:
    assert len(BAD_MESSAGES) + len(BAD_CALLS) >= 60
