"""Sixteen readers and two writers at once, killed at random, while files and branches change."""

import os
import sys

import pytest

from support.repository import Repository
from support.storm import Storm

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="pipes are waited for otherwise there"
)


@pytest.mark.timeout(300)
def test_storm_of_readers_writers_and_kills_gives_no_wrong_answer(repository: Repository) -> None:
    figures = Storm(repository, seed=10).run(10, checkpoints=2)
    assert figures.kills > 0
    assert figures.answers > 0
    assert figures.runs > 0


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_long_storm_gives_no_wrong_answer(repository: Repository) -> None:
    seconds = float(os.environ.get("STORM_SECONDS", "120"))
    figures = Storm(repository, seed=120).run(seconds, checkpoints=max(1, round(seconds / 20)))
    assert figures.answers > figures.kills
    assert figures.compared == 16 * figures.checkpoints
