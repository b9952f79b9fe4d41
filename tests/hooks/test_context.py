"""What is put before an agent: what it should know, in its time, once."""

import json
from pathlib import Path

from codecairn import Workspace
from codecairn.trust.registry import trust
from hooks.fixtures import PROMPT, added, claude_told, context_of, events_of, looked_after
from support.repository import Repository

TOKEN = "shop/tokens.py::verify_token"


def test_session_begins_with_what_is_remembered(project: Repository) -> None:
    first = added(project, "Use pytest, never unittest", type="rule")
    looked_after(project)
    second = added(project, "Tokens are signed with Ed25519", type="decision")
    text = context_of(claude_told(project, "SessionStart", source="startup"))
    assert text.startswith("[MEMORY]\n")
    assert first in text, "made beforehand"
    assert second in text, "told since"
    again = context_of(claude_told(project, "SessionStart", source="resume"))
    assert again == "", "an agent that is resumed has it"
    assert "[MEMORY]" not in json.dumps([each.body for each in events_of(project)])


def test_what_was_forgotten_since_is_not_shown(project: Repository) -> None:
    kept = added(project, "Use pytest, never unittest", type="rule")
    gone = added(project, "The port is 8080 for everybody", type="decision")
    looked_after(project)
    with Workspace.open(project.root) as workspace:
        workspace.memory.forget(gone)
    text = context_of(claude_told(project, "SessionStart", source="startup"))
    assert kept in text
    assert gone not in text
    assert "8080" not in text


def test_what_is_private_is_not_shown(project: Repository) -> None:
    def tell(name: str) -> None:
        """The same in public and in private."""
        for word, tags in (("public", ()), ("private", ("private",))):
            text = f"Session tokens are verified by the {word} {name}"
            added(project, text, type="rule", symbols=[TOKEN], privacy_tags=tags)

    tell("heron")
    looked_after(project)
    tell("stork")
    with Workspace.open(project.root) as workspace:
        for word, tags in (("public", ()), ("private", ("private",))):
            text = f"Session tokens are verified here by the {word} ibis"
            workspace.memory.record("s-0", text, role="assistant", privacy_tags=tags)
    read = {"tool_name": "Read", "tool_input": {"file_path": str(project.root / "shop/tokens.py")}}
    told = {
        "heron": claude_told(project, "SessionStart", source="startup"),
        "ibis": claude_told(project, "UserPromptSubmit", prompt=PROMPT),
        "stork": claude_told(project, "PreToolUse", session="s-2", **read),
    }
    text = "".join(context_of(answer) for answer in told.values())
    assert [name for name in told if f"public {name}" not in text] == []
    assert "private" not in text


def test_prompt_is_answered_by_what_is_remembered_once(project: Repository) -> None:
    claude_told(project, "SessionStart", source="startup")
    fact = added(project, "Session tokens are verified by comparing signatures", type="note")
    claude_told(project, "UserPromptSubmit", session="s-0", prompt="say hello to everybody please")
    text = context_of(claude_told(project, "UserPromptSubmit", prompt=PROMPT))
    assert fact in text
    assert context_of(claude_told(project, "UserPromptSubmit", prompt=f"{PROMPT} again")) == ""


def test_agent_is_not_shown_what_it_said_itself(project: Repository) -> None:
    claude_told(project, "SessionStart", source="startup")
    text = "We decided to use JWT tokens because cookies are awkward"
    assert context_of(claude_told(project, "UserPromptSubmit", prompt=text)) == ""
    more = context_of(
        claude_told(project, "UserPromptSubmit", prompt="which tokens did we decide to use?")
    )
    assert "JWT" not in more
    other = context_of(claude_told(project, "SessionStart", session="s-2", source="startup"))
    assert "JWT" in other


def test_prompt_that_nothing_answers_adds_nothing(project: Repository) -> None:
    claude_told(project, "SessionStart", source="startup")
    added(project, "Session tokens are verified by comparing signatures", type="note")
    claude_told(project, "UserPromptSubmit", prompt="say something about the weather of tomorrow")
    unrelated = "bake a cake with strawberries and cream"
    assert context_of(claude_told(project, "UserPromptSubmit", prompt=unrelated)) == ""


