"""The memory embedded by a provider: only if the user's settings name one, and never anything private."""

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from codecairn import Workspace
from codecairn.errors import ConfigError
from codecairn.memory.extract.pending_work import WorkOptions
from contract.conftest import SETUPS, Setup
from hooks.fixtures import claude_told, context_of
from support.command import run
from support.provider_server import KEY, Fault, ProviderServer
from support.repository import Repository

OPENAI = next(setup for setup in SETUPS if setup.provider == "openai")
VOYAGE = next(setup for setup in SETUPS if setup.provider == "voyage")
ANSWER = "The connection pool is capped at twenty."
QUESTION = "How many database handles may be open at once?"
TOPICS = (("pool", "handles"), ("holiday", "vacation"))
Opener: TypeAlias = Callable[..., Workspace]


def meaning_of(text: str, dimensions: int) -> list[float]:
    """Texts on one topic have nearly equal vectors; others are in no relation."""
    for at, words in enumerate(TOPICS):
        if any(word in text for word in words):
            return [float(at == place) + 0.1 for place in range(dimensions)]
    lots = random.Random(text)
    return [lots.gauss(0, 1) for _ in range(dimensions)]


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    """A server whose vectors go by meaning."""
    with ProviderServer(dimensions=256).running() as server:
        server.vector = meaning_of
        yield server


@pytest.fixture
def opened(
    server: ProviderServer, folder: Repository, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Opener]:
    """Opens a workspace whose memory a provider embeds, without waits that a test need not have."""
    workspaces: list[Workspace] = []

    def open_(setup: Setup = VOYAGE, **extra: object) -> Workspace:
        for key, value in given(setup, server).items():
            monkeypatch.setenv(f"CODECAIRN_{key.upper().replace('.', '_')}", str(value))
        if setup.variable:
            monkeypatch.setenv(setup.variable, KEY)
        settings = {name.replace("__", "."): value for name, value in extra.items()}
        workspace = Workspace.open(folder.root, settings=settings)
        workspaces.append(workspace)
        return workspace

    yield open_
    for workspace in workspaces:
        workspace.close()


def given(setup: Setup, server: ProviderServer) -> dict[str, object]:
    """The settings that name a provider for the memory."""
    return {
        "memory.embedding_provider": setup.provider,
        "memory.embedding_model": setup.model,
        "memory.embedding_base_url": server.url + setup.path,
        "memory.embedding_dimensions": 256,
        "embedding.interval_ms": 0,
        "embedding.retries": 1,
        "embedding.query_timeout_ms": 1000,
    }


def told(workspace: Workspace) -> None:
    """A talk in which one remark answers the question without a common word."""
    memory = workspace.memory
    memory.record("s", ANSWER, role="assistant", hook="Stop")
    for number in range(20):
        memory.record("s", f"How many windows may be painted on floor {number}?", role="user")
    memory.add("Lunch is served at noon in the big hall.")


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.provider)
def test_paraphrase_without_a_common_word_comes_first(opened: Opener, setup: Setup) -> None:
    workspace = opened(setup)
    told(workspace)
    assert workspace.memory.search(QUESTION).results[0].text != ANSWER
    report = workspace.memory.upkeep.work()
    assert (report.embedded > 20, report.to_embed, report.embedding_obstacle) == (True, 0, "")
    found = workspace.memory.search(QUESTION)
    assert found.results[0].text == ANSWER
    assert found.notes == ()
    assert workspace.memory.upkeep.work().embedded == 0


def test_nothing_is_sent_unless_a_provider_is_named_for_the_memory(
    opened: Opener, server: ProviderServer
) -> None:
    own = {"provider": "voyage", "model": VOYAGE.model, "base_url": server.url + VOYAGE.path}
    extra = {f"embedding__{name}": value for name, value in own.items()}
    workspace = opened(memory__embedding_provider="builtin", **extra)
    told(workspace)
    workspace.memory.upkeep.work()
    assert workspace.memory.search(QUESTION).notes == ()
    assert workspace.memory.embedding() is None
    assert workspace.memory.upkeep.plan().embedding is None
    assert server.asked == []


