"""What the handshake answers is what the SDK's own server answers, whatever a host sends."""

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.types import InitializeRequestParams
from mcp_types.methods import validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from agents.conftest import PATIENCE_S
from codecairn.mcp.handshake import PROTOCOL_VERSIONS, is_plain_initialize
from support.command import command
from support.repository import Repository

SDK_ALONE = """
import sys
from codecairn.mcp import handshake
handshake.Handshake.serve = lambda self: handshake.Transcript([], self._reading, self._writing, answered_id=None)
from codecairn.cli.main import main
main(sys.argv[1:])
"""

Message = dict[str, Any]

INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def _request(number: object, method: str, **params: object) -> Message:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message | {"params": params} if params else message


def _initialize(version: object = "2025-06-18", **more: Any) -> Message:
    client = {"name": "a test", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client} | more
    return _request(0, "initialize", **params)


def _answers(program: list[str], lines: list[object]) -> list[Message]:
    """What a server answers to lines, by id; a line is a message, or text as it is."""
    process = subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, encoding="utf-8",
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    answers = []
    try:
        for line in lines:
            process.stdin.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
            process.stdin.flush()
            if isinstance(line, dict) and "id" in line and "method" in line:
                answers.append(json.loads(process.stdout.readline()))
                while answers[-1].get("id") != line["id"]:  # the errors of earlier lines
                    answers.append(json.loads(process.stdout.readline()))
        rest, err = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert "Traceback" not in err
    return [*answers, *map(json.loads, rest.splitlines())]


CLIENT = {"name": "a test", "version": "1"}

