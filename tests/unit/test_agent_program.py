"""What agents' programs print is understood, and what goes wrong with them is named; `tests/agents` has the real ones."""

import json
import sys
from pathlib import Path

import pytest

from codecairn.errors import ProviderRefused, ProviderUnavailable
from codecairn.llm.agent_program import PROGRAMS, AgentProgram
from codecairn.llm.provider import Prompt
from codecairn.paths import user

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs here are scripts")

PROMPT = Prompt(system="List what was settled.", text="We settled on PostgreSQL.")
ANSWER = '{"facts": []}'
PRINTED = {
    "claude-code": [
        {
            "type": "result",
            "is_error": False,
            "result": ANSWER,
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 5},
        }
    ],
    "codex": [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"type": "error", "message": "no metadata"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": ANSWER}},
        {
            "type": "turn.completed",
            "usage": {"input_tokens": 7, "cached_input_tokens": 4, "output_tokens": 5},
        },
    ],
    "opencode": [
        {"type": "step_start", "part": {"type": "step-start"}},
        {"type": "text", "part": {"type": "text", "text": ANSWER}},
        {
            "type": "step_finish",
            "part": {
                "tokens": {
                    "input": 7,
                    "output": 2,
                    "reasoning": 3,
                    "cache": {"read": 4, "write": 0},
                }
            },
        },
    ],
    "gemini-cli": [
        {
            "response": ANSWER,
            "stats": {
                "models": {
                    "flash": {"tokens": {"prompt": 7, "candidates": 2, "cached": 4, "thoughts": 3}}
                }
            },
        }
    ],
}
"""What the real programs print, shortened."""
FAILED = {
    "claude-code": {"is_error": True, "result": "Invalid API key"},
    "codex": {"type": "turn.failed", "error": {"message": "Invalid API key"}},
    "opencode": {"type": "error", "error": {"data": {"message": "Invalid API key"}}},
    "gemini-cli": {"error": {"message": "Invalid API key"}},
}


def _install(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> AgentProgram:
    program = folder / PROGRAMS[name].command
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return AgentProgram(name=name, request_timeout_s=20)


def _prints(folder: Path, *lines: object, before: str = "") -> str:
    output = folder / "output"
    output.write_text(before + "".join(json.dumps(line) + "\n" for line in lines))
    return f"/bin/cat {output}"


@pytest.mark.parametrize("before", ["", "Loaded cached credentials.\n"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_answer_and_its_tokens_are_read(
    name: str, before: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = _prints(tmp_path, *PRINTED[name], before=before)
    program = _install(name, tmp_path, monkeypatch, script)
    reply = program.reply(program.send(PROMPT))
    assert reply.text == ANSWER
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens) == (7, 4, 5)
    assert list((user.data_folder() / "programs").iterdir()) == [], "its folder is removed"


@pytest.mark.parametrize("code", [0, 1])
@pytest.mark.parametrize("name", PROGRAMS)
def test_its_own_words_on_a_failure_are_told(
    name: str, code: int, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"{_prints(tmp_path, FAILED[name])}; exit {code}"
    program = _install(name, tmp_path, monkeypatch, script)
    with pytest.raises(ProviderRefused, match="Invalid API key"):
        program.send(PROMPT)


def test_a_program_reads_the_text_and_starts_in_a_folder_without_hooks(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    script = (
        f"/bin/cat > {seen}; echo $CODECAIRN_HOOKS_CAPTURE $CODECAIRN_HOOKS_INJECT >> {seen}; "
        f"/bin/pwd >> {seen}; {_prints(tmp_path, *PRINTED['claude-code'])}"
    )
    _install("claude-code", tmp_path, monkeypatch, script).send(PROMPT)
    text, folder = seen.read_text().strip().rsplit("\n", 1)
    assert text == f"{PROMPT.text}false false"
    assert Path(folder).parent == (user.data_folder() / "programs").resolve()


def test_a_program_that_is_missing_fails_or_hangs_is_named(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ProviderUnavailable, match="`claude` is not installed"):
        AgentProgram(name="claude-code").send(PROMPT)
    failing = _install("claude-code", tmp_path, monkeypatch, "echo not signed in >&2; exit 1")
    with pytest.raises(ProviderRefused, match="exit code 1: not signed in"):
        failing.send(PROMPT)
    _install("claude-code", tmp_path, monkeypatch, "exec /bin/sleep 60")
    with pytest.raises(ProviderUnavailable, match=r"did not answer within 0\.3 s"):
        AgentProgram(name="claude-code", request_timeout_s=0.1).send(PROMPT)
