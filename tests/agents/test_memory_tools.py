"""The tools on the memory, without the protocol: what each does, and what agents can't do by them."""

import json
from collections.abc import Iterator

import pytest

from codecairn import Workspace
from codecairn.errors import CodecairnError, UsageError
from codecairn.mcp.dispatcher import ToolDispatcher
from codecairn.mcp.lazy_dispatcher import LazyToolDispatcher
from codecairn.trust.registry import trust
from support.repository import Repository


@pytest.fixture
def dispatcher(project: Repository) -> Iterator[ToolDispatcher]:
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], chosen=["all"], in_background=False) as opened,
    ):
        yield opened


def test_session_is_recorded_summarised_ended_and_exported(dispatcher: ToolDispatcher) -> None:
    said = {"session": "s1", "role": "user", "text": "We decided to sign tokens with HMAC."}
    first = dispatcher.call("memory_record", said)
    assert first.document["seq"] == 1
    assert first.document["facts"]
    output = {"session": "s1", "role": "tool", "tool": "Bash", "text": "ok\n" * 4_000 + "1 failed"}
    short = dispatcher.call("memory_record", output | {"compact_chars": 400})
    (event,) = dispatcher.workspace().memory.get(f"E{short.document['seq']}")
    assert len(event.body) < 600  # type: ignore[union-attr]
    assert event.body.endswith("1 failed")  # type: ignore[union-attr]
    whole = dispatcher.call("memory_record", output | {"compact": False})
    (event,) = dispatcher.workspace().memory.get(f"E{whole.document['seq']}")
    assert len(event.body) > 12_000  # type: ignore[union-attr]
    blocked = {"session": "s1", "text": "x", "privacy_tag": "block"}
    assert "forbids" in dispatcher.call("memory_record", blocked).text
    answer = {"session": "s1", "role": "assistant", "text": "Fixed the signature."}
    dispatcher.call("memory_record", answer)

    assert "HMAC" in dispatcher.call("memory_session", {"action": "summarise", "id": "s1"}).text
    dispatcher.call("memory_session", {"action": "end", "session_id": "s1"})
    (session,) = dispatcher.call("memory_session", {}).document["results"]  # type: ignore[misc]
    assert session["status"] == "ended"
    told = dispatcher.call("memory_session", {"action": "export", "id": "s1", "max_events": 2})
    assert len(json.loads(told.text)["events"]) <= 2
    assert json.loads(told.text)["facts"]


def test_statement_is_anchored_and_shown_with_what_changed(
    dispatcher: ToolDispatcher, project: Repository
) -> None:
    project.write("net.py", "LIMIT = 3\n\n\ndef retry():\n    return LIMIT\n")
    said = {"text": "The retry limit is low for a reason", "anchors": ["net.py::LIMIT"]}
    id_ = dispatcher.call("memory_add", said).text
    project.write("net.py", "LIMIT = 9\n\n\ndef retry():\n    return LIMIT\n")
    found = dispatcher.call("memory_search", {"query": "retry limit"})
    assert "net.py::LIMIT changed since noted" in found.text
    assert "\n  -LIMIT = 3\n  +LIMIT = 9" in found.text
    (row,) = [row for row in found.document["results"] if row["id"] == id_]  # type: ignore[attr-defined]
    assert row["standing"]["changes"] == ["-LIMIT = 3", "+LIMIT = 9"]
    assert "+LIMIT = 9" in dispatcher.call("memory_why", {"id": id_}).text
    trust(project.root)
    context = dispatcher.call("memory_context", {"session": "s", "prompt": "the retry limit?"})
    assert "\n    -LIMIT = 3\n    +LIMIT = 9\n" in context.text
    with pytest.raises(UsageError, match="no symbol, file or line"):
        dispatcher.call("memory_add", {"text": "x y z", "anchors": ["net.py::nothing"]})


def test_agent_is_an_agent_whatever_it_says(dispatcher: ToolDispatcher) -> None:
    memory = dispatcher.workspace().memory
    dispatcher.call(
        "memory_record", {"session": "s", "role": "user", "text": "I prefer tabs over spaces"}
    )
    assert {event.origin for event in memory.events()} == {"agent"}
    mine = memory.add("Releases are made on Mondays")
    with pytest.raises(CodecairnError, match="only a person changes it"):
        dispatcher.call("memory_update", {"id": mine.id, "text": "Releases are made on Fridays"})
    with pytest.raises(UsageError, match="no argument `origin`"):
        dispatcher.call(
            "memory_notes", {"action": "write", "key": "a", "text": "b", "origin": "user"}
        )


def test_note_has_one_text_under_its_key(dispatcher: ToolDispatcher) -> None:
    for text in ("first draft", "second draft"):
        dispatcher.call("memory_notes", {"action": "write", "key": "Plan", "text": text})
    dispatcher.call("memory_notes", {"action": "write", "key": "other", "text": "second draft"})
    assert "second draft" in dispatcher.call("memory_notes", {"key": "plan"}).text
    assert len(dispatcher.call("memory_notes", {}).document["results"]) == 2  # type: ignore[arg-type]
    dispatcher.call("memory_notes", {"action": "delete", "key": "plan"})
    assert dispatcher.call("memory_notes", {"key": "plan"}).document["results"] == []
    with pytest.raises(UsageError, match="no note under `plan`"):
        dispatcher.call("memory_notes", {"action": "delete", "key": "plan"})
    with pytest.raises(UsageError, match="needs a key"):
        dispatcher.call("memory_notes", {"action": "write", "text": "b"})


