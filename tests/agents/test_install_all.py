"""`install --all`: every host that is on this machine, each with what was done for it, and nothing for the others."""

from pathlib import Path

import pytest

from agents.test_install import CONFIGURED, _do, _files, _run, configured
from codecairn.hosts.host_table import HOSTS
from support.command import run
from support.repository import Repository

__all__ = ["configured"]


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `PATH` without programs of hosts; git is not needed."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_every_host_with_a_folder_is_configured_and_restored(
    configured: Path, empty_path: Path
) -> None:
    (configured / ".hermes").mkdir()
    before = _files(configured)
    shown = _do("install", "--all", "--dry-run", "--json").document
    assert _files(configured) == before
    assert [row["agent"] for row in shown["agents"]] == list(HOSTS)
    assert all(row["changes"] and row["problem"] is None for row in shown["agents"])
    assert shown["not_found"] == []
    done = _do("install", "--all", "--json").document
    assert done["dry_run"] is False
    assert {row["agent"]: row["next"] for row in done["agents"]} == {
        name: host.then for name, host in HOSTS.items()
    }
    for name in HOSTS:
        assert "nothing to change" in _do("install", name).out
    _do("uninstall", "--all")
    assert _files(configured) == before


def test_hosts_that_are_not_here_get_nothing(home: Path, empty_path: Path) -> None:
    (home / ".codex").mkdir()
    program = empty_path / "gemini"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    done = _do("install", "--all", "--json").document
    assert [row["agent"] for row in done["agents"]] == ["codex", "gemini"]
    assert done["not_found"] == [name for name in HOSTS if name not in {"codex", "gemini"}]
    assert {Path(name).parts[0] for name in _files(home)} == {
        ".agents", ".codex", ".gemini", "codecairn",
    }  # fmt: skip
    text = _do("install", "--all").out
    assert "Codex CLI: nothing to change" in text
    assert "not found here: Claude Code, OpenCode, Cursor" in text


def test_home_folder_alone_is_no_host(home: Path, empty_path: Path) -> None:
    outcome = _run("install", "--all")
    assert outcome.code == 2
    assert "no host was found" in outcome.err
    assert _files(home) == {}


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_names_and_all_exclude_each_other(command: str, home: Path) -> None:
    outcome = _run(command, "codex", "--all")
    assert outcome.code == 2
    assert "name none with it" in outcome.err
    assert _files(home) == {}


def test_failure_at_one_host_leaves_the_others_configured(
    configured: Path, empty_path: Path
) -> None:
    broken = configured / ".gemini/settings.json"
    broken.write_text("{ this is no json")
    outcome = _run("install", "--all", "--json")
    assert outcome.code == 1
    rows = {row["agent"]: row for row in outcome.document["agents"]}
    assert str(broken) in rows["gemini"]["problem"]["message"]
    assert rows["gemini"]["changes"] == []
    assert rows["codex"]["problem"] is None
    assert "codecairn" in (configured / ".codex/config.toml").read_text()
    assert broken.read_text() == "{ this is no json"
    text = _run("install", "--all").out
    assert "Gemini CLI: failed: " in text


def test_project_gets_the_hosts_that_share_files(
    configured: Path, project: Repository, empty_path: Path
) -> None:
    before = _files(configured)
    done = run("install", "--all", "--project", "--json", cwd=project.root)
    assert done.code == 0, done.err
    names = {row["agent"] for row in done.document["agents"]}
    assert names == set(HOSTS) - {"windsurf", "hermes"}
    assert {name for name in _files(configured) if name in CONFIGURED} == set(before)


def test_dry_run_of_several_shows_what_they_do_together(configured: Path) -> None:
    _do("install", "codex", "opencode")
    shown = _do("uninstall", "codex", "opencode", "--dry-run").out
    shared = str(configured / ".agents/skills/codecairn/SKILL.md")
    assert f"Codex CLI: {shared}" not in shown
    assert f"OpenCode: {shared} would be removed" in shown
