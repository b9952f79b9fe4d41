"""Both transports: what is let in, what is refused, clients that talk nonsense or vanish."""

import asyncio
import json
import subprocess
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from agents.conftest import PATIENCE_S
from support.command import command
from support.repository import Repository

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a test", "version": "1"},
    },
}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def _post(address: str, **headers: str) -> httpx2.Response:
    return httpx2.post(address, json=INITIALIZE, headers=HEADERS | headers, timeout=PATIENCE_S)


def test_official_client_calls_a_tool_over_http(http_server: tuple[str, str]) -> None:
    address, token = http_server

    async def run() -> str:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            streamable_http_client(address, http_client=http) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            assert (await session.list_tools()).tools
            answer = await session.call_tool("implementation_lookup", {"name": "verify_token"})
            return str(answer.content[0].text)  # type: ignore[union-attr]

    assert "shop/tokens.py" in asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


def test_nobody_without_the_token_is_let_in(http_server: tuple[str, str]) -> None:
    for given in ("", "Bearer", "Bearer wrong", "Basic dG9rZW4="):
        response = _post(http_server[0], **({"Authorization": given} if given else {}))
        assert response.status_code == 401, given


def test_page_of_another_origin_is_refused_even_with_the_token(
    http_server: tuple[str, str],
) -> None:
    address, token = http_server
    key = {"Authorization": f"Bearer {token}"}
    assert _post(address, **key).status_code == 200
    assert _post(address, **key, Origin="https://elsewhere.example").status_code == 403
    assert _post(address, **key, Host="elsewhere.example").status_code == 421


def test_given_token_is_taken_and_not_told(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_MCP_TOKEN", "a-token-of-my-own")
    process = subprocess.Popen(
        command("mcp", str(project.root), "--http", "0"), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        address = line.split()[-1]
        assert _post(address, Authorization="Bearer a-token-of-my-own").status_code == 200
    finally:
        process.terminate()
        rest = process.communicate(timeout=PATIENCE_S)[1]
    assert "a-token-of-my-own" not in line + rest


@pytest.fixture
def raw(project: Repository) -> Any:
    """The server, spoken to line by line."""
    process = subprocess.Popen(
        command("mcp", str(project.root)),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    sending, receiving = process.stdin, process.stdout

    def say(text: str) -> dict[str, Any]:
        sending.write(text + "\n")
        sending.flush()
        answer: dict[str, Any] = json.loads(receiving.readline())
        return answer

    say.process = process  # type: ignore[attr-defined]
    yield say
    process.kill()
    process.communicate()


def test_malformed_request_is_refused_and_the_next_is_served(
    raw: Callable[[str], dict[str, Any]],
) -> None:
    assert "result" in raw(json.dumps(INITIALIZE))
    raw.process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')  # type: ignore[attr-defined]
    for nonsense in (
        '{"jsonrpc": "2.0", "id": 7, "method": "tools/dance"}',
        '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"arguments": []}}',
        '{"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {}}',
    ):
        assert "error" in raw(nonsense), nonsense
        listed = raw('{"jsonrpc": "2.0", "id": 8, "method": "tools/list"}')
        assert listed["id"] == 8
        assert listed["result"]["tools"]


def test_line_that_is_no_message_is_passed_over(raw: Callable[[str], dict[str, Any]]) -> None:
    assert "result" in raw(json.dumps(INITIALIZE))
    sending = raw.process.stdin  # type: ignore[attr-defined]
    sending.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    sending.write(
        'nonsense\n[]\n{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": 5}\n'
    )
    answer = raw('{"jsonrpc": "2.0", "id": 8, "method": "tools/list"}')
    while answer.get("id") != 8:
        answer = raw("")
    assert answer["result"]["tools"]


def test_server_ends_when_its_host_vanishes(project: Repository) -> None:
    process = subprocess.Popen(
        command("mcp", str(project.root)),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(INITIALIZE) + "\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1
    process.stdout.close()
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "Traceback" not in said


def test_nothing_but_the_protocol_is_written_to_standard_output(project: Repository) -> None:
    process = subprocess.run(
        command("mcp", str(project.root)),
        input=json.dumps(INITIALIZE) + "\n",
        capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    lines = process.stdout.splitlines()
    assert lines
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in lines)
