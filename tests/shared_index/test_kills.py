"""A process that is killed at any step of publishing or pulling leaves nothing half done, and the next goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn.replication.remote_index import RemoteIndex
from support.answers import answers, answers_of_full_index
from support.people import Person

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes die otherwise there")

TESTS = str(Path(__file__).parents[1])


def _act(person: Person, what: str, step: int) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "support.dying_remote", str(person.root), what, str(step)],
        env=os.environ | dict(person.environment) | {"PYTHONPATH": TESTS},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


def _steps(person: Person, what: str) -> int:
    done = _act(person, what, -1)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def _require_whole(person: Person) -> int:
    """Read everything that the pointer of the branch leads to; returns the epoch."""
    with person.workspace() as workspace:
        opened = RemoteIndex(workspace.remote.grant())
        revision = opened.latest("main")
        assert revision is not None
        for name in revision.manifest.objects:
            assert opened.objects.exists(name)
            opened.objects.fetch("any", name)
        opened.drop_cache()
        return revision.pointer.epoch


def _edit(owner: Person, number: int) -> None:
    owner.clone.write(f"new{number}.py", f"def newly_{number}():\n    return {number}\n")
    owner.clone.commit(f"change {number}")
    owner.done("index")


@pytest.mark.timeout(600)
def test_publisher_who_dies_at_any_step_leaves_the_old_index_or_the_new_one(
    owner: Person, reader: Person
) -> None:
    _edit(owner, 0)
    count = _steps(owner, "publish")
    assert count >= 15
    epoch = _require_whole(reader)
    _edit(owner, 1)
    for step in range(count):
        died = _act(owner, "publish", step)
        if died.returncode == 0:
            break  # what was uploaded before is not uploaded again, so there are fewer steps
        assert died.returncode == -signal.SIGKILL, died.stderr
        assert _require_whole(reader) in {epoch, epoch + 1}
    done = owner.done("index", "--publish", "shop", "--json").document["published"]
    assert done["epoch"] == epoch + 1
    assert _require_whole(reader) == epoch + 1
    pulled = reader.done("pull", "--json").document
    assert pulled["index"]["parsed"] <= 2  # the clone of the reader has neither change
    with reader.here():
        assert answers(reader.root) == answers_of_full_index(reader.root)


@pytest.mark.timeout(600)
def test_pull_that_dies_at_any_step_goes_on_where_it_stopped(
    reader: Person,
) -> None:
    step = deaths = 0
    while True:
        died = _act(reader, "pull", step)
        if died.returncode == 0:
            break
        assert died.returncode == -signal.SIGKILL, died.stderr
        deaths += 1
        step += 1  # of what is left: fetched objects stay
        assert deaths < 200
    assert deaths >= 8
    with reader.here():
        assert answers(reader.root) == answers_of_full_index(reader.root)
    assert reader.done("doctor", "--json").document["problems"] == []
    last = reader.done("pull", "--json").document
    assert (last["is_new"], last["index"]["parsed"]) == (False, 0)


def test_broken_off_pull_fetches_what_is_missing_alone(reader: Person) -> None:
    first = _act(reader, "pull", 9)
    assert first.returncode == -signal.SIGKILL
    with reader.workspace() as workspace:
        cache = RemoteIndex(workspace.remote.grant()).cache
        kept = len(list(cache.keys(workspace.remote.grant().repository)))
        assert kept >= 2
        total = sum(name.size_bytes for name in _names(workspace.remote.grant()))
        pulled = workspace.remote.pull()
    assert pulled.index.parsed == 0
    assert pulled.fetched_bytes < total


def _names(grant: object) -> set[object]:
    opened = RemoteIndex(grant)  # type: ignore[arg-type]
    revision = opened.latest("main")
    assert revision is not None
    return set(revision.manifest.objects)
