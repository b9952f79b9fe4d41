"""A store that is removed or replaced under a process that uses it: the next call builds it again."""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client

from codecairn import Workspace
from support.answers import answers
from support.command import run
from support.corpus import module_text
from support.repository import Repository
from support.watched import watched

MODULES = 8


@pytest.fixture
def project(repository: Repository) -> Repository:
    for seed in range(MODULES):
        repository.write(f"a/module{seed}.py", module_text(seed, functions=4))
    repository.write("a/gate.py", "def verify_token(token):\n    return token.is_signed()\n")
    repository.write(".gitignore", ".codecairn/\n")
    repository.commit()
    return repository


def _remove_store(store: Path) -> None:
    shutil.rmtree(store)


def _remove_database(store: Path) -> None:
    (store / "index.db").unlink()


def _remove_database_and_log(store: Path) -> None:
    for part in store.glob("index.db*"):
        part.unlink()


def _empty_store(store: Path) -> None:
    for part in store.iterdir():
        shutil.rmtree(part) if part.is_dir() else part.unlink()


REMOVALS = (_remove_store, _remove_database, _remove_database_and_log, _empty_store)


@pytest.mark.parametrize("remove", REMOVALS)
def test_workspace_rebuilds_a_store_that_was_removed(
    project: Repository, remove: Callable[[Path], None]
) -> None:
    with Workspace.open(project.root) as workspace:
        workspace.index()
        expected = answers(project.root)
        for _ in range(2):
            remove(workspace.store)
            # Not in the index that was removed: an answer from an unlinked database lacks it.
            project.write("later.py", "def arrives_later(parcel):\n    return parcel\n")
            assert [hit.path for hit in workspace.define("arrives_later")] == ["later.py"]
            (project.root / "later.py").unlink()
            assert workspace.search("verify the token of a session").hits
            assert workspace.doctor() == ()
            assert answers(project.root) == expected


@pytest.mark.parametrize("remove", REMOVALS)
@pytest.mark.parametrize("use", ["index", "graph", "preview"])
def test_every_way_in_rebuilds_a_store_that_was_removed(
    project: Repository, remove: Callable[[Path], None], use: str
) -> None:
    uses: dict[str, Callable[[Workspace], object]] = {
        "index": lambda workspace: workspace.index(),
        "graph": lambda workspace: workspace.graph.callers("verify_token"),
        "preview": lambda workspace: workspace.preview(),
    }
    with Workspace.open(project.root) as workspace:
        workspace.index()
        remove(workspace.store)
        uses[use](workspace)
        assert workspace.index().files >= MODULES
        assert workspace.define("verify_token")[0].path == "a/gate.py"
        assert workspace.doctor() == ()


def test_store_removed_while_it_is_indexed_is_indexed_again(project: Repository) -> None:
    removed = []

    def remove(phase: str, _done: int, _total: int) -> None:
        if not removed:
            removed.append(phase)
            _remove_store(workspace.store)

    with Workspace.open(project.root) as workspace:
        workspace.index()
        project.write("later.py", "def arrives_later(parcel):\n    return parcel\n")
        workspace.index(progress=remove)
        assert removed
        with Workspace.open(project.root, read_only=True) as reader:
            assert reader.define("arrives_later")[0].path == "later.py"
            assert reader.define("verify_token")[0].path == "a/gate.py"
            assert reader.doctor() == ()


def test_store_that_another_process_replaced_is_read_from_then_on(project: Repository) -> None:
    with Workspace.open(project.root) as workspace:
        workspace.index()
        assert workspace.define("verify_token", refresh=False)
        _remove_store(workspace.store)
        (project.root / "a" / "gate.py").unlink()
        assert run("index", cwd=project.root).code == 0
        assert not workspace.define("verify_token", refresh=False).hits
        _remove_store(workspace.store)
        project.write("a/gate.py", "def verify_token(token):\n    return token.is_signed()\n")
        assert run("index", cwd=project.root).code == 0
        assert workspace.define("verify_token", refresh=False)[0].path == "a/gate.py"


@pytest.mark.parametrize("remove", REMOVALS)
def test_watch_rebuilds_a_store_that_was_removed(
    project: Repository, remove: Callable[[Path], None]
) -> None:
    with watched(project.root) as story:
        assert story.defines("verify_token")
        remove(story.workspace.store)
        project.write("later.py", "def arrives_later(parcel):\n    return parcel\n")
        story.until(lambda: story.defines("arrives_later"))
        assert story.defines("verify_token")
        with Workspace.open(project.root) as workspace:
            assert workspace.doctor() == ()


def test_git_clean_under_a_watch_costs_one_index(project: Repository) -> None:
    with watched(project.root) as story:
        project.write("untracked.py", "def untracked(thing):\n    return thing\n")
        story.until(lambda: story.defines("untracked"))
        project.git("clean", "-fdxq")
        if story.workspace.store.exists():
            shutil.rmtree(story.workspace.store)
        story.until(lambda: story.defines("verify_token"))
        assert not story.defines("untracked")


def test_mcp_server_rebuilds_a_store_that_was_removed(project: Repository) -> None:
    async def talk() -> None:
        arguments = ["-m", "codecairn", "mcp", str(project.root)]
        parameters = StdioServerParameters(
            command=sys.executable, args=arguments, env=dict(os.environ)
        )
        async with (
            stdio_client(parameters) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()

            async def found(name: str) -> str:
                answer: Any = await session.call_tool("implementation_lookup", {"name": name})
                assert not answer.is_error, answer
                return str(answer.content[0].text)

            assert "a/gate.py" in await found("verify_token")
            with Workspace.open(project.root) as workspace:
                store = workspace.store
            for remove in REMOVALS:
                remove(store)
                project.write("later.py", "def arrives_later(parcel):\n    return parcel\n")
                assert "later.py" in await found("arrives_later")
                (project.root / "later.py").unlink()
                assert "a/gate.py" in await found("verify_token")

    asyncio.run(talk())


def test_memory_that_was_removed_is_begun_again_and_keeps_what_comes_after(
    project: Repository,
) -> None:
    """What is written to an unlinked database is gone as soon as its process ends."""
    with Workspace.open(project.root) as workspace:
        workspace.memory.add("Tokens live for an hour", type="decision")
        assert workspace.memory.list()
        for part in workspace.memory.path.parent.glob(f"{workspace.memory.path.name}*"):
            shutil.rmtree(part) if part.is_dir() else part.unlink()
        workspace.memory.add("Sessions live for a day", type="decision")
        assert [fact.text for fact in workspace.memory.list()] == ["Sessions live for a day"]
    listed = run("memory", "list", cwd=project.root)
    assert "Sessions live for a day" in listed.out
    assert "Tokens live" not in listed.out