def test_a_repository_can_not_turn_it_on(
    folder: Repository, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VOYAGE.variable, KEY)
    for line in (
        'embedding_provider = "voyage"',
        'embedding_model = "voyage-3"',
        f'embedding_base_url = "{server.url}/v1"',
        'embedding_api_key = "{env:HOME}"',
    ):
        folder.write(".codecairn.toml", f"[memory]\n{line}\n")
        with pytest.raises(ConfigError, match=r"memory\.embedding_"):
            Workspace.open(folder.root)
    assert server.asked == []


def test_private_texts_tool_output_and_secrets_are_not_sent(
    opened: Opener, server: ProviderServer
) -> None:
    workspace = opened()
    told(workspace)
    memory = workspace.memory
    memory.record("s", "the hidden harbour", role="user", privacy_tags=["private"])
    memory.record("s", "shown <private>the veiled lamp</private> again", role="user")
    memory.record("s", "printed ferry", tool="Bash", command="ls", role="tool", hook="PostToolUse")
    memory.add("the silent garden", privacy_tags=["private"])
    memory.upkeep.work()
    memory.search("where is <private>the drowned bell</private> kept")
    sent = "\n".join(text for asked in server.embeddings for text in asked.texts)
    assert "shown" in sent
    assert "kept" in sent
    for hidden in ("hidden harbour", "veiled lamp", "printed ferry", "silent garden", "drowned"):
        assert hidden not in sent


def test_what_was_not_embedded_is_embedded_by_the_next_run(
    opened: Opener, server: ProviderServer
) -> None:
    workspace = opened(embedding__batch_texts=4, embedding__concurrency=1)
    told(workspace)
    server.fault = lambda number, _texts: Fault(status=503) if number >= 3 else None
    report = workspace.memory.upkeep.work()
    assert report.embedded == 12
    assert report.to_embed > 0
    assert "503" in report.embedding_obstacle
    server.fault = lambda number, _texts: (
        Fault(status=429, headers={"Retry-After": "0.01"}) if number == 5 else None
    )
    assert workspace.memory.upkeep.work().to_embed == 0
    assert len(server.embedded) == len(set(server.embedded))


def test_killed_run_loses_nothing_and_pays_for_nothing_twice(
    opened: Opener, server: ProviderServer, folder: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = opened()
    told(workspace)
    monkeypatch.setenv("CODECAIRN_EMBEDDING_CONCURRENCY", "1")
    monkeypatch.setenv("CODECAIRN_EMBEDDING_BATCH_TEXTS", "4")
    server.delay_s = 0.15
    fourth = server.reached(4)
    command = [sys.executable, "-m", "codecairn", "memory", "work"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=folder.root, stdout=quiet, stderr=quiet)
    assert fourth.wait(60), "the process asks for vectors"
    process.kill()
    process.wait()
    server.delay_s = 0.0
    status = workspace.memory.embedding()
    assert status is not None
    assert status.pending > 0
    assert workspace.memory.upkeep.work().to_embed == 0
    twice = [text for text, count in Counter(server.embedded).items() if count > 1]
    assert len(twice) <= 4, "only what was under way is asked for again"


def test_a_text_that_is_refused_holds_up_no_other(opened: Opener, server: ProviderServer) -> None:
    workspace = opened()
    told(workspace)
    bad = {"error": {"message": "this input is not taken"}}
    server.fault = lambda _number, texts: (
        Fault(status=400, body=bad) if any("floor 7" in text for text in texts) else None
    )
    assert workspace.memory.upkeep.work().to_embed == 1
    status = workspace.memory.embedding()
    assert status is not None
    assert (status.pending, status.refused) == (1, 1)
    server.fault = lambda _number, _texts: None
    assert workspace.memory.upkeep.work().to_embed == 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault(status=401, body={"error": {"message": "bad key"}}), "key"),
        (Fault(status=429), "429"),
        (Fault(status=500), "500"),
        (Fault(delay_s=3), "in time"),
        (Fault(raw=b"no json"), "voyage"),
    ],
    ids=["unauthorised", "too many requests", "server error", "slow", "broken"],
)
def test_without_an_answer_the_builtin_vectors_are_used_and_a_note_says_so(
    opened: Opener, server: ProviderServer, fault: Fault, reason: str
) -> None:
    workspace = opened(embedding__query_timeout_ms=200)
    told(workspace)
    workspace.memory.upkeep.work()
    server.fault = lambda _number, _texts: fault
    asked = len(server.asked)
    found = workspace.memory.search("windows painted on floor 7")
    assert "floor 7" in found.results[0].text
    assert len(found.notes) == 1
    assert "built-in model's vectors" in found.notes[0]
    assert reason in found.notes[0] or "voyage" in found.notes[0]
    # A provider that failed is left alone for a while.
    assert workspace.memory.search("windows painted on floor 8").notes == found.notes
    assert len(server.asked) == asked + 1


