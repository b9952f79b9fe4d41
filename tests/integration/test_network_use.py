"""What the settings have sent is said before it is sent: by `status`, and where hosts are configured to start us."""

import pytest

from codecairn.config.settings import EMBEDDING_PROVIDERS, RERANK_PROVIDERS, Settings
from codecairn.llm.agent_program import PROGRAMS
from codecairn.llm.model_table import PROVIDERS
from codecairn.operations.network_use import outgoing
from support.command import run
from support.repository import Repository

LOCAL = {"builtin", "model2vec", "fastembed"}
ADDRESS = "https://models.example/v1"


def test_nothing_is_sent_by_default(repository: Repository) -> None:
    repository.write("a.py", "def only():\n    return 1\n")
    assert outgoing(Settings()) == ()
    assert run("index", cwd=repository.root).code == 0
    assert run("status", "--json", cwd=repository.root).document["outgoing"] == []
    for arguments in (("status",), ("install", "zed")):
        assert "send" not in run(*arguments, cwd=repository.root).out


def test_models_that_read_sessions_are_named_with_when_they_do(repository: Repository) -> None:
    repository.write("a.py", "def only():\n    return 1\n")
    run("index", cwd=repository.root)
    setting = ("extraction.providers", f"compatible:small@{ADDRESS}")
    assert run("config", "set", "--user", *setting, cwd=repository.root).code == 0
    line = run("status", "--json", cwd=repository.root).document["outgoing"][0]
    assert "the text of agents' sessions" in line
    assert ADDRESS in line
    assert "when an agent's session starts or ends" in line
    assert line in run("status", cwd=repository.root).out
    assert line in run("install", "claude", "--dry-run", cwd=repository.root).out
    assert line in run("install", "claude", cwd=repository.root).out
    assert run("install", "zed", "--json", cwd=repository.root).document["outgoing"] == [line]
    run("config", "set", "--user", "hooks.background", "false", cwd=repository.root)
    quieter = run("status", "--json", cwd=repository.root).document["outgoing"][0]
    assert "starts" not in quieter
    assert "memory work" in quieter


@pytest.mark.parametrize("provider", EMBEDDING_PROVIDERS)
def test_every_provider_of_embeddings_that_is_not_local_is_told(provider: str) -> None:
    found = outgoing(Settings(embedding_provider=provider, embedding_base_url=ADDRESS))
    assert [each.setting for each in found] == ([] if provider in LOCAL else ["embedding.provider"])
    assert all(ADDRESS in each.to or provider == "auto" for each in found)


@pytest.mark.parametrize("provider", RERANK_PROVIDERS)
def test_every_reranker_is_told(provider: str) -> None:
    found = outgoing(Settings(rerank_provider=provider, rerank_base_url=ADDRESS))
    assert [each.setting for each in found] == ([] if provider == "none" else ["rerank.provider"])


def test_backends_of_the_memory_are_named_without_the_passwords_of_their_addresses() -> None:
    addresses = {
        "memory_graphiti_url": "http://ann:hunter2@graph.example/mcp?token=hunter3",
        "memory_redis_url": "rediss://ann:hunter2@cache.example:6380/0",
    }
    found = outgoing(Settings(**addresses))
    assert [each.setting for each in found] == ["memory.graphiti_url", "memory.redis_url"]
    assert "http://graph.example/mcp" in found[0].to
    assert "rediss://cache.example:6380/0" in found[1].to
    assert all("hunter" not in each.line and "ann" not in each.to for each in found)
    assert all("starts or ends, and by `codecairn memory" in each.when for each in found)
    for switch in ("hooks_capture", "hooks_background"):
        quieter = outgoing(Settings(**addresses, **{switch: False}))
        assert all(each.when.startswith("by `codecairn memory backend") for each in quieter)


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_agent_s_program_is_told_with_whose_account_it_uses(program: str) -> None:
    (found,) = outgoing(Settings(extraction_providers=(program,)))
    assert found.to.startswith(f"{program} at `")
    assert found.to.endswith("with your own account")


@pytest.mark.parametrize("provider", sorted(set(PROVIDERS) - set(PROGRAMS)))
def test_every_model_of_extraction_is_told(provider: str) -> None:
    (found,) = outgoing(Settings(extraction_providers=(f"{provider}:small@{ADDRESS}",)))
    assert (found.setting, found.to) == ("extraction.providers", f"{provider} at {ADDRESS}")


@pytest.mark.parametrize(
    ("settings", "to"),
    [
        (Settings(embedding_provider="openai"), "openai at https://api.openai.com/v1"),
        (Settings(embedding_provider="auto"), "the first of copilot, openai, google, ollama that can be used"),
        (Settings(rerank_provider="jina"), "jina at https://api.jina.ai/v1"),
        (Settings(rerank_provider="jina", rerank_base_url=ADDRESS), f"jina at {ADDRESS}"),
        (
            Settings(extraction_providers=(f"compatible:a@{ADDRESS}", "openai:b")),
            f"compatible at {ADDRESS}, else openai at https://api.openai.com/v1",
        ),
    ],
)  # fmt: skip
def test_who_gets_it_is_named_with_the_address(settings: Settings, to: str) -> None:
    (found,) = outgoing(settings)
    assert found.to == to
    assert found.line == f"{found.what} to {to} {found.when} (`{found.setting}`)"


def test_everything_that_is_sent_is_told() -> None:
    settings = Settings(
        embedding_provider="voyage", rerank_provider="cohere", extraction_providers=("openai:b",)
    )
    told = [each.setting for each in outgoing(settings)]
    assert told == ["embedding.provider", "rerank.provider", "extraction.providers"]


def test_provider_without_an_address_is_named_alone() -> None:
    """Nothing can be sent there yet, but the setting has been made."""
    (embedding, rerank) = outgoing(
        Settings(embedding_provider="compatible", rerank_provider="compatible")
    )
    assert (embedding.to, rerank.to) == ("compatible", "compatible")


def test_setting_that_is_not_understood_sends_nothing() -> None:
    assert outgoing(Settings(extraction_providers=("unknown:b",))) == ()
