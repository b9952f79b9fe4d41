"""Hooks as they are entered at hosts: they run, other people's stay, and their state is reported."""

import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agents.test_install import CONFIGURED
from codecairn.hosts import hook_events
from codecairn.hosts.jsonc import add_element, read_member, remove_elements
from hooks.fixtures import recorded
from support.command import run
from support.repository import Repository

LAUNCHER = Path("codecairn/data/codecairn-hook")
SETTINGS = ".claude/settings.json"


def _commands(entries: Any) -> list[str]:
    return [hook["command"] for entry in entries for hook in entry["hooks"]]


def _configured(home: Path, name: str) -> Path:
    file = home / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(CONFIGURED[name].encode())
    return file


def test_other_people_s_hooks_stay(home: Path) -> None:
    file = _configured(home, SETTINGS)
    assert run("install", "claude", cwd=home).code == 0
    entered = json.loads(file.read_text())["hooks"]
    assert _commands(entered["Stop"])[0] == "say done"
    assert len(entered["Stop"]) == 2
    assert set(entered) == set(hook_events.CLAUDE)
    text = file.read_text().replace("say done", "say it is done")
    file.write_text(text)
    assert run("uninstall", "claude", cwd=home).code == 0
    assert file.read_text() == CONFIGURED[SETTINGS].replace("say done", "say it is done")


def test_what_is_entered_runs(home: Path, project: Repository) -> None:
    file = _configured(home, SETTINGS)
    assert run("install", "claude", cwd=home).code == 0
    (command,) = _commands(json.loads(file.read_text())["hooks"]["SessionStart"])
    done = subprocess.run(
        command, shell=True, cwd=project.root, input=json.dumps(recorded("claude")[0][1]),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == {}
    assert done.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="no shell to run it")
def test_command_is_nobody_s_trouble_when_the_program_has_gone(home: Path) -> None:
    """Its text is the same for ever, wherever the program is; without one it says nothing."""
    assert run("install", "codex", cwd=home).code == 0
    launcher = home / LAUNCHER
    assert launcher.stat().st_mode & stat.S_IXUSR
    text = launcher.read_text()
    launcher.write_text(text.replace("run.py", "gone.py"))
    done = subprocess.run(
        [launcher, "codex", "Stop"], input="{}", capture_output=True, text=True, check=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home)},
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == ("{}", "")
    assert run("install", "codex", cwd=home).code == 0
    assert launcher.read_text() == text, "installing again mends it"


def test_last_uninstallation_takes_the_command_away(home: Path) -> None:
    assert run("install", "codex", "claude", cwd=home).code == 0
    assert run("uninstall", "codex", cwd=home).code == 0
    assert (home / LAUNCHER).is_file(), "the other one needs it"
    assert run("uninstall", "claude", cwd=home).code == 0
    assert not (home / LAUNCHER).exists()


def test_words_of_a_command_never_change(home: Path) -> None:
    """Codex runs what was approved word for word, and passes over all else in silence."""
    assert run("install", "codex", cwd=home).code == 0
    entered = json.loads((home / ".codex/hooks.json").read_text())["hooks"]
    for event in hook_events.CODEX:
        (entry,) = entered[event]
        command = f"{home / LAUNCHER} codex {event}"
        assert entry == {"hooks": [{"type": "command", "command": command, "timeout": 3}]}


@pytest.mark.parametrize(
    "program",
    [
        "/home/ann/codecairn-hook",
        "/home/an n/codecairn-hook",
        "codecairn",
        r"C:\a b\codecairn.exe",
        r"C:\Users\Ann O'Brien\bin\codecairn.exe",
        r"\\server\share one\codecairn.exe",
    ],
)
def test_commands_are_known_again_however_they_are_written(program: str) -> None:
    for entry in (
        hook_events.claude_entry(program, "Stop"),
        hook_events.codex_entry(program, "Stop"),
        hook_events.gemini_entry(program, "AfterAgent"),
        hook_events.cursor_entry(program, "sessionEnd"),
    ):
        assert hook_events.is_ours(entry)
    assert not hook_events.is_ours({"hooks": [{"command": "codecairn index"}]})
    assert not hook_events.is_ours({"hooks": [{"command": f"{program} hook"}, {"command": "x"}]})


def test_whether_everything_is_in_order_is_told(home: Path) -> None:
    before = run("install", "codex", "--check", cwd=home)
    assert before.code == 1
    assert "missing" in before.out
    assert not (home / ".codex").exists()
    assert run("install", "codex", cwd=home).code == 0
    unapproved = run("install", "codex", "--check", cwd=home)
    assert unapproved.code == 1
    assert "10 to go: not approved" in unapproved.out
    file = home / ".codex/hooks.json"
    approved = [
        f'[hooks.state."{file}:{_snake(event)}:0:0"]\ntrusted_hash = "sha256:1"\n'
        for event in hook_events.CODEX
    ]
    config = home / ".codex/config.toml"
    config.write_text(config.read_text() + "\n" + "\n".join(approved))
    after = run("install", "codex", "--check", "--json", cwd=home)
    assert after.code == 0
    (row,) = after.document["agents"]
    assert {each["state"] for each in row["checks"]} == {"in order"}
    text = config.read_text()
    for before, after in (
        ('trusted_hash = "sha256:1"', 'trusted_hash = "sha256:1"\nenabled = false'),
        ("[hooks.state.", "[features]\nhooks = false\n\n[hooks.state."),
    ):
        config.write_text(text.replace(before, after, 1))
        off = run("install", "codex", "--check", cwd=home)
        assert off.code == 1
        assert "hooks: switched off" in off.out
    config.write_text(text)
    file.write_text(file.read_text().replace("codex Stop", "codex Halt"))
    changed = run("install", "codex", "--check", cwd=home)
    assert changed.code == 1
    assert "another version" in changed.out


def _snake(event: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip(
        "_"
    )


ARRAYS = [
    "{}",
    "",
    '{"hooks": {"Stop": []}}',
    '{"hooks": {"Stop": [1]}}',
    '{\n  "hooks": {\n    "Stop": [\n      {"a": 1}, // kept\n    ],\n  },\n}\n',
    '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"a": []\n\t\t\t}\n\t\t]\n\t}\n}',
    '{"hooks": {"Stop": [ /* none */ ]}}',
]


@pytest.mark.parametrize("text", ARRAYS)
def test_element_is_added_and_taken_out_again(text: str) -> None:
    path, element = ("hooks", "Stop"), {"command": "ours"}
    before = read_member(text, path) if text else None
    after = add_element(text, path, element)
    found = read_member(after, path)
    assert found == [*(before if isinstance(before, list) else []), element]
    left = remove_elements(after, path, lambda each: each == element)
    if before is not None:
        assert left == text
    assert read_member(left, path) == (before if before is not None else [])