def test_file_s_memories_are_shown_before_it_is_used(project: Repository) -> None:
    trust(project.root)
    place = "shop/tokens.py::verify_token"
    fact = added(project, "Must stay constant in time", type="rule", symbols=[place])
    looked_after(project)
    given = {"tool_name": "Edit", "tool_input": {"file_path": str(project.root / "shop/tokens.py")}}
    text = context_of(claude_told(project, "PreToolUse", **given))
    assert fact in text
    assert context_of(claude_told(project, "PreToolUse", **given, tool_use_id="t-2")) == "", "once"
    other = {"tool_name": "Read", "tool_input": {"file_path": str(project.root / "shop/basket.py")}}
    assert context_of(claude_told(project, "PreToolUse", **other)) == ""
    project.write("shop/tokens.py", "def verify_token(token):\n    return token == 'x' * 3\n")
    changed = context_of(claude_told(project, "PreToolUse", session="s-2", **given))
    assert f"{place} changed since noted, {fact})" in changed
    assert "\n    +    return token == 'x' * 3\n" in changed
    project.write("shop/tokens.py", "import os\n")
    missing = context_of(claude_told(project, "PreToolUse", session="s-3", **given))
    assert f"{place} not checked, {fact})" in missing, "hooks do not ask the index"


def test_context_comes_back_after_a_compaction(project: Repository) -> None:
    fact = added(project, "Use pytest, never unittest", type="rule")
    looked_after(project)
    claude_told(project, "SessionStart", source="startup")
    claude_told(project, "UserPromptSubmit", prompt="please repair the basket's rounding of prices")
    claude_told(project, "PreCompact", trigger="auto")
    text = context_of(claude_told(project, "SessionStart", source="compact"))
    assert "rounding of prices" in text, "what it was at"
    assert fact in text, "and what it is to know"
    assert len(text) <= 9_000


def test_what_changed_since_it_was_shown_is_told_once(project: Repository) -> None:
    trust(project.root)
    place = "shop/tokens.py::verify_token"
    fact = added(project, "Must stay constant in time", type="rule", symbols=[place])
    looked_after(project)
    assert fact in context_of(claude_told(project, "SessionStart", source="startup"))
    project.write("shop/tokens.py", "def verify_token(token):\n    return token == 'x' * 3\n")
    text = context_of(claude_told(project, "UserPromptSubmit", prompt="bake a cake with cream"))
    assert "## Changed Since Noted" in text
    assert f"{place} changed since noted" in text
    assert "\n    +    return token == 'x' * 3\n" in text
    again = claude_told(project, "UserPromptSubmit", prompt="bake another cake with cream")
    assert context_of(again) == ""


def test_answer_whose_code_changed_is_marked_and_not_announced_again(project: Repository) -> None:
    trust(project.root)
    place = "shop/tokens.py::verify_token"
    fact = added(project, "Comparing tokens takes constant time", type="rule", symbols=[place])
    project.write("shop/tokens.py", "def verify_token(token):\n    return token == 'x' * 3\n")
    claude_told(project, "SessionStart", source="startup")
    given = {"prompt": "does comparing tokens take constant time?"}
    text = context_of(claude_told(project, "UserPromptSubmit", session="s-9", **given))
    assert text.count(fact) == 1
    assert f"{place} changed since noted, {fact})" in text
    assert "\n    +    return token == 'x' * 3\n" in text
    again = claude_told(project, "UserPromptSubmit", session="s-9", **given)
    assert context_of(again) == ""


def test_changed_code_is_not_shown_where_the_workspace_is_not_trusted(project: Repository) -> None:
    place = "shop/tokens.py::verify_token"
    added(project, "Comparing tokens takes constant time", type="rule", symbols=[place])
    project.write("shop/tokens.py", "def verify_token(token):\n    return token == 'x' * 3\n")
    given = {"prompt": "does comparing tokens take constant time?"}
    text = context_of(claude_told(project, "UserPromptSubmit", session="s-9", **given))
    assert f"{place} changed since noted" in text
    assert "'x' * 3" not in text


def test_what_was_purged_is_not_left_in_what_was_made_beforehand(
    project: Repository, home: Path
) -> None:
    fact = added(project, "The unspeakable word is xylophonist", type="rule")
    looked_after(project)
    assert "xylophonist" in context_of(claude_told(project, "SessionStart", source="startup"))
    with Workspace.open(project.root) as workspace:
        workspace.memory.purge(fact)
    for file in (home / "codecairn").rglob("*"):
        assert not file.is_file() or b"xylophonist" not in file.read_bytes(), file
    assert context_of(claude_told(project, "SessionStart", session="s-2", source="startup")) == ""
