"""Every provider, set up against a local server."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from codecairn import Workspace
from support.provider_server import KEY, ProviderServer
from support.repository import Repository

Settings: TypeAlias = dict[str, object]
Opener: TypeAlias = Callable[..., Workspace]


@dataclass(frozen=True)
class Setup:
    """A provider with a model of eight dimensions."""

    provider: str
    model: str
    path: str
    variable: str


FUNCTIONS = 24

SETUPS = (
    Setup("openai", "text-embedding-3-small", "/v1", "OPENAI_API_KEY"),
    Setup("google", "gemini-embedding-001", "/v1beta", "GEMINI_API_KEY"),
    Setup("copilot", "text-embedding-3-small", "", "GITHUB_COPILOT_TOKEN"),
    Setup("ollama", "qwen3-embedding", "", "OLLAMA_API_KEY"),
    Setup("voyage", "voyage-code-3", "/v1", "VOYAGE_API_KEY"),
    Setup("mistral", "codestral-embed", "/v1", "MISTRAL_API_KEY"),
    Setup("cohere", "embed-v4.0", "/v2", "COHERE_API_KEY"),
    Setup("jina", "jina-code-embeddings-1.5b", "/v1", "JINA_API_KEY"),
    Setup("compatible", "served", "/v1", ""),
)


@pytest.fixture(params=SETUPS, ids=lambda setup: setup.provider)
def setup(request: pytest.FixtureRequest) -> Setup:
    """One provider after the other."""
    chosen: Setup = request.param
    return chosen


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    """A server that answers with vectors of eight dimensions."""
    with ProviderServer().running() as server:
        yield server


@pytest.fixture
def open_with(
    server: ProviderServer, texts: Repository, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Opener]:
    """Opens the workspace of `texts` with a provider, without waits that a test need not have."""
    opened: list[Workspace] = []

    def open_(setup: Setup, **extra: object) -> Workspace:
        if setup.variable:
            monkeypatch.setenv(setup.variable, KEY)
        settings: Settings = {
            "embedding.provider": setup.provider,
            "embedding.model": setup.model,
            "embedding.base_url": server.url + setup.path,
            "embedding.dimensions": 8,
            "embedding.interval_ms": 0,
            "embedding.batch_texts": 8,
            **{name.replace("__", "."): value for name, value in extra.items()},
        }
        workspace = Workspace.open(texts.root, settings=settings)
        opened.append(workspace)
        return workspace

    yield open_
    for workspace in opened:
        workspace.close()


@pytest.fixture
def texts(folder: Repository) -> Repository:
    """A workspace of functions, each a text of its own."""
    for number in range(FUNCTIONS):
        folder.write(f"part{number:02}.py", function(number))
    return folder


def function(number: int) -> str:
    """A function that is long enough to be a chunk of its own."""
    return (
        f"def compute_{number}(left: int, right: int) -> int:\n"
        f'    """Combine two numbers in the way that is number {number} of many ways.\n\n'
        f"    Each of these ways is as good as the others, and none is used anywhere.\n"
        f'    """\n'
        f"    return left * {number} + right - {number * 7}\n"
    )
