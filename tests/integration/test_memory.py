"""The memory through the library: what is kept, what is found, and what outlives processes."""

import json
import os
from pathlib import Path

import pytest

from benches.memory.storm import storm
from codecairn import Workspace
from codecairn.core.memory_engine import memory_words, redacted
from codecairn.core.types.memory import FACT_TYPES, ORIGINS, SCOPES, Event, Fact
from codecairn.errors import UsageError
from support.repository import Repository


def test_a_fact_is_kept_word_for_word_and_found_by_another_workspace_object(
    folder: Repository,
) -> None:
    with Workspace.open(folder.root) as workspace:
        added = workspace.memory.add("Auth uses JWT in httpOnly cookies", type="architecture")
    with Workspace.open(folder.root) as workspace:
        (found,) = workspace.memory.recall("how is auth done", limit=5)
        assert (found.id, found.text) == (added.id, "Auth uses JWT in httpOnly cookies")
        (fact,) = workspace.memory.get(added.id[:6])
        assert isinstance(fact, Fact)
        assert fact.type == "architecture"


def test_a_decision_is_a_fact_once_its_event_is_recorded(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace, Workspace.open(folder.root) as other:
        text = "We decided to use SQLite for storage because it is enough."
        recorded = workspace.memory.record("s", text, role="user")
        (fact,) = other.memory.list(limit=9)
        assert "SQLite" in fact.text
        assert [event.seq for event in other.memory.events()] == [recorded.seq]


def test_worktrees_and_clones_share_one_memory(repository: Repository, tmp_path: Path) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit("first")
    repository.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
    with Workspace.open(repository.root) as workspace:
        workspace.memory.add("Releases are cut on Fridays")
    with Workspace.open(tmp_path / "tree") as workspace:
        (fact,) = workspace.memory.list()
        assert fact.text == "Releases are cut on Fridays"


def test_memory_works_without_an_index_and_makes_none(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        workspace.memory.record("s", "We decided to use tabs because of the licence.", role="user")
        assert not workspace.store.exists()
        (fact,) = workspace.memory.list(types=["decision"])
        assert fact.sources == (1,)
        (event,) = workspace.memory.get("E1")
        assert isinstance(event, Event)
        assert event.body == "We decided to use tabs because of the licence."


def test_words_of_the_core_and_of_the_library_are_the_same() -> None:
    words = memory_words()
    assert tuple(words["types"]) == FACT_TYPES
    assert tuple(words["scopes"]) == SCOPES
    assert tuple(words["origins"]) == ORIGINS


def test_redaction_can_be_seen() -> None:
    assert redacted("a <private>b</private> c") == ("a [REDACTED] c", 1, 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: memory.add("x", type="nonsense"),
        lambda memory: memory.add("<private>x</private>"),
        lambda memory: memory.recall("  "),
        lambda memory: memory.recall("x", kinds=["y"]),
        lambda memory: memory.recall("x", since="some day"),
        lambda memory: memory.record("s", "x", nonsense="y"),
        lambda memory: memory.record("", "x"),
        lambda memory: memory.get("E1"),
        lambda memory: memory.history("f00000"),
        lambda memory: memory.timeline("E1"),
        lambda memory: memory.forget("f00000"),
        lambda memory: memory.update("f00000", text="x"),
        lambda memory: memory.purge(),
        lambda memory: memory.purge("E1", session="s"),
        lambda memory: memory.session("s"),
        lambda memory: memory.export(format="pdf"),
        lambda memory: memory.import_("[]"),
        lambda memory: memory.list(limit=0),
    ],
)
def test_bad_requests_are_refused_by_name(folder: Repository, call: object) -> None:
    with Workspace.open(folder.root) as workspace, pytest.raises(UsageError):
        call(workspace.memory)  # type: ignore[operator]


def test_exports_come_in_again_and_are_read_as_tables_and_pages(
    folder: Repository, repository: Repository
) -> None:
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add("=HYPERLINK is a formula", tags=["sheet"])
        workspace.memory.add("Ask ann@example.com about /home/ann/keys", type="rule")
        document = workspace.memory.export()
        assert "'=HYPERLINK" in workspace.memory.export(format="csv")
        assert "## rule" in workspace.memory.export(format="markdown")
        plain = workspace.memory.export(anonymise=True)
        assert "ann" not in json.loads(plain)["facts"][1]["text"]
    with Workspace.open(repository.root) as workspace:
        assert workspace.memory.import_(document).facts == 2
        assert workspace.memory.import_(document).facts == 0


def test_where_the_database_cannot_be_written_events_wait_in_the_workspace(
    folder: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = home / "blocked"
    blocked.write_text("a file where a folder should be", encoding="utf-8")
    settings = {"memory.path": str(blocked / "memory.db")}
    with Workspace.open(folder.root, settings=settings) as workspace:
        assert workspace.memory.record("s", "it waits", role="user").is_waiting
        assert workspace.memory.add("and so does this").is_waiting
    spool = folder.root / ".codecairn" / "memory-spool"
    assert sum(file.read_bytes().count(b"\n") for file in spool.glob("*.log")) == 2
    assert (spool / ".gitignore").read_text(encoding="utf-8") == "*\n"
    blocked.unlink()
    with Workspace.open(folder.root, settings=settings) as workspace:
        assert [event.body for event in workspace.memory.events()] == ["it waits"]
        assert [fact.text for fact in workspace.memory.list()] == ["and so does this"]
    assert list(spool.glob("*.log")) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_opens_the_memory_anew(folder: Repository) -> None:
    with Workspace.open(folder.root) as workspace:
        workspace.memory.add("from the parent")
        child = os.fork()
        if child == 0:
            try:
                workspace.memory.add("from the child")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert {fact.text for fact in workspace.memory.list()} == {
            "from the parent",
            "from the child",
        }


def test_what_is_acknowledged_survives_many_writers_and_their_deaths(folder: Repository) -> None:
    outcome = storm(folder.root, processes=6, events=30, kills=2)
    assert (outcome.lost, outcome.doubled, outcome.disordered, outcome.failures) == ((), (), (), ())
    assert outcome.acknowledged > 4 * 30


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_is_acknowledged_survives_twenty_writers_and_their_deaths(folder: Repository) -> None:
    outcome = storm(folder.root, processes=20, events=200, kills=5)
    assert (outcome.lost, outcome.doubled, outcome.disordered, outcome.failures) == ((), (), (), ())
    # Each of the fifteen that lived was told of all its events; nobody was told that the database is locked.
    assert outcome.killed == 5
    assert 15 * 200 <= outcome.acknowledged < 20 * 200
    with Workspace.open(folder.root) as workspace:
        status = workspace.memory.status()
        assert status.events >= outcome.acknowledged
        assert (status.waiting, status.dead_jobs) == (0, 0)
        assert all(check.is_ok for check in workspace.memory.upkeep.checkup())
