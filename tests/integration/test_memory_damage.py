"""A damaged memory: the error names the command that repairs it, and every record that can be read is kept."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import StoreDamaged
from support.command import command, run
from support.repository import Repository
from support.stories import MEMORY_POINTS

FACTS = 240
EVENTS = 60
PAGE = 4096


@pytest.fixture
def memory(repository: Repository) -> Path:
    """The database, with everything in the file itself."""
    with Workspace.open(repository.root) as workspace:
        for number in range(FACTS):
            text = f"Decision {number}: the parcel service keeps region{number} in its own ledger"
            workspace.memory.add(
                text, type="decision", subject=f"region{number}", predicate="ledger"
            )
        for number in range(EVENTS):
            workspace.memory.record(
                "one", f"look at ledger {number}", role="user", key=f"k{number}"
            )
        path = workspace.memory.path
    empty = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA wal_checkpoint(TRUNCATE)')"
    subprocess.run([sys.executable, "-c", empty, str(path)], check=True)
    return path


def _zero(path: Path, start: int, end: int) -> None:
    content = bytearray(path.read_bytes())
    content[start:end] = bytes(end - start)
    path.write_bytes(content)


def _facts(root: Path) -> set[str]:
    with Workspace.open(root) as workspace:
        return {fact.text for fact in workspace.memory.list(limit=10_000)}


def _lose_the_header(path: Path) -> None:
    _zero(path, 0, 100)


def _lose_the_first_page(path: Path) -> None:
    _zero(path, 0, PAGE)


@pytest.mark.parametrize("damage", [_lose_the_header, _lose_the_first_page])
def test_memory_that_can_not_be_opened_is_repaired_whole(
    repository: Repository, memory: Path, damage: Callable[[Path], None]
) -> None:
    before = _facts(repository.root)
    assert len(before) == FACTS
    damage(memory)
    for arguments in (("memory", "list"), ("memory", "search", "parcel"), ("ask", "parcel")):
        outcome = run(*arguments, cwd=repository.root)
        assert outcome.code == 1, outcome
        assert "run `codecairn memory doctor --repair`" in outcome.err
    looked = run("memory", "doctor", cwd=repository.root)
    assert "codecairn memory doctor --repair" in looked.out + looked.err
    repaired = run("memory", "doctor", "--repair", cwd=repository.root)
    assert f"kept {EVENTS} events and {FACTS} versions" in repaired.out, repaired
    assert _facts(repository.root) == before
    with Workspace.open(repository.root) as workspace:
        assert "region77 " in workspace.memory.recall("which ledger has region77")[0].text
        assert all(
            check.is_ok for check in workspace.memory.upkeep.checkup() if check.name == "database"
        )


@pytest.mark.timeout(300)
def test_memory_with_lost_pages_keeps_the_others_and_what_comes_after(
    repository: Repository, memory: Path, tmp_path: Path
) -> None:
    """A page of facts holds sixteen of them at most; a page of anything else costs none.

    One page of fifty is that which leads to all facts: what lies behind it is not found.
    """
    whole, saved, rng = _facts(repository.root), tmp_path / "saved.db", random.Random(7)
    shutil.copy(memory, saved)
    losses = []
    for trial in range(12):
        for part in memory.parent.glob(f"{memory.name}*"):
            shutil.rmtree(part) if part.is_dir() else part.unlink()
        shutil.copy(saved, memory)
        if trial % 3 == 2:
            with memory.open("r+b") as file:
                file.truncate(memory.stat().st_size * 9 // 10)
        else:
            page = rng.randrange(1, memory.stat().st_size // PAGE)
            _zero(memory, page * PAGE, page * PAGE + PAGE)
        with Workspace.open(repository.root) as workspace:
            is_added = False
            with contextlib.suppress(StoreDamaged):
                workspace.memory.add(f"Added while it was damaged {trial}")
                is_added = True
            workspace.memory.upkeep.checkup(repair=True)
            checks = {check.name: check for check in workspace.memory.upkeep.checkup()}
            assert checks["database"].is_ok, checks["database"]
            workspace.memory.add(f"Added after the repair {trial}")
        kept = _facts(repository.root)
        assert f"Added after the repair {trial}" in kept
        assert not is_added or f"Added while it was damaged {trial}" in kept
        losses.append(len(whole - kept))
    assert sorted(losses)[-2] < FACTS / 4, losses
    assert sorted(losses)[len(losses) // 2] <= 16, losses


def test_records_that_wait_are_taken_in_after_a_repair(
    repository: Repository, memory: Path
) -> None:
    spool = memory.with_name(memory.name + ".spool")
    hold = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "c.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, str(memory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with Workspace.open(repository.root) as workspace:
        assert workspace.memory.record("two", "we wait for the ledger", role="user").is_waiting
    holder.communicate(b"")
    assert list(spool.glob("*.log"))
    _lose_the_header(memory)
    assert run("memory", "doctor", "--repair", cwd=repository.root).code == 0
    with Workspace.open(repository.root) as workspace:
        bodies = [event.body for event in workspace.memory.events(limit=5)]
    assert "we wait for the ledger" in bodies


@pytest.mark.failpoints
@pytest.mark.skipif(sys.platform == "win32", reason="processes die otherwise there")
@pytest.mark.parametrize("point", MEMORY_POINTS)
def test_repair_that_dies_at_a_step_is_done_by_the_next(
    repository: Repository, memory: Path, point: str
) -> None:
    before = _facts(repository.root)
    _lose_the_header(memory)
    done = subprocess.run(
        command("memory", "doctor", "--repair"),
        cwd=repository.root,
        env=os.environ | {"CAIRN_FAILPOINT": f"{point}=abort"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGABRT, done
    outcome = run("memory", "doctor", "--repair", cwd=repository.root)
    assert f"kept {EVENTS} events and {FACTS} versions" in outcome.out, outcome
    assert _facts(repository.root) == before
