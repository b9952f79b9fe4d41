"""Every provider of language models, set up against a local server."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import pytest

from codecairn import Workspace
from codecairn.llm.model_table import ModelPace
from support.model_server import KEY, ModelServer
from support.repository import Repository

Opener: TypeAlias = Callable[..., Workspace]


@dataclass(frozen=True)
class Setup:
    """One provider at the server."""

    provider: str
    path: str
    variable: str
    model: str


SETUPS = (
    Setup("anthropic", "/v1", "ANTHROPIC_API_KEY", "claude-haiku-4-5-20251001"),
    Setup("xai", "/xai/v1", "XAI_API_KEY", "grok-4-1-fast-non-reasoning"),
    Setup("google", "/v1beta", "GEMINI_API_KEY", "gemini-3-flash-preview"),
    Setup("openai", "/openai/v1", "OPENAI_API_KEY", "gpt-4.1-mini"),
    Setup("compatible", "/local/v1", "", "served"),
)


@pytest.fixture(params=SETUPS, ids=lambda setup: setup.provider)
def setup(request: pytest.FixtureRequest) -> Setup:
    """One provider after the other."""
    chosen: Setup = request.param
    return chosen


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that answers sensibly."""
    with ModelServer().running() as server:
        yield server


@pytest.fixture
def open_with(
    server: ModelServer, folder: Repository, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Opener]:
    """Opens a workspace with providers, without waits that a test need not have."""
    opened: list[Workspace] = []
    quick = partial(ModelPace, backoff_ms=1, max_backoff_ms=5)
    monkeypatch.setattr("codecairn.llm.chain.ModelPace", quick)

    def open_(*setups: Setup, **extra: object) -> Workspace:
        for setup in setups:
            if setup.variable:
                monkeypatch.setenv(setup.variable, KEY)
        settings: dict[str, object] = {
            "extraction.providers": [
                f"{s.provider}:{s.model}@{server.url}{s.path}" for s in setups
            ],
            "extraction.cooldown_s": 0,
            "extraction.retries": 2,
            **{name.replace("__", ".", 1): value for name, value in extra.items()},
        }
        notes: list[str] = []
        workspace = Workspace.open(folder.root, settings=settings, notify=notes.append)
        workspace.notes = notes  # type: ignore[attr-defined]
        opened.append(workspace)
        return workspace

    yield open_
    for workspace in opened:
        workspace.close()
