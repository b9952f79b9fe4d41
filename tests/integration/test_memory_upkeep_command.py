"""`codecairn memory work | summarise | init | costs | import | promote | demote | team`, for people and as JSON."""

import json
from collections.abc import Iterator

import pytest

from support import foreign_stores
from support.command import Outcome, run
from support.model_server import KEY, ModelServer
from support.repository import Repository

SAID = (
    "We settle on port 8443 for the gateway, in all environments and for every client of it. " * 2
)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A model that every command may ask."""
    with ModelServer().running() as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("CODECAIRN_EXTRACTION_PROVIDERS", f"anthropic@{server.url}/v1")
        monkeypatch.setenv("CODECAIRN_EXTRACTION_COOLDOWN_S", "0")
        yield server


def _told(folder: Repository) -> None:
    """A session, taken in as another memory's."""
    plain = {
        "project": "", "session": "s1", "hook": "", "priority": 1, "title": "", "tool": "", "command": "", "path": "",
        "exit_code": None, "tags": [], "branch": "", "commit": "", "is_private": False, "raw_bytes": 0, "redactions": 0,
        "meta": {},
    }  # fmt: skip
    rows: list[dict[str, object]] = [
        {"category": "prompt", "role": "user", "origin": "user", "body": SAID},
        {"category": "answer", "role": "assistant", "origin": "agent", "body": "The port is set."},
    ]
    events = [
        plain | row | {"seq": at, "key": f"k{at}", "ts_ms": 1_700_000_000_000 + at}
        for at, row in enumerate(rows)
    ]
    document = {"schema": "codecairn-memory-v1", "sessions": [], "facts": [], "events": events}
    assert run("memory", "import", "-", cwd=folder.root, stdin=json.dumps(document)).code == 0


def _json(folder: Repository, *arguments: str) -> Outcome:
    outcome = run("memory", *arguments, "--json", cwd=folder.root)
    assert outcome.code == 0, outcome.err
    return outcome


def test_work_says_where_text_goes_and_what_it_cost(
    folder: Repository, server: ModelServer
) -> None:
    _told(folder)
    plan = _json(folder, "work", "--dry-run").document
    (destination,) = plan["destinations"]
    assert destination == {"address": f"{server.url}/v1", "model": "claude-haiku-4-5-20251001"}
    assert [due["session"] for due in plan["due"]] == ["s1"]
    assert "1 session" in run("memory", "work", "--dry-run", cwd=folder.root).out
    assert server.asked == []
    outcome = _json(folder, "work")
    assert (outcome.document["facts"], outcome.document["summaries"]) == (1, 1)
    assert outcome.err.count(f"goes to {server.url}/v1") == 1
    assert _json(folder, "work").document["windows"] == 0
    rows = _json(folder, "costs").document["results"]
    assert {row["purpose"] for row in rows} == {"normal", "summary"}
    assert "claude-haiku" in run("memory", "costs", cwd=folder.root).out


def test_work_without_models_asks_nobody(folder: Repository, server: ModelServer) -> None:
    _told(folder)
    out = run("memory", "work", "--no-models", cwd=folder.root).out
    assert "1 session worked on: 0 new facts, 0 ended, 1 summarised" in out
    assert server.asked == []


def test_summarise_shows_the_summary(folder: Repository) -> None:
    _told(folder)
    assert "We settle on port 8443" in run("memory", "summarise", "s1", cwd=folder.root).out
    assert _json(folder, "summarise", "s1").document == {"results": []}
    missing = run("memory", "summarise", "nope", cwd=folder.root)
    assert (missing.code, missing.err.partition("\n")[0]) == (
        2,
        "error: there is no session `nope`",
    )


def test_init_reads_a_project_and_hints_in_an_empty_folder(folder: Repository) -> None:
    assert "This project is new" in run("memory", "init", cwd=folder.root).out
    folder.write("Makefile", "test:\n\ttrue\n")
    assert _json(folder, "init").document["facts"] == 1
    assert "1 known already" in run("memory", "init", cwd=folder.root).out


def test_import_names_what_it_could_not_take(folder: Repository) -> None:
    place = foreign_stores.codex_mem(folder.root / ".codex_mem" / "codex_mem.sqlite3")
    dry = run("memory", "import", "--from", "codex-mem", "--dry-run", cwd=folder.root)
    assert "would take in 3 events and 2 facts" in dry.out
    document = _json(folder, "import", str(place)).document
    assert (document["source"], document["facts"], document["events"]) == ("codex-mem", 2, 3)
    assert document["problems"] == [{"where": "events row 4", "what": "it names no session"}]
    again = run("memory", "import", "--from", "codex-mem", cwd=folder.root)
    assert "took in 0 events and 0 facts" in again.out
    assert "events row 4: it names no session" in again.out


def test_facts_are_shared_and_taken_back(repository: Repository) -> None:
    added = run(
        "memory", "add", "Tabs, not spaces", "--type", "rule", "--json", cwd=repository.root
    )
    id_ = added.document["id"]
    assert _json(repository, "promote", id_[:6]).document["promoted"] == [id_]
    assert "1 statement shared" in run("memory", "team", cwd=repository.root).out
    assert _json(repository, "demote", id_).document["shared"] == 0
    for command, message in (
        (["promote"], "say which facts"),
        (["demote", id_], "is not shared"),
        (["promote", "E1"], "there is no fact or event"),
    ):
        outcome = run("memory", *command, cwd=repository.root)
        assert outcome.code == 2
        assert message in outcome.err


@pytest.mark.parametrize(
    ("providers", "message"),
    [
        ("clippy", "which names no provider"),
        ("compatible", "which needs a model"),
        ("compatible:m", "which needs an address"),
        ("anthropic", "there is no key for anthropic"),
        ("compatible:m@http://169.254.169.254/v1", "a link-local or metadata address"),
        ("compatible:m@http://user:pass@localhost/v1", "an address that can't be used"),
    ],
)
def test_mistakes_in_settings_are_named(folder: Repository, providers: str, message: str) -> None:
    _told(folder)
    environment = {"CODECAIRN_EXTRACTION_PROVIDERS": providers}
    outcome = run("memory", "work", cwd=folder.root, environment=environment)
    assert message in outcome.out + outcome.err
    assert "user:pass" not in outcome.out + outcome.err


def test_a_repository_can_not_name_a_provider(folder: Repository) -> None:
    folder.write(
        ".codecairn.toml", '[extraction]\nproviders = ["compatible:m@http://evil.example/v1"]\n'
    )
    outcome = run("memory", "work", cwd=folder.root)
    assert outcome.code == 2
    assert "extraction.providers" in outcome.err


def test_a_key_itself_is_not_taken_into_settings(folder: Repository) -> None:
    outcome = run("config", "set", "--user", "extraction.keys", f"anthropic={KEY}", cwd=folder.root)
    assert outcome.code == 2
    assert KEY not in outcome.err
    fine = run(
        "config", "set", "--user", "extraction.keys", "anthropic={env:MY_KEY}", cwd=folder.root
    )
    assert fine.code == 0
