"""Processes that are killed at random instants, on a repository that changes: nothing is lost, nothing is wrong."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn import NotIndexed, Workspace
from support.answers import answers, answers_of_full_index
from support.corpus import module_text
from support.repository import Repository
from support.stores import store_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes die otherwise there")

CHECKPOINT = 5
"""After so many kills the index is compared with a full one."""

LONGEST_S = 0.4
"""How long a worker works at most before it is killed; one index run takes about a tenth of it."""


@pytest.mark.timeout(300)
def test_twenty_five_kills_at_random_instants(repository: Repository) -> None:
    _kill_at_random(repository, times=25, seed=25)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_five_hundred_kills_at_random_instants(repository: Repository) -> None:
    _kill_at_random(repository, times=500, seed=500)


def _kill_at_random(repository: Repository, *, times: int, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(12):
        _write(repository, number, chance)
    repository.commit()
    for kill in range(1, times + 1):
        if kill % 50 == 0:
            _forget(repository.root)
        _change(repository, chance)
        with _worker(repository.root, seed=chance.randrange(2**31)) as worker:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "working\n"
            _kill_after(worker, chance.uniform(0, LONGEST_S))
            assert worker.returncode < 0, worker.stderr and worker.stderr.read()
        _assert_sound(repository.root)
        if kill % CHECKPOINT == 0:
            with Workspace.open(repository.root) as workspace:
                workspace.index(wait=False)
            assert answers(repository.root) == answers_of_full_index(repository.root), kill


def _worker(root: Path, *, seed: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "support.worker", str(root), str(seed)],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _kill_after(process: "subprocess.Popen[str]", delay_s: float) -> None:
    try:
        process.wait(timeout=delay_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _assert_sound(root: Path) -> None:
    """Search answers, and the doctor is content without mending anything."""
    with Workspace.open(root) as workspace:
        try:
            assert workspace.doctor() == ()
            assert workspace.status().indexing == ""
        except NotIndexed:
            pass
        assert workspace.search("check the token of a session").hits


def _change(repository: Repository, chance: random.Random) -> None:
    """A few edits, and now and then another branch."""
    existing = sorted(repository.root.glob("a/*.py"))
    for _ in range(chance.randrange(4)):
        match chance.randrange(5):
            case 0 if len(existing) > 6:
                existing.pop(chance.randrange(len(existing))).unlink()
            case 1:
                source = existing.pop(chance.randrange(len(existing)))
                source.rename(source.with_name(f"moved{chance.randrange(100)}.py"))
            case 2:
                file = chance.choice(existing)
                file.write_text(f"import os\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
            case _:
                _write(repository, chance.randrange(20), chance)
        existing = sorted(repository.root.glob("a/*.py"))
    if chance.randrange(3) == 0:
        repository.commit()
        branch = chance.choice(["main", "feature", "fix"])
        known = repository.git("branch", "--list", branch)
        repository.git("switch", "--quiet", *([] if known else ["--create"]), branch)
        if branch == "main" and chance.randrange(4) == 0:
            for other in ("feature", "fix"):
                if repository.git("branch", "--list", other):
                    repository.git("branch", "--quiet", "-D", other)


def _write(repository: Repository, number: int, chance: random.Random) -> None:
    text = module_text(chance.randrange(10_000), functions=chance.randrange(1, 8))
    repository.write(f"a/module{number}.py", text)


def _forget(root: Path) -> None:
    store = store_of(root)
    for path in sorted(store.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