CONVERSATIONS: dict[str, list[object]] = {
    **{
        f"version {version}": [
            _initialize(version),
            INITIALIZED,
            _request(1, "tools/list"),
            _request("two", "ping"),
            _request(3, "prompts/list"),
            _request(4, "tools/list"),
        ]
        for version in (*HANDSHAKE_PROTOCOL_VERSIONS, "2026-07-28", "1999-01-01", 7)
    },
    "capabilities": [
        _initialize(
            capabilities={
                "roots": {"listChanged": True},
                "sampling": {"tools": {}},
                "elicitation": {"form": {}, "url": {}},
                "experimental": {"a": {"b": 1}},
                "tasks": {"list": {}, "requests": {"sampling": {"createMessage": {}}}},
            },
            clientInfo=CLIENT | {"title": "Ein Prüfer"},
        ),
        INITIALIZED,
        _request(1, "tools/list"),
    ],
    "capabilities that are none": [_initialize(capabilities={"roots": True}), INITIALIZED],
    "no client": [_initialize(clientInfo=None), _request(1, "ping")],
    "metadata": [_initialize(_meta={"progressToken": 5}), INITIALIZED, _request(1, "tools/list")],
    "requests without `initialized`": [_initialize(), _request(1, "ping"), _request(2, "tools/list")],
    "requests before `initialize`": [
        _request(1, "tools/list"),
        _request(2, "ping"),
        _request(3, "tools/dance"),
        _initialize(),
        INITIALIZED,
        _request(4, "tools/list"),
    ],
    "`initialize` twice": [_initialize(), INITIALIZED, _initialize("2024-11-05"), _request(1, "ping")],
    "the same id again": [_initialize(), _request(0, "ping"), _request(0, "prompts/list")],
    "a cursor": [_initialize(), INITIALIZED, _request(1, "tools/list", cursor="x")],
    "wrong parameters": [_initialize(), INITIALIZED, _request(1, "tools/list", cursor=5)],
    "an id that is none": [_initialize(), INITIALIZED, json.dumps(_request(1.5, "ping")), _request(2, "ping")],
    "cancelled": [
        _initialize(),
        INITIALIZED,
        _request(1, "tools/list"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
        _request(2, "tools/list"),
    ],
    "lines that are no messages": [
        _initialize(), "nonsense", "", "[]", '{"id": 3', INITIALIZED, _request(1, "tools/list"),
    ],
    "a line of no messages first": ["nonsense", _initialize(), INITIALIZED, _request(1, "ping")],
    "a batch": [_initialize(), json.dumps([_request(1, "ping"), _request(2, "ping")]), _request(3, "ping")],
    "half a character": [json.dumps(_initialize(clientInfo=CLIENT | {"name": "\ud800"})), _request(1, "ping")],
    "nested deeply": [
        json.dumps(_initialize(capabilities={"experimental": json.loads('{"b":' * 300 + "{}" + "}" * 300)})),
        _request(1, "ping"),
    ],
    "end after `initialize`": [_initialize()],
    "end": [],
}  # fmt: skip


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_conversation_is_that_of_the_sdk(name: str, project: Repository) -> None:
    lines = CONVERSATIONS[name]
    arguments = ["mcp", str(project.root), "--quiet"]
    expected = _answers([sys.executable, "-c", SDK_ALONE, *arguments], lines)
    assert _answers(command(*arguments), lines) == expected


def test_handshake_knows_the_versions_of_the_sdk() -> None:
    assert set(HANDSHAKE_PROTOCOL_VERSIONS) == PROTOCOL_VERSIONS


TREES = st.recursive(
    st.just({}), lambda inner: st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=5
)
VALUES = st.one_of(TREES, st.none(), st.booleans(), st.text(), st.lists(st.integers()))
NAMES = ("roots", "sampling", "elicitation", "experimental", "extensions", "tasks", "listChanged",
         "form", "url", "tools", "context", "list", "requests", "createMessage", "other")  # fmt: skip
CAPABILITIES = st.recursive(
    VALUES, lambda inner: st.dictionaries(st.sampled_from(NAMES), inner, max_size=4), max_leaves=8
)
CLIENTS = st.one_of(
    VALUES,
    st.fixed_dictionaries(
        {"name": st.text(), "version": st.text()},
        optional={"title": VALUES, "description": st.text(), "websiteUrl": st.text()},
    ),
)


@settings(deadline=None)  # the SDK builds its models when they are first used
@given(
    capabilities=CAPABILITIES, client=CLIENTS, version=st.sampled_from(sorted(PROTOCOL_VERSIONS))
)
def test_sdk_accepts_what_the_handshake_accepts(
    capabilities: object, client: object, version: str
) -> None:
    message = _initialize(version, capabilities=capabilities, clientInfo=client)
    if is_plain_initialize(message):
        InitializeRequestParams.model_validate(message["params"], by_name=False)
        for known in sorted(PROTOCOL_VERSIONS):
            validate_client_request("initialize", known, message["params"])


def test_sdk_is_not_imported_for_what_hosts_ask_first(project: Repository) -> None:
    script = (
        "import io, json, sys\n"
        "from pathlib import Path\n"
        "from codecairn.cli.mcp import _dispatcher\n"
        "from codecairn.mcp.client_roots import HostRoots\n"
        "from codecairn.mcp.handshake import Handshake\n"
        "from codecairn.mcp.lazy_dispatcher import LazyToolDispatcher\n"
        "out = io.StringIO()\n"
        "folders = [Path(sys.argv[1])]\n"
        "make = lambda: _dispatcher(folders, HostRoots(), None, (), quiet=True)\n"
        "with LazyToolDispatcher(make) as dispatcher:\n"
        "    reading = io.StringIO(sys.argv[2])\n"
        "    assert Handshake(dispatcher, reading, out, load_server=int).serve() is None\n"
        "assert not {'mcp', 'pydantic', 'anyio', 'asyncio'} & set(sys.modules)\n"
        "print(len(out.getvalue().splitlines()))\n"
    )
    lines = (_initialize(), INITIALIZED, _request(1, "ping"), _request(2, "tools/list"))
    done = subprocess.run(
        [sys.executable, "-c", script, str(project.root), "\n".join(map(json.dumps, lines))],
        capture_output=True, text=True, check=True, timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.stdout == "3\n"
