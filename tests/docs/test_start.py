"""The newcomer's path of `docs/tutorial/start.md`, in a home folder with nothing in it, with the installed program alone."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tomllib
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from support.documents import PAGES, shell_lines
from support.repository import SMALL_PROJECT, Repository

QUESTION = "where are tokens verified"
_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "LANG")


@pytest.fixture
def newcomer(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who has installed the program and nothing else."""
    home = tmp_path / "newcomer"
    home.mkdir()
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    return environment | {"HOME": str(home), "USERPROFILE": str(home)}


@pytest.fixture
def project(repository: Repository) -> Repository:
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    return repository


def test_first_question_is_answered_from_the_index(
    newcomer: dict[str, str], project: Repository
) -> None:
    home = Path(newcomer["HOME"])
    assert QUESTION in PAGES["docs/tutorial/start.md"]
    first = _told(newcomer, project, "codecairn", "search", QUESTION)
    assert first.startswith("shop/tokens.py:")
    assert list(home.rglob("stores/*/index.db"))
    assert not (project.root / ".codecairn").exists()
    _told(newcomer, project, "codecairn", "install", "codex")
    config = tomllib.loads((home / ".codex" / "config.toml").read_text())
    server = config["mcp_servers"]["codecairn"]
    answer = asyncio.run(_asked(server["command"], server["args"], newcomer, project.root))
    assert answer.startswith("[1] shop/tokens.py:")
    assert "def verify_token" in answer


def test_path_of_the_page_leaves_nothing_at_the_host(
    newcomer: dict[str, str], project: Repository
) -> None:
    newcomer["CODECAIRN_HOOKS_BACKGROUND"] = "false"
    lines = [
        line
        for line, _ in shell_lines(PAGES["docs/tutorial/start.md"])
        if line.startswith("codecairn")
    ]
    assert lines[0] == f'codecairn search "{QUESTION}"'
    assert lines[-1] == "codecairn uninstall codex"
    for line in lines:
        _told(newcomer, project, "/bin/sh", "-c", line)
    home = Path(newcomer["HOME"])
    assert not (home / ".codex").exists()
    checked = _run(newcomer, project, "codecairn", "install", "codex", "--check")
    assert checked.returncode == 1, "the page says that it ends with 1 until hooks are approved"
    assert "missing" in checked.stdout
    named = re.search(r"\S+memory\.db", _told(newcomer, project, "codecairn", "memory", "status"))
    assert named is not None, "the page says that it names where memories lie"
    assert Path(named[0]).is_relative_to(home)


def _run(
    environment: dict[str, str], project: Repository, *arguments: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        arguments, cwd=project.root, env=environment, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def _told(environment: dict[str, str], project: Repository, *arguments: str) -> str:
    done = _run(environment, project, *arguments)
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout


async def _asked(
    program: str, arguments: list[str], environment: dict[str, str], root: Path
) -> str:
    parameters = StdioServerParameters(
        command=program,
        args=arguments,
        env=environment | {"CODECAIRN_HOOKS_BACKGROUND": "false"},
        cwd=root,
    )
    async with (
        stdio_client(parameters) as (reading, writing),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        answer = await session.call_tool("codebase_search", {"query": QUESTION})
    (content,) = answer.content
    return str(getattr(content, "text", ""))
