"""A project whose hooks a test calls."""

import pytest

from support.repository import SMALL_PROJECT, Repository


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A small project; nothing is done in the background, but by the test itself."""
    repository.write_all(SMALL_PROJECT)
    repository.commit("first")
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    return repository
