"""A project, and servers on it that official clients talk to."""

import asyncio
import os
import re
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from support.command import command
from support.repository import SMALL_PROJECT, Repository

Talk: TypeAlias = Callable[[ClientSession], Awaitable[Any]]
Talker: TypeAlias = Callable[..., Any]

PATIENCE_S = 90


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A small project with a commit; nothing is done in the background but what a test does."""
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.write_all(SMALL_PROJECT)
    repository.commit("first")
    return repository


@pytest.fixture
def talk() -> Talker:
    """Starts `codecairn mcp` and lets an official client talk to it over standard input and output."""

    def start(say: Talk, *arguments: str) -> Any:
        program, *rest = command("mcp", *arguments)
        parameters = StdioServerParameters(command=program, args=rest, env=dict(os.environ))

        async def run() -> Any:
            async with (
                stdio_client(parameters) as (reading, writing),
                ClientSession(reading, writing) as session,
            ):
                await session.initialize()
                return await say(session)

        return asyncio.run(asyncio.wait_for(run(), PATIENCE_S))

    return start


@pytest.fixture
def http_server(project: Repository, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """`codecairn mcp --http` as a process: its address and its token."""
    with serving_http(project.root, tmp_path / "log") as server:
        yield server


@contextmanager
def serving_http(root: Path, log: Path) -> Iterator[tuple[str, str]]:
    """Runs `codecairn mcp --http` on a project; its address and its token."""
    with log.open("wb") as opened:
        process = subprocess.Popen(
            command("mcp", str(root), "--tools", "all", "--http", "0"),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=opened,
        )  # fmt: skip
        try:
            for _ in range(PATIENCE_S * 20):
                text = log.read_text()
                found = re.search(r"listening at (\S+)\ntoken: (\S+)\n", text)
                if found is not None:
                    break
                with pytest.raises(subprocess.TimeoutExpired):
                    process.wait(0.05)
            assert found is not None, text
            yield found[1], found[2]
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
