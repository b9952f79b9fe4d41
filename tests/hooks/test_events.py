"""What each host's recorded events mean, as a pure function; and that garbage means nothing and harms nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.hosts import hook_events as registered
from hooks.fixtures import AGENTS, heard, recorded, reply

HERMES = (
    "SessionStart",
    "Prompt",
    "Turn",
    "PreCompress",
    "Delegation",
    "MemoryWrite",
    "SessionEnd",
)
"""The events of our provider."""

SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.mark.parametrize("agent", AGENTS)
def test_recorded_events_mean_what_they_did(agent: str, request: pytest.FixtureRequest) -> None:
    """If a change is meant: remove the file of `snapshots` and run this again."""
    lines = []
    for event, payload in recorded(agent):
        meaning, answer = heard(agent, event, payload), reply(agent, event, "remembered")
        lines.append({"event": event, "heard": meaning, "reply": answer})
    file = SNAPSHOTS / f"{agent}.jsonl"
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        rows = (json.dumps(line, ensure_ascii=False) for line in lines)
        file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert lines == [json.loads(row) for row in file.read_text(encoding="utf-8").splitlines()]


_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS)
@given(data=st.data())
def test_members_of_any_kind_harm_nothing(agent: str, data: st.DataObject) -> None:
    event, payload = data.draw(st.sampled_from(recorded(agent)))
    mangled = dict(payload)
    for name in data.draw(st.lists(st.sampled_from(sorted(payload)), max_size=4)):
        mangled[name] = data.draw(_JSON)
    for record in (heard(agent, event, mangled) or {}).get("records", ()):
        assert record["hook"]
        texts = {name: value for name, value in record.items() if name != "exit_code"}
        assert all(isinstance(value, str) for value in texts.values())


@pytest.mark.parametrize("agent", AGENTS)
def test_every_event_that_we_ask_for_is_understood(agent: str) -> None:
    asked = {
        "claude": registered.CLAUDE,
        "codex": registered.CODEX,
        "gemini": registered.GEMINI,
        "hermes": HERMES,
        "cursor": registered.CURSOR,
        "opencode": ("session-start", "prompt", "tool", "answer", "compacting", "session-end"),
    }[agent]
    known = {event for event, _ in recorded(agent)}
    assert set(asked) <= known, "each has a recorded or documented example"


def test_what_gemini_puts_before_the_first_prompt_is_not_the_user_s_word() -> None:
    prompt = "<hook_context>[MEMORY]\nnote\n[/MEMORY]\n</hook_context>\n\nwho checks tokens?"
    meaning = heard("gemini", "BeforeAgent", {"session_id": "s", "prompt": prompt})
    assert meaning["prompt"] == meaning["records"][0]["body"] == "who checks tokens?"


def test_unknown_events_mean_nothing() -> None:
    for agent in AGENTS:
        assert heard(agent, "Whatever", {"session_id": "s", "session": "s"}) is None
        assert heard(agent, "SessionStart", {}) is None


def test_answers_hold_no_key_that_a_host_refuses() -> None:
    for event in registered.CODEX:
        answer = reply("codex", event, "text")
        if event == "Stop":
            assert answer == {"decision": "block", "reason": "text"}
            continue
        assert set(answer) <= {"hookSpecificOutput"}
        inner = answer.get("hookSpecificOutput", {"hookEventName": event, "additionalContext": ""})
        assert set(inner) == {"hookEventName", "additionalContext"}
        assert inner["hookEventName"] == event
    for event in ("PreCompact", "PostCompact", "SessionEnd", "SubagentStop"):
        assert reply("codex", event, "text") == {}, "it takes no context there"
    assert reply("cursor", "beforeSubmitPrompt", "text") == {"continue": True}


def test_subagents_belong_to_the_session_that_started_them() -> None:
    payload = {"session_id": "s-1", "agent_id": "a-2", "agent_type": "Explore"}
    meaning = heard("claude", "SubagentStart", payload)
    assert (meaning["session"], meaning["parent"]) == ("s-1/a-2", "s-1")
    own = payload | {"agent_type": "", "last_assistant_message": "a summary"}
    assert heard("claude", "SubagentStop", own) is None, "the host's own, which compacts a context"
