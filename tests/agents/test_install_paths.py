"""Paths with spaces, quotes and backslashes in what is written: each host starts the program that is meant."""

import ast
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import tomllib

from agents.test_install import _do, _files
from codecairn.hosts import hook_events
from codecairn.hosts.edits import JsonMember, OwnFile, TomlTable
from codecairn.hosts.host_table import HOSTS, Place
from codecairn.hosts.start_check import server_command
from hooks.fixtures import recorded
from support.command import run
from support.repository import Repository

AWKWARD = "An O'Brien $HOME é (x86)"
WINDOWS = [
    r"C:\Users\ann\AppData\Local\codecairn\codecairn.exe",
    r"C:\Users\Ann O'Brien\bin\codecairn.exe",
    r"\\server\share one\codecairn.exe",
]


@pytest.fixture
def awkward_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder whose name has what shells read as their own."""
    home = tmp_path / AWKWARD
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CODECAIRN_HOME", str(home / "codecairn"))
    return home


@pytest.mark.skipif(os.name == "nt", reason="launchers are shell scripts")
def test_hosts_of_an_awkward_home_folder_start_what_is_meant(
    awkward_home: Path, project: Repository
) -> None:
    names = [name for name in HOSTS if name != "codex"]  # whose approvals would be missing
    _do("install", *names)
    outcome = run("doctor", "--hosts", "--json", cwd=project.root)
    assert outcome.code == 0, outcome.out
    assert [row["agent"] for row in outcome.document["agents"]] == names
    _do("uninstall", *names)
    assert _files(awkward_home) == {}


@pytest.mark.skipif(os.name == "nt", reason="there is no sh")
@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("cursor", ".cursor/hooks.json"),
    ],
)
def test_hook_of_an_awkward_home_folder_runs_in_a_shell(
    host: str, name: str, awkward_home: Path, project: Repository
) -> None:
    _do("install", host)
    entries = json.loads((awkward_home / name).read_text())["hooks"]
    commands = [
        hook["command"]
        for event in entries.values()
        for entry in event
        for hook in entry.get("hooks", [entry])
    ]
    assert commands
    payload = json.dumps(recorded("claude")[0][1])
    done = subprocess.run(
        ["/bin/sh", "-c", commands[0]], cwd=project.root, input=payload, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert isinstance(json.loads(done.stdout), dict)
    assert done.stderr == ""


@pytest.mark.parametrize("program", WINDOWS)
@pytest.mark.parametrize("host", HOSTS)
def test_server_s_path_on_windows_is_read_as_it_was_written(host: str, program: str) -> None:
    home = Path("/home/ann")
    place = Place(scope="user", home=home, root=home, program=program, hook=program)
    edits = HOSTS[host].edits(place)
    for edit in edits:
        if isinstance(edit, OwnFile) and edit.path.name == "__init__.py":
            tree = ast.parse(edit.content)
            assigned: dict[str, Any] = {
                ast.unparse(node.targets[0]): ast.literal_eval(node.value)
                for node in tree.body
                if isinstance(node, ast.Assign)
                and ast.unparse(node.targets[0]) in {"PROGRAM", "HOOK"}
            }
            assert assigned == {"PROGRAM": [program], "HOOK": [program, "hook"]}
        if isinstance(edit, OwnFile) and edit.path.suffix == ".js":
            assert json.dumps([program, "hook"]) in edit.content
        if isinstance(edit, JsonMember) and edit.member[-1] == "codecairn":
            read = json.loads(edit.applied(""))[edit.member[0]]["codecairn"]
            assert read == edit.value
        if isinstance(edit, TomlTable):
            assert tomllib.loads(edit.applied(""))["mcp_servers"]["codecairn"] == edit.values
    if host != "hermes":
        assert server_command(edits)[:2] == [program, "mcp"]


@pytest.mark.parametrize("program", WINDOWS)
def test_claude_starts_a_hook_on_windows_without_a_shell(program: str) -> None:
    (hook,) = hook_events.claude_entry(program, "Stop")["hooks"]  # type: ignore[misc]
    assert hook == {
        "type": "command", "command": program, "args": ["hook", "claude", "Stop"], "timeout": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("agent", "program", "expected"),
    [
        ("codex", WINDOWS[0], f"{WINDOWS[0]} hook codex Stop"),
        ("codex", WINDOWS[1], f'"{WINDOWS[1]}" hook codex Stop'),
        ("cursor", WINDOWS[2], f'"{WINDOWS[2]}" hook cursor Stop'),
        ("gemini", WINDOWS[0], f"& '{WINDOWS[0]}' hook gemini Stop"),
        ("gemini", WINDOWS[1], r"& 'C:\Users\Ann O''Brien\bin\codecairn.exe' hook gemini Stop"),
        ("codex", "codecairn", "codecairn hook codex Stop"),
        ("codex", "/home/ann/codecairn-hook", "/home/ann/codecairn-hook codex Stop"),
        ("codex", "/home/an n/codecairn-hook", "'/home/an n/codecairn-hook' codex Stop"),
    ],
)
def test_command_is_quoted_for_the_shell_of_its_host(
    agent: str, program: str, expected: str
) -> None:
    assert hook_events.command_of(program, agent, "Stop") == expected
