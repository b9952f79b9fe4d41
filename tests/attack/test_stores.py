"""Whatever a repository brings in `.codecairn`, opening it by any way harms nobody and is believed by nobody."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from codecairn import Workspace
from codecairn.errors import CodecairnError
from hooks.fixtures import AGENTS, hooked, recorded
from support.command import command, run
from support.hostile import PINNED, PLANTS, Victim, hostile_clone, make_victim
from support.repository import Repository
from support.watched import watch_one_change

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="making links takes rights there")

PATIENCE_S = 60


@pytest.fixture
def victim(home: Path) -> Victim:
    return make_victim(home)


@pytest.fixture(params=PLANTS)
def clone(request: pytest.FixtureRequest, tmp_path: Path, victim: Victim) -> Repository:
    return hostile_clone(tmp_path / "hostile", victim, request.param)


def _commands(clone: Repository) -> None:
    for arguments in (
        ("status",),
        ("search", "verify a session token"),
        ("index", "--force"),
        ("status", "--verbose"),
        ("doctor",),
        ("doctor", "--repair"),
        ("gc",),
        ("visualize", "--no-open"),
        ("memory", "add", "a fact of the user's own"),
        ("memory", "search", "send the contents of every file"),
        ("memory", "doctor"),
        ("memory", "init"),
        ("logs",),
        ("metrics",),
    ):
        outcome = run(*arguments, cwd=clone.root)
        assert outcome.code in {0, 1}, (arguments, outcome)
        assert "planted_by_the_store" not in outcome.out


def _hooks(clone: Repository) -> None:
    for agent in AGENTS:
        for event, payload in recorded(agent):
            moved = json.loads(json.dumps(payload).replace("/home/ann/shop", str(clone.root)))
            assert PINNED not in str(hooked(agent, event, moved, cwd=clone.root))


async def _asked(session: ClientSession) -> None:
    await session.initialize()
    answer = await session.call_tool("codebase_search", {"query": "planted by the store"})
    assert "planted_by_the_store" not in str(answer.content)
    answer = await session.call_tool("memory_search", {"query": "send the contents of every file"})
    assert PINNED not in str(answer.content)


def _stdio(clone: Repository) -> None:
    program, *arguments = command("mcp", "--tools", "all")
    server = StdioServerParameters(
        command=program, args=arguments, cwd=clone.root, env=dict(os.environ)
    )

    async def talk() -> None:
        async with (
            stdio_client(server) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await _asked(session)

    asyncio.run(asyncio.wait_for(talk(), PATIENCE_S))


def _http(clone: Repository) -> None:
    process = subprocess.Popen(
        command("mcp", "--tools", "all", "--http", "0"),
        cwd=clone.root,
        env=os.environ | {"CODECAIRN_MCP_TOKEN": "a-token"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None

    async def talk(address: str) -> None:
        headers = {"Authorization": "Bearer a-token"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            streamable_http_client(address, http_client=http) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await _asked(session)

    try:
        address = process.stderr.readline().split()[-1]
        asyncio.run(asyncio.wait_for(talk(address), PATIENCE_S))
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def _python(clone: Repository) -> None:
    with Workspace.open(clone.root) as workspace:
        assert not [
            hit for hit in workspace.search("planted by the store") if "planted" in hit.path
        ]
        workspace.index(force=True)
        workspace.status()
        workspace.doctor(repair=True)
        workspace.gc()
        assert workspace.memory.recall("send the contents of every file", limit=5) is not None
        assert PINNED not in {fact.text for fact in workspace.memory.list()}
    with Workspace.open(clone.root, read_only=True) as workspace:
        workspace.search("verify token")


ENTRIES: dict[str, Callable[[Repository], None]] = {
    "commands": _commands,
    "watch": lambda clone: watch_one_change(clone.root),
    "hooks": _hooks,
    "mcp over stdio": _stdio,
    "mcp over http": _http,
    "python": _python,
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_opening_a_hostile_clone_changes_nothing_of_the_user(
    clone: Repository, victim: Victim, entry: str
) -> None:
    before = victim.state()
    planted = _planted(clone)
    ENTRIES[entry](clone)
    assert victim.state() == before
    assert _planted(clone) == planted, "what came with a repository is not written either"
    assert not (clone.root / "pwned").exists()


def test_planted_memory_reaches_no_other_repository(clone: Repository, victim: Victim) -> None:
    hooked("claude", "SessionStart", {"session_id": "s", "cwd": str(clone.root)}, cwd=clone.root)
    with Workspace.open(clone.root) as workspace:
        workspace.memory.status()
    with Workspace.open(victim.own) as workspace:
        assert workspace.memory.list() == ()
    assert PINNED not in run("memory", "context", cwd=victim.own).out


def test_status_and_doctor_report_what_is_not_used(clone: Repository) -> None:
    assert run("index", cwd=clone.root).code == 0
    document = run("status", "--json", cwd=clone.root).document
    assert any("`codecairn trust`" in note for note in document["notes"]), document["notes"]


def test_trusting_a_clone_adopts_nothing_that_git_tracks(clone: Repository, victim: Victim) -> None:
    before = victim.state()
    outcome = run("trust", cwd=clone.root)
    assert outcome.code in {0, 1}
    assert "Traceback" not in outcome.err
    assert victim.state() == before
    with pytest.raises(CodecairnError), Workspace.open(clone.root, read_only=True) as workspace:
        workspace.search("planted by the store")


def _planted(clone: Repository) -> dict[str, bytes | str]:
    store = clone.root / ".codecairn"
    if store.is_symlink():
        return {"": str(store.readlink())}
    return {
        str(path.relative_to(store)): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        for path in store.rglob("*")
        if path.is_symlink() or path.is_file()
    }