def test_unreachable_provider_fails_nothing(opened: Opener, server: ProviderServer) -> None:
    workspace = opened()
    told(workspace)
    workspace.memory.upkeep.work()
    asked = len(server.asked)
    workspace = opened(memory__embedding_base_url="http://127.0.0.1:9/v1")
    found = workspace.memory.search("windows painted on floor 7")
    assert "floor 7" in found.results[0].text
    assert len(found.notes) == 1
    assert workspace.memory.upkeep.work().embedding_obstacle == ""
    workspace.memory.record("s", "one more", role="user")
    assert workspace.memory.upkeep.work().embedding_obstacle
    assert len(server.asked) == asked


def test_questions_are_cached_and_purged_with_the_rest(
    opened: Opener, server: ProviderServer
) -> None:
    workspace = opened()
    told(workspace)
    workspace.memory.upkeep.work()
    workspace.memory.search(QUESTION)
    asked = len(server.asked)
    second = opened()
    assert second.memory.search(QUESTION).results[0].text == ANSWER
    assert len(server.asked) == asked
    queries = workspace.memory.path.with_name(workspace.memory.path.name + ".queries")
    assert any(queries.iterdir())
    workspace.memory.purge(containing="capped at twenty")
    assert not queries.exists()
    status = workspace.memory.embedding()
    assert status is not None
    assert status.embedded == status.texts
    workspace.memory.search(QUESTION)
    assert len(server.asked) == asked + 1


def test_another_model_embeds_everything_again(opened: Opener, server: ProviderServer) -> None:
    workspace = opened()
    told(workspace)
    first = workspace.memory.upkeep.work().embedded
    other = opened(OPENAI)
    found = other.memory.search(QUESTION)
    assert "nothing is embedded" in found.notes[0]
    assert other.memory.upkeep.work().embedded == first
    assert other.memory.search(QUESTION).results[0].text == ANSWER
    status = workspace.memory.embedding()
    assert status is not None
    assert status.embedded == 0


def test_vectors_of_other_dimensions_are_a_clear_error(
    opened: Opener, server: ProviderServer
) -> None:
    workspace = opened(memory__embedding_dimensions=16)
    told(workspace)
    report = workspace.memory.upkeep.work()
    assert report.embedded == 0
    assert "256 dimensions, not 16" in report.embedding_obstacle
    assert "`memory.embedding_dimensions`" in report.embedding_obstacle


def test_budget_holds_for_texts_and_questions(opened: Opener, server: ProviderServer) -> None:
    workspace = opened(memory__embedding_max_tokens=200, embedding__batch_texts=4)
    told(workspace)
    report = workspace.memory.upkeep.work()
    assert 0 < report.embedding_tokens <= 200
    assert "`memory.embedding_max_tokens`" in report.embedding_obstacle
    long = " ".join(["how many windows may be painted"] * 30)
    assert "budget" in workspace.memory.search(long).notes[0]
    assert sum(cost.tokens for cost in workspace.memory.upkeep.costs()) <= 200