def test_search_takes_what_its_short_form_does_not_list(project: Repository) -> None:
    with (
        Workspace.open(project.root) as workspace,
        ToolDispatcher([workspace], in_background=False) as dispatcher,
    ):
        (tool,) = (each for each in dispatcher.tools if each.name == "memory_search")
        assert "as_of" not in tool.schema["properties"]  # type: ignore[operator]
        workspace.memory.add("The api listens on port 8080")
        workspace.memory.record("s", "Which port does the api listen on?", role="user")
        asked = {"query": "port of the api", "kinds": ["fact"], "detail": "titles"}
        (row,) = dispatcher.call("memory_search", asked).document["results"]  # type: ignore[misc]
        assert (row["kind"], row["excerpt"]) == ("fact", "")
        early = dispatcher.call(
            "memory_search", {"query": "port of the api", "as_of": "2020-01-01", "types": ["note"]}
        )
        assert early.document["results"] == []


def test_several_records_are_shown_at_once(dispatcher: ToolDispatcher) -> None:
    ids = [
        dispatcher.call("memory_add", {"text": text}).document["id"]
        for text in ("One port", "Two doors")
    ]
    dispatcher.call("memory_record", {"session": "s", "role": "user", "text": "Three windows"})
    shown = dispatcher.call("memory_get", {"ids": [*ids, "E1"]}).text
    assert [word in shown for word in ("One port", "Two doors", "Three windows")] == [True] * 3
    assert "One port" in dispatcher.call("memory_get", {"id": ids[0]}).text
    with pytest.raises(UsageError, match="nothing to show"):
        dispatcher.call("memory_get", {})


def test_why_tells_score_parts_and_gate(dispatcher: ToolDispatcher) -> None:
    added = dispatcher.call("memory_add", {"text": "The api listens on port 8080"})
    told = dispatcher.call(
        "memory_why", {"id": added.document["id"], "query": "which port has the api"}
    )
    gate = told.document["gate"]
    assert isinstance(gate, dict)
    assert gate["evidence"] >= gate["recalled"]
    assert "place 1: score" in told.text
    far = dispatcher.call("memory_why", {"id": added.document["id"], "query": "colour of the moon"})
    assert far.document["rank"] is None


def test_context_keeps_to_the_budget_that_is_given(dispatcher: ToolDispatcher) -> None:
    for number in range(40):
        dispatcher.workspace().memory.add(
            f"Rule {number}: module {number} never imports module {number + 1}", type="rule"
        )
    wide = dispatcher.call("memory_context", {"session": "a", "part": "static"})
    narrow = dispatcher.call(
        "memory_context", {"session": "b", "part": "static", "budget": 150, "format": "xml"}
    )
    assert narrow.text.startswith("<session_memory")
    assert narrow.document["tokens"] < wide.document["tokens"]  # type: ignore[operator]


def test_admin_tells_the_state_and_changes_what_is_safe(
    dispatcher: ToolDispatcher, project: Repository
) -> None:
    dispatcher.call("memory_add", {"text": "The api listens on port 8080"})
    assert dispatcher.call("memory_admin", {}).document["facts"] == 1
    for action in ("doctor", "costs", "activity", "drain", "work", "config_get"):
        assert dispatcher.call("memory_admin", {"action": action}).text
    changed = dispatcher.call(
        "memory_admin", {"action": "config_set", "key": "memory.compact_bytes", "value": "900"}
    )
    assert changed.document["value"] == "900"
    shown = dispatcher.call("memory_admin", {"action": "config_get", "key": "memory.compact_bytes"})
    assert "900" in shown.text
    for key in (
        "memory.path",
        "extraction.providers",
        "hooks.capture",
        "memory.private_unclosed",
        "nonsense",
    ):
        with pytest.raises(UsageError, match="not for an agent to set"):
            dispatcher.call("memory_admin", {"action": "config_set", "key": key, "value": "x"})
    with pytest.raises(UsageError, match="whose memory"):
        dispatcher.call("memory_admin", {"action": "import"})


def test_project_is_learned_from_its_files(dispatcher: ToolDispatcher, project: Repository) -> None:
    project.write("README.md", "# Shop\n\nA shop that sells apples to people who like apples.\n")
    assert "README.md" in dispatcher.call("memory_init", {"no_models": True}).text
    assert "apples" in dispatcher.call("memory_list", {"types": ["project-brief"]}).text


def test_desk_that_could_not_be_opened_is_opened_by_the_next_call(project: Repository) -> None:
    wrong = [UsageError("the settings are wrong")]

    def make() -> ToolDispatcher:
        if wrong:
            raise wrong.pop()
        return ToolDispatcher([Workspace.open(project.root)], in_background=False)

    with LazyToolDispatcher(make) as late:
        with pytest.raises(UsageError, match="the settings are wrong"):
            late.opened()
        assert late.opened() is late.opened()
