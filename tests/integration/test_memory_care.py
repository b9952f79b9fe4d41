"""What happened lately, whether a memory is in order, and one session as a file."""

import json
import sys

import pytest

from codecairn import Workspace
from support.command import run
from support.repository import Repository


def test_activity_tells_what_came_what_ended_and_what_was_shown(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.record("s1", "We decided to keep SQLite.", role="user")
        (decision,) = memory.list(types=["decision"])
        memory.context("s2", part="static")
        memory.add("a secret plan", privacy_tags=["private"])
        memory.update(decision.id, text="We decided to keep SQLite for now.")
        memory.add("We use Postgres.", type="decision", supersedes=[decision.id])
        found = memory.upkeep.activity()
        of_facts = sorted(each.what for each in found if each.kind == "fact")
        assert of_facts == ["added", "added", "changed", "superseded"]
        (shown,) = (each for each in found if each.kind == "shown")
        assert (shown.what, shown.id, shown.count) == ("static", "s2", 1)
        assert not any("secret plan" in each.title for each in found)
        private = memory.upkeep.activity(kinds=["fact"], with_private=True)
        assert any("secret plan" in each.title for each in private)
        assert len(memory.upkeep.activity(limit=2)) == 2
    told = run("memory", "activity", "--kind", "event", cwd=folder.root).out
    assert "event prompt" in told
    assert run("memory", "activity", "--kind", "x", cwd=folder.root).code == 2


def test_a_memory_in_order_passes_its_checkup(folder: Repository) -> None:
    assert run("memory", "doctor", cwd=folder.root).code == 0
    run("memory", "add", "x is y", cwd=folder.root)
    outcome = run("memory", "doctor", "--json", cwd=folder.root)
    assert outcome.document["is_healthy"]
    assert {check["name"] for check in outcome.document["checks"]} == {
        *(
            "folder",
            "database",
            "rights",
            "project",
            "waiting",
            "unsigned",
            "jobs",
            "hooks",
            "models",
            "log",
        ),
    }


@pytest.mark.skipif(sys.platform == "win32", reason="modes mean nothing there")
def test_a_checkup_names_what_is_not_in_order_and_what_to_do(
    folder: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("memory", "add", "x is y", cwd=folder.root)
    monkeypatch.setenv("CODECAIRN_EXTRACTION_PROVIDERS", "anthropic")
    with Workspace.open(folder.root) as workspace:
        workspace.memory.path.chmod(0o644)
    outcome = run("memory", "doctor", cwd=folder.root)
    assert outcome.code == 1
    assert "others may read the database" in outcome.out
    assert "chmod 600" in outcome.out
    assert "ANTHROPIC_API_KEY" in outcome.out


def test_a_checkup_of_a_database_that_is_none_is_no_error(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        path = workspace.memory.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"no database at all" * 100)
    outcome = run("memory", "doctor", "--json", cwd=folder.root)
    assert outcome.code == 1
    (database,) = (each for each in outcome.document["checks"] if each["name"] == "database")
    assert not database["is_ok"]


def test_one_session_is_exported_with_its_children_and_its_facts(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.record("s1", "We decided to keep SQLite in /home/ann/shop.", role="user")
        memory.record("s1", "Fixed the schema.", role="assistant")
        memory.record("child", "It works.", role="assistant", parent_session="s1")
        memory.record("s2", "We decided to use Redis.", role="user")
        memory.upkeep.summarise("s1")
    outcome = run("memory", "export", "--session", "s1", "--anonymise", cwd=folder.root)
    document = outcome.document
    assert {each["id"] for each in document["sessions"]} == {"s1", "child"}
    assert {each["session"] for each in document["events"]} == {"s1", "child"}
    assert {each["type"] for each in document["facts"]} == {"decision", "session-summary"}
    assert "/home/ann" not in outcome.out
    assert "Redis" not in outcome.out
    least = run("memory", "export", "--session", "s1", "--max-events", "1", cwd=folder.root)
    assert len(least.document["events"]) == 1
    taken = run("memory", "import", "-", "--dry-run", cwd=folder.root, stdin=json.dumps(document))
    assert taken.code == 0
    assert run("memory", "export", "--session", "nope", cwd=folder.root).code == 2


def test_what_is_not_said_takes_its_usual_value(folder: Repository) -> None:
    recorded = run("memory", "record", "s1", "--hook", "session-start", "--json", cwd=folder.root)
    assert recorded.document["is_kept"]
    assert run("memory", "notes", "--json", cwd=folder.root).document == {"results": []}
