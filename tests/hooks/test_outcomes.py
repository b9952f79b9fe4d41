"""How calls of tools ended, by what each host was recorded to send: passed, failed, or neither; and the fact that follows."""

import json
from pathlib import Path

import pytest

from codecairn import Workspace
from hooks.fixtures import heard, hooked, outcomes
from support.repository import Repository

FILE = "shop/tokens.py"
FAILED = "error: token is not fixed\nmake: *** [Makefile:4: check] Error 1"

Outcome = tuple[str, int | None, str]
"""A command or a file, the exit code, and the category if the event has one."""

CLAUDE: list[Outcome] = [
    ("make check", 2, "error"),
    (FILE, None, "error"),  # an edit of a file that was not read first
    (FILE, None, ""),
    (FILE, None, ""),
    ("make check", 0, ""),
    ("sleep 3; echo late", None, ""),  # in the background
    ("echo slow; sleep 5; echo never", None, ""),  # in the background after a time
    ("grep nothing shop/tokens.py", None, ""),
    ("false", 1, "error"),
]
CODEX: list[Outcome] = [
    ("make check", 2, ""),
    (FILE, None, "file-edit"),
    ("make check", 0, ""),
    ("sleep 2; echo polled; exit 4", 4, ""),
    ("kill -9 $$", 137, ""),
]
GEMINI: list[Outcome] = [
    ("make check", 2, ""),
    (FILE, None, ""),
    (FILE, None, ""),
    ("make check", 0, ""),
    ("sleep 9", None, ""),  # in the background
    ("echo slow; sleep 8; echo never", None, ""),  # cancelled after a time
    ("kill -9 $$", 137, ""),
    ("sleep 1 & echo started", 0, ""),
]
OPENCODE: list[Outcome] = [
    ("make check", 2, ""),
    (FILE, None, "error"),
    (FILE, None, ""),
    (FILE, None, ""),
    ("make check", 0, ""),
    ("echo slow; sleep 8; echo never", None, ""),  # cancelled after a time
]
EXPECTED = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI, "opencode": OPENCODE}


@pytest.mark.parametrize("agent", EXPECTED)
def test_calls_that_passed_are_told_from_those_that_failed(agent: str, tmp_path: Path) -> None:
    found: list[Outcome] = []
    for event, payload in outcomes(agent, tmp_path):
        for record in (heard(agent, event, payload) or {}).get("records", ()):
            if record["role"] == "tool":
                path = str(record.get("path", "")).removeprefix(f"{tmp_path}/")
                what = record.get("command") or path
                found.append((what, record.get("exit_code"), record.get("category", "")))
    assert found == EXPECTED[agent]


@pytest.mark.parametrize("agent", EXPECTED)
def test_error_and_its_fix_become_a_fact(agent: str, project: Repository) -> None:
    for event, payload in outcomes(agent, project.root):
        hooked(agent, event, payload, cwd=project.root)
    with Workspace.open(project.root) as workspace:
        facts = workspace.memory.list(types=["error-solution"])
    assert [fact.text for fact in facts] == [
        "`make check` failed with `error: token is not fixed`; it passes after changing `shop/tokens.py`"
    ]


def test_what_a_call_was_refused_is_no_change(tmp_path: Path) -> None:
    """In a batch, a command or an edit that the user has to allow first looks like one that was done."""
    refused = [row for row in outcomes("claude", tmp_path) if "requires approval" in str(row)]
    refused += [row for row in outcomes("claude", tmp_path) if "requested permissions" in str(row)]
    assert len(refused) == 2
    assert [heard("claude", event, payload) for event, payload in refused] == [None, None]


def test_what_claude_code_says_in_the_user_s_name_is_not_recorded(tmp_path: Path) -> None:
    prompts = [payload for event, payload in outcomes("claude", tmp_path) if "prompt" in payload]
    meanings = [heard("claude", "UserPromptSubmit", payload) for payload in prompts]
    assert [each and each["prompt"] for each in meanings] == ["do it", None]


def _code_by(transcript: Path) -> object:
    """How Codex's command ended, by its transcript."""
    payload = {
        "session_id": "s",
        "transcript_path": str(transcript),
        "tool_name": "Bash",
        "tool_use_id": "call-1",
        "tool_input": {"command": "make"},
        "tool_response": "the exit code 3 of another",
    }
    return heard("codex", "PostToolUse", payload)["records"][0].get("exit_code")


def test_line_of_a_long_transcript_is_found(tmp_path: Path) -> None:
    item = {"type": "CommandExecution", "id": "call-1", "exit_code": 2}
    line = json.dumps({"payload": {"item": item}}, separators=(",", ":"))
    file = tmp_path / "transcript.jsonl"
    file.write_text("x" * 3_000_000 + f"\n{line}\n")
    assert _code_by(file) == 2
