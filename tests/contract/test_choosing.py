"""Who is asked: `auto`, Ollama's own models, prompts, shorter vectors, and where keys come from."""

import json
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.config.settings import Settings
from codecairn.embedding.choice import plan_of
from codecairn.embedding.models import DEFAULT_MODELS, LIMITS, find_model
from codecairn.embedding.plan import make_plan
from codecairn.errors import ConfigError, ProviderUnauthorized
from codecairn.remote import credentials
from contract.conftest import SETUPS, Opener, Setup
from support.provider_server import KEY, ProviderServer
from support.repository import Repository


def _settings(**values: object) -> Settings:
    return Settings(**{f"embedding_{name}": value for name, value in values.items()})  # type: ignore[arg-type]


def test_nothing_is_asked_unasked(
    server: ProviderServer, texts: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    with Workspace.open(texts.root) as workspace:
        assert workspace.index().embedding is None
        workspace.search("combine two numbers")
        assert workspace.status().embedding is None
    assert server.asked == []


def test_auto_follows_its_order(
    server: ProviderServer, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")

    def chosen() -> str:
        plan = plan_of(_settings(provider="auto"))
        return "builtin" if plan is None else plan.provider

    assert chosen() == "builtin"
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    assert chosen() == "ollama"
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    assert chosen() == "google"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert chosen() == "openai"
    folder = home / ".config" / "github-copilot"
    folder.mkdir(parents=True)
    (folder / "apps.json").write_text(json.dumps({"github.com:Iv1.x": {"oauth_token": "ghu_1"}}))
    assert chosen() == "copilot"


def test_model_that_only_ollama_knows_is_asked_about(
    server: ProviderServer, open_with: Opener
) -> None:
    workspace = open_with(Setup("ollama", "own-model", "", ""), embedding__dimensions=0)
    report = workspace.index().embedding
    assert report is not None
    assert report.space == "ollama/own-model@8"
    assert report.pending == 0


def test_model_that_nobody_tells_about_leaves_the_index_searchable(texts: Repository) -> None:
    settings = {
        "embedding.provider": "ollama",
        "embedding.model": "own-model",
        "embedding.base_url": "http://127.0.0.1:9",
    }
    with Workspace.open(texts.root, settings=settings) as workspace:
        report = workspace.index().embedding
        assert report is not None
        assert report.stopped == "provider"
        assert "`ollama pull own-model`" in report.detail
        result = workspace.search("compute_7")
    assert result.hits[0].path == "part07.py"
    assert "ollama does not tell" in result.notes[0]


def test_status_of_a_branch_that_is_not_indexed_says_so(
    server: ProviderServer, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    repository.write("one.py", "def one():\n    return 1\n")
    repository.commit()
    settings = {"embedding.provider": "openai", "embedding.base_url": f"{server.url}/v1",
                "embedding.dimensions": 8, "embedding.interval_ms": 0}  # fmt: skip
    with Workspace.open(repository.root, settings=settings) as workspace:
        workspace.index()
        repository.git("checkout", "--quiet", "-b", "other")
        status = workspace.status()
        assert status.embedding is None
        report = workspace.index().embedding
        assert report is not None
        assert report.embedded == 0, "a switch of branch costs no embedding"
        assert workspace.status().embedding is not None


def test_prompts_stand_before_texts_and_queries(server: ProviderServer, open_with: Opener) -> None:
    server.dimensions = 768
    setup = Setup("ollama", "nomic-embed-text:latest", "", "")
    workspace = open_with(setup, embedding__dimensions=0)
    workspace.index()
    workspace.search("combine two numbers")
    assert all(text.startswith("search_document: ") for text in server.embedded[:-1])
    assert server.embedded[-1] == "search_query: combine two numbers"
    bare = open_with(
        setup, embedding__dimensions=0, embedding__query_prompt="", embedding__document_prompt=""
    )
    bare.index()
    assert not server.embedded[-1].startswith("search_")


@pytest.mark.parametrize("setup", SETUPS[:8], ids=lambda setup: setup.provider)
def test_shorter_vectors_are_asked_for_or_cut(
    setup: Setup, server: ProviderServer, open_with: Opener
) -> None:
    """Providers that can be asked are; from others the whole vector comes and is cut."""
    names = {"openai": "dimensions", "copilot": "dimensions", "jina": "dimensions",
             "voyage": "output_dimension", "mistral": "output_dimension",
             "cohere": "output_dimension"}  # fmt: skip
    if setup.provider == "ollama":
        server.dimensions = 4096
    report = open_with(setup).index().embedding
    assert report is not None
    assert (report.pending, report.space.partition("@")[2].partition("#")[0]) == (0, "8")
    body = server.embeddings[0].body
    if setup.provider in names:
        assert body[names[setup.provider]] == 8
    if setup.provider == "google":
        assert body["requests"][0]["outputDimensionality"] == 8


def test_key_comes_from_a_named_variable_before_all_others(
    server: ProviderServer, open_with: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_OWN_KEY", "sk-mine-000000000000")
    open_with(SETUPS[0], embedding__api_key="{env:MY_OWN_KEY}").index()
    assert server.embeddings[0].headers["Authorization"] == "Bearer sk-mine-000000000000"


def test_key_of_opencode_is_found(home: Path) -> None:
    file = home / ".local" / "share" / "opencode" / "auth.json"
    file.parent.mkdir(parents=True)
    entries = {
        "openai": {"type": "api", "key": "sk-from-opencode"},
        "google": {"type": "oauth", "refresh": "not-a-key"},
        "github-copilot": {"type": "oauth", "refresh": "gho_from_opencode"},
    }
    file.write_text(json.dumps(entries))
    found = {name: credentials.find_key(name, None) for name in ("openai", "google", "copilot")}
    assert {name: key and key.reveal() for name, key in found.items()} == {
        "openai": "sk-from-opencode",
        "google": None,
        "copilot": "gho_from_opencode",
    }


@pytest.mark.parametrize("content", ["", "{", "[]", '{"openai": 3}', '{"openai": {"type": "api"}}'])
def test_damaged_file_of_a_host_holds_nothing(home: Path, content: str) -> None:
    file = home / ".local" / "share" / "opencode" / "auth.json"
    file.parent.mkdir(parents=True)
    file.write_text(content)
    assert credentials.find_key("openai", None) is None


@pytest.mark.parametrize(
    "provider", ["openai", "google", "copilot", "voyage", "mistral", "cohere", "jina"]
)
def test_missing_key_says_where_one_is_looked_for(provider: str) -> None:
    with pytest.raises(ProviderUnauthorized) as caught:
        credentials.require_key(provider, None)
    assert provider in caught.value.message
    assert credentials.VARIABLES[provider][0] in caught.value.hint


def test_every_provider_has_limits_and_its_model_is_known() -> None:
    for provider, model in DEFAULT_MODELS.items():
        plan = make_plan(_settings(), provider)
        assert provider in LIMITS
        assert plan.dimensions == getattr(find_model(model), "dimensions")  # noqa: B009


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"provider": "compatible", "model": "m"}, "`embedding.base_url`"),
        ({"provider": "compatible", "base_url": "http://127.0.0.1:1/v1"}, "`embedding.model`"),
        ({"provider": "compatible", "base_url": "http://x/v1", "model": "m"}, "`embedding.dimensions`"),
        ({"provider": "auto", "base_url": "http://127.0.0.1:1/v1"}, "name the provider"),
        ({"provider": "auto", "api_key": "{env:SOME}"}, "name the provider"),
        ({"provider": "openai", "model": "text-embedding-ada-002", "dimensions": 99}, "can't be cut"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(values: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        plan_of(_settings(**values))
    assert said in caught.value.hint
