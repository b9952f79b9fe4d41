"""`doctor --hosts`: entries, approvals and switches, and the real start of the server and of the hooks."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agents.test_install import _do, _files, _run, configured
from agents.test_install_all import empty_path
from agents.test_start_check import script
from support.command import Outcome, run
from support.repository import Repository

__all__ = ["configured", "empty_path"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="launchers are shell scripts")
DATA = "codecairn/data"


def _rows(outcome: Outcome, host: str, group: str = "agents") -> dict[str, dict[str, Any]]:
    """The checks of a host by what was looked at; the last one of a name."""
    (found,) = [row for row in outcome.document[group] if row["agent"] == host]
    return {row["what"]: row for row in found["checks"]}


def test_configured_hosts_are_started_and_nothing_of_the_user_s_is_changed(
    configured: Path, project: Repository
) -> None:
    _do("install", "claude", "zed", "cursor", "hermes")
    before = _files(configured)
    status = project.git("status", "--porcelain", "--ignored")
    outcome = run("doctor", "--hosts", "--json", cwd=project.root)
    assert outcome.code == 0, outcome.out
    assert [row["agent"] for row in outcome.document["agents"]] == [
        "claude", "cursor", "zed", "hermes",
    ]  # fmt: skip
    for host in ("claude", "zed", "cursor"):
        row = _rows(outcome, host)["the server's start"]
        assert row["state"] == "in order"
        assert "8 tools in" in row["detail"]
    for host in ("claude", "cursor", "hermes"):
        assert "recorded in" in _rows(outcome, host)["the hooks' start"]["detail"]
    assert "the hooks' start" not in _rows(outcome, "zed")
    assert "codex" in outcome.document["not_configured"]
    assert _files(configured) == before
    assert project.git("status", "--porcelain", "--ignored") == status
    text = run("doctor", "--hosts", cwd=project.root).out
    assert "Claude Code: in order (8 tools in" in text
    assert "Codex CLI: not configured; run `codecairn install codex`" in text


def test_no_host_is_no_failure(home: Path, empty_path: Path) -> None:
    outcome = _run("doctor", "--hosts")
    assert outcome.code == 0
    assert "no host was found" in outcome.out


@pytest.mark.parametrize(
    ("change", "state"), [("missing", "missing"), ("other", "another version"), ("mode", "not executable")]
)  # fmt: skip
def test_launcher_that_can_not_start_is_named_with_the_remedy(
    change: str, state: str, home: Path
) -> None:
    _do("install", "zed")
    launcher = home / DATA / "codecairn-command"
    if change == "missing":
        launcher.unlink()
    elif change == "other":
        launcher.write_text("#!/bin/sh\nexit 1\n")
    else:
        launcher.chmod(0o644)
    outcome = _run("doctor", "--hosts", "--json")
    assert outcome.code == 1
    row = _rows(outcome, "zed")["what starts it"]
    assert (row["state"], row["path"]) == (state, str(launcher))
    assert row["hint"] == "`codecairn install zed`"
    assert "the server's start" not in _rows(outcome, "zed")
    _do("install", "zed")
    assert _run("doctor", "--hosts").code == 0, "the remedy is one"


def test_program_that_a_file_names_is_not_started(home: Path, tmp_path: Path) -> None:
    _do("install", "claude")
    file = home / ".claude.json"
    document = json.loads(file.read_text())
    program = script(tmp_path, f"touch {tmp_path / 'started'}")
    document["mcpServers"]["codecairn"]["command"] = program
    file.write_text(json.dumps(document))
    outcome = _run("doctor", "--hosts", "--json")
    assert outcome.code == 1
    assert _rows(outcome, "claude")["the MCP server"]["state"] == "another version"
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("host", "name", "setting", "what"),
    [
        ("claude", ".claude/settings.json", {"disableAllHooks": True}, "hooks"),
        ("gemini", ".gemini/settings.json", {"hooksConfig": {"enabled": False}}, "hooks"),
        ("gemini", ".gemini/settings.json", {"hooksConfig": {"disabled": ["codecairn"]}}, "hooks"),
        ("gemini", ".gemini/settings.json", {"mcp": {"excluded": ["codecairn"]}}, "the MCP server"),
        ("gemini", ".gemini/settings.json", {"mcp": {"allowed": ["other"]}}, "the MCP server"),
    ],
)
def test_what_the_user_switched_off_is_reported(
    host: str, name: str, setting: dict[str, object], what: str, home: Path
) -> None:
    _do("install", host)
    assert _run("install", host, "--check").code == 0
    file = home / name
    file.write_text(json.dumps(json.loads(file.read_text()) | setting))
    outcome = _run("install", host, "--check", "--json")
    assert outcome.code == 1
    row = _rows(outcome, host)[what]
    assert row["state"] == "switched off"
    assert ".".join([next(iter(setting))]) in row["hint"]


def test_project_s_entries_need_the_command_in_the_path(
    project: Repository, home: Path, empty_path: Path
) -> None:
    _do("install", "zed", "--project", "--path", str(project.root))
    outcome = run("doctor", "--hosts", "--json", cwd=project.root)
    assert outcome.code == 1
    assert outcome.document["agents"] == []
    rows = _rows(outcome, "zed", "project_agents")
    assert rows["the MCP server"]["state"] == "in order"
    assert rows["the command"]["state"] == "missing"
    assert "the server's start" not in rows
    (empty_path / "codecairn").write_text("#!/bin/sh\n")
    (empty_path / "codecairn").chmod(0o755)
    assert run("doctor", "--hosts", cwd=project.root).code == 0


def test_user_s_files_are_no_project_s(home: Path) -> None:
    _do("install", "cursor")
    outcome = _run("doctor", "--hosts", "--json")
    assert outcome.document["project_agents"] == []
    assert outcome.code == 0


def test_file_that_can_not_be_read_is_one_check(home: Path) -> None:
    _do("install", "zed")
    file = home / ".config/zed/settings.json"
    file.write_text("{ not json")
    outcome = _run("doctor", "--hosts", "--json")
    assert outcome.code == 1
    (row,) = _rows(outcome, "zed").values()
    assert (row["state"], row["path"]) == ("not readable", str(file))


def test_options_of_an_index_do_not_go_with_hosts(home: Path) -> None:
    outcome = _run("doctor", "--hosts", "--repair")
    assert outcome.code == 2
    assert "leave them out" in outcome.err
