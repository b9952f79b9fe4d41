"""Settings of the memory's own embedder that can't be used: work, plan, status and doctor name the memory's settings."""

from collections.abc import Iterator

import pytest

from codecairn import Workspace
from codecairn.errors import ConfigError, ProviderUnauthorized
from codecairn.memory.embedder import require_embedder
from support.repository import Repository

WRONG = "`memory.embedding_provider` is `compatible`, which has no model of its own"


@pytest.fixture
def workspace(folder: Repository, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A memory of one fact, whose provider lacks a model."""
    monkeypatch.setenv("CODECAIRN_MEMORY_EMBEDDING_PROVIDER", "compatible")
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add("The API listens on port 8080")
        yield workspace


def test_work_does_the_rest_and_reports_what_is_missing(workspace: Workspace) -> None:
    report = workspace.memory.upkeep.work()
    assert report.embedding_obstacle == f"{WRONG}; set `memory.embedding_model`"
    assert (report.embedded, report.obstacle) == (0, "")


def test_status_and_doctor_have_the_problem(workspace: Workspace) -> None:
    status = workspace.memory.embedding()
    assert status is not None
    assert (status.space, status.problem) == ("compatible", WRONG)
    (check,) = [check for check in workspace.memory.upkeep.checkup() if check.name == "embedding"]
    assert not check.is_ok
    assert WRONG in check.detail


def test_plan_is_refused_in_the_terms_of_the_memory(workspace: Workspace) -> None:
    with pytest.raises(ConfigError) as refused:
        workspace.memory.upkeep.plan()
    assert refused.value.message == str(refused.value) == WRONG
    assert refused.value.hint == "set `memory.embedding_model`"


def test_key_that_is_missing_is_found_before_anything_is_sent(
    folder: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_MEMORY_EMBEDDING_PROVIDER", "openai")
    with Workspace.open(folder.root) as workspace:
        with pytest.raises(ProviderUnauthorized) as refused:
            require_embedder(workspace.settings)
        assert "set `OPENAI_API_KEY`" in refused.value.hint
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        require_embedder(workspace.settings)
    monkeypatch.delenv("CODECAIRN_MEMORY_EMBEDDING_PROVIDER")
    with Workspace.open(folder.root) as workspace:
        require_embedder(workspace.settings)
        assert workspace.memory.embedding() is None