def test_a_key_and_an_address_are_shared_with_the_same_provider_only(
    opened: Opener, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened()
    monkeypatch.delenv("CODECAIRN_MEMORY_EMBEDDING_BASE_URL")
    url = server.url + VOYAGE.path
    same = Workspace.open(
        opened().root,
        settings={
            "memory.embedding_base_url": "",
            "embedding.base_url": url,
            "embedding.provider": "voyage",
        },
    )
    with same:
        status = same.memory.embedding()
        assert status is not None
        assert status.destination == url
    other = Workspace.open(
        same.root,
        settings={
            "memory.embedding_base_url": "",
            "embedding.base_url": url,
            "embedding.provider": "jina",
        },
    )
    with other:
        status = other.memory.embedding()
        assert status is not None
        assert "voyageai.com" in status.destination


def test_hooks_make_no_request(
    opened: Opener, server: ProviderServer, folder: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    workspace = opened()
    told(workspace)
    workspace.memory.upkeep.work()
    asked = len(server.asked)
    claude_told(folder, "SessionStart", source="startup", model="m-1")
    context_of(claude_told(folder, "UserPromptSubmit", prompt=QUESTION, prompt_id="p-1"))
    claude_told(folder, "Stop", last_assistant_message="Twenty.")
    assert len(server.asked) == asked
    workspace.memory.context("new", QUESTION)
    assert len(server.asked) == asked + 1


def test_status_doctor_and_plan_show_the_provider(
    opened: Opener, server: ProviderServer, folder: Repository
) -> None:
    workspace = opened()
    told(workspace)
    folder.write("a.py", "def only():\n    return 1\n")
    planned = run("memory", "work", "--dry-run", "--json", cwd=folder.root).document
    assert planned["embedding"]["texts"] > 20
    assert server.asked == []
    assert server.url in run("memory", "work", "--dry-run", cwd=folder.root).out
    run("index", cwd=folder.root)
    for command in (("status",), ("memory", "status")):
        out = run(*command, cwd=folder.root).out
        assert "voyage/voyage-code-3@256" in out
        assert "pending" in out
    document = run("status", "--json", cwd=folder.root).document
    assert document["memory_embedding"]["pending"] == document["memory_embedding"]["texts"] > 20
    assert any("memory.embedding_provider" in line for line in document["outgoing"])
    assert "embedded" in run("memory", "work", cwd=folder.root).out
    document = run("memory", "status", "--json", cwd=folder.root).document
    assert document["embedding"]["pending"] == 0
    checks = json.loads(run("memory", "doctor", "--json", cwd=folder.root).out)
    (check,) = [each for each in checks["checks"] if each["name"] == "embedding"]
    assert check["is_ok"]
    assert "0 pending" in check["detail"]
    answered = run("memory", "search", QUESTION, "--json", cwd=folder.root).document
    assert answered["results"][0]["body"] == ANSWER
    assert answered["notes"] == []
    assert ANSWER in run("ask", QUESTION, cwd=folder.root).out


def test_one_session_or_no_models_embed_nothing(opened: Opener, server: ProviderServer) -> None:
    workspace = opened()
    told(workspace)
    for options in (WorkOptions(with_models=False), WorkOptions(session="s")):
        assert workspace.memory.upkeep.work(options).embedded == 0
        assert workspace.memory.upkeep.plan(options).embedding is None
    assert server.asked == []


def test_vectors_lie_in_the_memory_alone(opened: Opener, tmp_path: Path) -> None:
    workspace = opened()
    told(workspace)
    workspace.memory.upkeep.work()
    beside = {path.name for path in workspace.memory.path.parent.iterdir()}
    assert {"memory.db", "memory.db.embedding-costs.jsonl"} <= beside
    costs = workspace.memory.path.with_name("memory.db.embedding-costs.jsonl").read_text()
    assert "pool" not in costs
    assert tmp_path in workspace.memory.path.parents
