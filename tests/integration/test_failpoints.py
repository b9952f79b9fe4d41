"""A process dies, or fails, at each step of what it does to a store: the next one finds a sound store and goes on."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn import NotIndexed, Workspace
from support.answers import answers, answers_of_full_index
from support.repository import Repository
from support.stories import MEMORY_POINTS, STORIES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes die otherwise there")

SOURCES = Path(__file__).parents[2] / "native" / "crates"

STORY_OF_POINTS = {
    "first index": (
        "open.folders-made", "open.database-made", "open.migrated", "migrate.script-applied",
    ),
    "index of what changed": (
        "lock.taken", "batch.begun", "batch.texts-written", "batch.vectors-written",
        "batch.numbers-written", "batch.written", "batch.committed", "file.made", "file.written",
        "file.synced", "file.named", "segments.before-merge", "segments.merged",
        "derive.terms-written", "derive.vectors-written", "publish.segments-synced",
        "publish.catalog-written", "publish.stats-written", "publish.segments-listed",
        "publish.committed",
    ),
    "index of what was touched": ("stats.written",),
    "index of much": ("view.made", "view.kept", "log.full", "log.emptied"),
    "collection of garbage": (
        "gc.embedder-removed", "gc.branches-forgotten", "gc.rows-deleted", "gc.texts-moved",
        "gc.committed", "gc.vacuumed", "gc.renumbered", "gc.segments-written", "gc.gaps-closed",
        "gc.file-removed",
    ),
    "repair": ("repair.mended", "repair.committed"),
    "rescue": (
        "salvage.begun", "salvage.copied", "rescue.log-aside", "rescue.database-aside",
        "rescue.named",
    ),
    "copy": ("copy.segments-copied", "copy.database-copied", "copy.synced", "copy.named"),
    "vectors from outside": ("publish.vectors-listed",),
    "adoption": (
        "adopt.segments-written", "adopt.segments-synced", "adopt.numbered", "adopt.listed",
        "adopt.committed",
    ),
}  # fmt: skip
"""Which story reaches a point."""

POINTS = [(story, point) for story, points in STORY_OF_POINTS.items() for point in points]

ELSEWHERE = {"parse.marked"}
"""No step of writing: `tests/attack/test_crashes.py` has it."""

SILENT = {"view.made", "view.kept", "log.full", "log.emptied"}
"""Steps on a writer's way out, whose failure is nobody's concern: the next writer does them."""

ALSO_FIRST = [
    ("first index", point)
    for point in STORY_OF_POINTS["index of what changed"]
    if not point.startswith("segments.")
]
"""What writes to a store that is just being made goes other ways than later."""


def points_in_the_source() -> set[str]:
    """Every failpoint that there is."""
    reached = re.compile(r'failpoint::reach\(\s*"([a-z.-]+)"')
    return {
        point
        for path in SOURCES.rglob("*.rs")
        for point in reached.findall(path.read_text(encoding="utf-8"))
    }


def test_every_failpoint_has_a_test() -> None:
    assert points_in_the_source() == {point for _, point in POINTS} | set(MEMORY_POINTS) | ELSEWHERE


@pytest.mark.failpoints
@pytest.mark.parametrize(("story", "point"), POINTS + ALSO_FIRST)
def test_process_that_dies_at_a_step_leaves_a_sound_store(
    repository: Repository, story: str, point: str
) -> None:
    STORIES[story].prepare(repository)
    done = _act(story, repository.root, failpoint=f"{point}=abort")
    assert done.returncode == -signal.SIGABRT, (
        f"`{point}` was not reached (in a dev build?): {done}"
    )
    _assert_goes_on(repository.root, is_damaged=STORIES[story].is_damaged, again=story)


@pytest.mark.failpoints
@pytest.mark.parametrize(("story", "point"), POINTS)
def test_step_that_fails_leaves_a_process_that_goes_on(
    repository: Repository, story: str, point: str
) -> None:
    STORIES[story].prepare(repository)
    done = _act(story, repository.root, failpoint=f"{point}=fail")
    assert done.returncode == 0, done
    assert done.stdout.strip() == ("" if point in SILENT else "failed once")
    _assert_goes_on(repository.root, is_damaged=STORIES[story].is_damaged, again=story)


def _act(story: str, root: Path, *, failpoint: str) -> "subprocess.CompletedProcess[str]":
    environment = {"CAIRN_FAILPOINT": failpoint, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run(
        [sys.executable, "-m", "support.stories", story, str(root)],
        env=os.environ | environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def _assert_goes_on(root: Path, *, is_damaged: bool, again: str) -> None:
    """Nobody holds the lease, the doctor is content, searches answer, and what was broken off is made good."""
    with Workspace.open(root) as workspace:
        try:
            problems = workspace.doctor()
            assert is_damaged or problems == ()
            assert workspace.status().indexing == ""
            if is_damaged:
                assert all(problem.repaired for problem in workspace.doctor(repair=True))
                assert workspace.doctor() == ()
        except NotIndexed:
            # Nothing was made yet, or a damaged store was set aside.
            pass
        assert workspace.search("check the token of a session").hits
    STORIES[again].act(root)
    with Workspace.open(root) as workspace:
        workspace.index(wait=False)
        assert workspace.doctor() == ()
    assert answers(root) == answers_of_full_index(root)
