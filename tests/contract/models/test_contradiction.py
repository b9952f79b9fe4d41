"""Older facts that new ones end: one question for all, only offered ids count, nobody's own word is taken back."""

import json
import re

import pytest

from codecairn import Workspace
from contract.models.conftest import SETUPS, Opener
from support.model_server import ModelServer, Question, Said, facts, sensible
from support.recorded_session import tell

ANTHROPIC = SETUPS[0]
NEW = "The project uses PostgreSQL for storage"


def _older(workspace: Workspace, text: str, **fields: object) -> str:
    told = {"type": "tech-context", "origin": "agent"} | fields
    return workspace.memory.add(text, **told).id  # type: ignore[arg-type]


def _answering(server: ModelServer, ended: "list[dict[str, str]] | str") -> None:
    def answer(question: Question) -> Said:
        if question.purpose == "contradiction":
            return Said(ended if isinstance(ended, str) else json.dumps({"ended": ended}))
        if question.purpose == "normal":
            return facts({"type": "tech-context", "text": NEW, "events": question.events})
        return sensible(question)

    server.answer = answer


def _work(workspace: Workspace) -> int:
    tell(
        workspace,
        "s1",
        "can you look at the logs of PostgreSQL, the new database, please?",
        "Good, noted.",
    )
    return workspace.memory.upkeep.work().superseded


def test_what_a_new_fact_replaces_is_ended_and_stays_readable(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with(ANTHROPIC)
    old = _older(workspace, "The project uses SQLite for storage")
    _answering(server, [{"old": "C1", "new": "N1", "reason": "moved to PostgreSQL"}])
    assert _work(workspace) == 1
    newest, *older = workspace.memory.history(old)
    assert (newest.state, newest.reason) == ("superseded", "moved to PostgreSQL")
    (new,) = [fact for fact in workspace.memory.list() if fact.text == NEW]
    assert newest.superseded_by == new.id
    assert newest.invalid_at_ms is not None
    assert all(version.text == newest.text for version in older)
    assert old not in {fact.id for fact in workspace.memory.list()}
    assert old in {fact.id for fact in workspace.memory.list(with_history=True)}
    assert len(server.of("contradiction")) == 1


def test_a_moment_before_it_was_ended_still_knows_it(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with(ANTHROPIC)
    old = _older(workspace, "The project uses SQLite for storage", valid_from="2026-01-01")
    before = workspace.memory.history(old)[0].recorded_ms
    _answering(server, [{"old": "C1", "new": "N1", "reason": "moved"}])
    _work(workspace)
    from datetime import datetime, timezone

    moment = datetime.fromtimestamp((before + 1) / 1000, tz=timezone.utc).isoformat()
    assert old in {fact.id for fact in workspace.memory.list(as_of=moment)}


@pytest.mark.parametrize(
    "fields",
    [
        {"origin": "user"},
        {"is_pinned": True},
        {"scope": "user"},
        {"scope": "branch"},
        {"scope": "session"},
        {"privacy_tags": ["private"]},
        *({"type": kind} for kind in ("session-summary", "conversation", "file-activity")),
    ],
    ids=lambda fields: " ".join(map(str, *fields.items())),
)
def test_what_is_guarded_or_of_another_scope_is_not_even_offered(
    server: ModelServer, open_with: Opener, fields: dict[str, object]
) -> None:
    workspace = open_with(ANTHROPIC)
    _older(workspace, "The project uses SQLite for storage", **fields)
    _answering(server, [{"old": "C1", "new": "N1", "reason": "moved"}])
    assert _work(workspace) == 0
    assert server.of("contradiction") == []


@pytest.mark.parametrize(
    "ended",
    [
        [{"old": "C9", "new": "N1", "reason": "made up"}],
        [{"old": "C1", "new": "N7", "reason": "made up"}],
        [{"old": "f0123456789", "new": "N1", "reason": "made up"}],
        [{"old": "N1", "new": "C1", "reason": "the wrong way round"}],
        "There is no contradiction.",
    ],
    ids=["unknown old", "unknown new", "raw id", "reversed", "prose"],
)
def test_made_up_ids_end_nothing(
    server: ModelServer, open_with: Opener, ended: "list[dict[str, str]] | str"
) -> None:
    workspace = open_with(ANTHROPIC)
    old = _older(workspace, "The project uses SQLite for storage")
    _answering(server, ended)
    assert _work(workspace) == 0
    assert workspace.memory.history(old)[0].state == "live"
    assert NEW in {fact.text for fact in workspace.memory.list()}


def test_a_pair_that_was_not_offered_ends_nothing(server: ModelServer, open_with: Opener) -> None:
    """An older fact is offered for new ones of its scope; a model that pairs it with another is not believed."""
    workspace = open_with(ANTHROPIC)
    old = _older(workspace, "The project uses SQLite for storage")
    mine = "I like PostgreSQL for storage"
    pairs: list[str] = []

    def answer(question: Question) -> Said:
        if question.purpose == "contradiction":
            (label,) = re.findall(rf"^(N\d+) .*{mine}$", question.text, re.MULTILINE)
            pairs.append(label)
            return Said(json.dumps({"ended": [{"old": "C1", "new": label, "reason": "alike"}]}))
        rows = [("tech-context", NEW), ("preference", mine)]
        events = question.events
        return facts(*({"type": kind, "text": text, "events": events} for kind, text in rows))

    server.answer = answer
    assert _work(workspace) == 0
    assert len(pairs) == 1
    assert workspace.memory.history(old)[0].state == "live"
    assert {NEW, mine} <= {fact.text for fact in workspace.memory.list()}


def test_without_an_answer_the_new_fact_is_kept_all_the_same(
    server: ModelServer, open_with: Opener
) -> None:
    workspace = open_with(ANTHROPIC)
    old = _older(workspace, "The project uses SQLite for storage")
    _answering(server, [])

    def answer(question: Question) -> Said:
        if question.purpose == "contradiction":
            return Said(status=500)
        return facts({"type": "tech-context", "text": NEW, "events": question.events})

    server.answer = answer
    assert _work(workspace) == 0
    states = {fact.text: fact.state for fact in workspace.memory.list()}
    assert states[NEW] == "live"
    assert workspace.memory.history(old)[0].state == "live"


def test_many_new_facts_are_one_question(server: ModelServer, open_with: Opener) -> None:
    workspace = open_with(ANTHROPIC)
    for name in ("storage", "caching", "queues"):
        _older(workspace, f"The project uses SQLite for {name}")

    def answer(question: Question) -> Said:
        if question.purpose == "contradiction":
            labels = re.findall(r"^C\d+", question.text, re.MULTILINE)
            return Said(json.dumps({"ended": [{"old": labels[0], "new": "N1", "reason": "x"}]}))
        rows = [
            {
                "type": "tech-context",
                "text": f"The project uses PostgreSQL for {name}",
                "events": question.events,
            }
            for name in ("storage", "caching", "queues")
        ]
        return facts(*rows)

    server.answer = answer
    assert _work(workspace) == 1
    assert len(server.of("contradiction")) == 1
