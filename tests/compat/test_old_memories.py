"""A memory of every format opens, is found again, and goes on."""

from pathlib import Path

import pytest

from codecairn import Workspace
from support.old_memory import (
    ANCHORED,
    CODE,
    DECISION,
    EVENTS,
    FIRST,
    FOLDER,
    RULE,
    SETTINGS,
    format_of,
    unpack,
)
from support.repository import Repository

MEMORIES = sorted(FOLDER.glob("memory-*.db.xz"))


@pytest.fixture(params=MEMORIES, ids=lambda path: path.name.partition(".")[0])
def old(request: pytest.FixtureRequest, folder: Repository) -> Workspace:
    folder.write("net.py", CODE)
    workspace = Workspace.open(folder.root, settings=SETTINGS)
    unpack(Path(request.param), workspace.memory.path)
    return workspace


def test_there_is_a_memory_of_every_format(folder: Repository) -> None:
    """If this fails: `python -m support.old_memory` in `tests`, and commit what it makes."""
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add(RULE)
        path = workspace.memory.path
    assert MEMORIES[-1].name == f"memory-{format_of(path.read_bytes())}.db.xz"


def test_an_old_memory_is_found_again(old: Workspace) -> None:
    with old as workspace:
        memory = workspace.memory
        status = memory.status()
        assert (status.events, status.sessions) == (EVENTS + 1, 2)
        assert memory.recall("lamp7", limit=1)[0].text == "The keeper lit lamp7 at dusk"
        assert memory.recall("green flame", limit=1)[0].text == FIRST
        assert memory.recall("where is the log kept", limit=1)[0].text == DECISION
        assert {fact.text for fact in memory.list()} >= {RULE, ANCHORED}
        (anchored,) = [hit for hit in memory.recall(ANCHORED, kinds=["fact"]) if hit.fact]
        assert anchored.standing.state == "fresh"


def test_an_old_memory_goes_on(old: Workspace) -> None:
    with old as workspace:
        memory = workspace.memory
        memory.record("new", "The keeper painted the lighthouse", role="user")
        assert memory.recall("who painted the lighthouse", limit=1)[0].text.endswith("lighthouse")
        opening = memory.context("new", part="static")
        assert RULE in opening.text
        assert "Redis" in opening.text
        # What it removes leaves no trace in a part that was made anew.
        memory.purge(memory.recall("green flame", kinds=["event"], limit=1)[0].id)
        assert not any(hit.text == FIRST for hit in memory.recall("green flame", evidence=0))
        path = memory.path
    files = [each for each in path.parent.rglob("*") if each.is_file()]
    assert files
    assert all(b"green flame" not in each.read_bytes() for each in files)
