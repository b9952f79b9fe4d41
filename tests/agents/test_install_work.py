"""Install, work, uninstall: every byte of every host's settings is as it was, comments and folders included."""

from pathlib import Path

import pytest

from agents.test_install import CONFIGURED, _do, _files, configured
from codecairn.hosts.host_table import HOSTS
from hooks.fixtures import claude_told
from support.command import run
from support.repository import Repository

__all__ = ["configured"]

CHANGED = {
    ".claude.json": ("12", "13"),
    ".codex/config.toml": ('"o5"', '"o6"'),
    ".config/opencode/opencode.jsonc": ("dark", "light"),
    ".gemini/settings.json": ("dark", "light"),
    ".gemini/GEMINI.md": ("rhymes", "prose"),
    ".claude/settings.json": ("opus", "sonnet"),
    ".codex/hooks.json": ('"x"', '"y"'),
    ".cursor/hooks.json": ("audit", "check"),
    ".cursor/mcp.json": ('"mcpServers"', ' "mcpServers"'),
    ".config/Code/User/mcp.json": ("[]", "[1]"),
    ".config/zed/settings.json": ("true", "false"),
}
"""What a host, or its user, changes in a file while we are entered in it."""

SHARED = {
    ".mcp.json": '{\n    "mcpServers": {"other": {"command": "x"}}\n}',
    ".claude/settings.json": '{"permissions": {"allow": ["Bash(make:*)"]}}\n',
    ".codex/config.toml": "# ours, all of us\nmodel = 'o5' # cheap\n",
    ".codex/hooks.json": "{}",
    "opencode.json": '{\r\n  // shared\r\n  "theme": "dark"\r\n}\r\n',
    ".gemini/settings.json": '{ "theme": "dark", "mcpServers": { } }',
    "GEMINI.md": "# Rules\n\nNo tabs.",
    ".cursor/mcp.json": "{}\n",
    ".cursor/hooks.json": '{"version": 1, "hooks": {}}',
    ".vscode/mcp.json": '{\n\t// servers\n\t"servers": {\n\t},\n}',
    ".zed/settings.json": '{\n  // tabs\n  "tab_size": 2,\n}\n',
}
"""What a project's files may hold before."""


@pytest.mark.parametrize("host", HOSTS)
def test_what_a_host_changed_meanwhile_stays_and_nothing_else(host: str, configured: Path) -> None:
    before = _files(configured)
    _do("install", host)
    expected = dict(before)
    for name, (old, new) in CHANGED.items():
        file = configured / name
        text = file.read_bytes()
        assert text.count(old.encode()) >= 1, name
        file.write_bytes(text.replace(old.encode(), new.encode(), 1))
        expected[name] = CONFIGURED[name].encode().replace(old.encode(), new.encode(), 1)
    _do("uninstall", host)
    assert _files(configured) == expected


@pytest.mark.parametrize("host", [name for name in HOSTS if name not in {"hermes", "windsurf"}])
def test_work_in_a_project_leaves_its_files_as_they_were(host: str, project: Repository) -> None:
    project.write_all(SHARED)
    project.commit("settings")
    before = _tree(project.root)
    where = ("--project", "--path", str(project.root))
    _do("install", host, *where)
    assert project.git("status", "--porcelain") != ""
    assert run("search", "verify token", cwd=project.root).code == 0
    assert run("memory", "add", "Tokens live for an hour", cwd=project.root).code == 0
    claude_told(project, "UserPromptSubmit", prompt="where are tokens verified?")
    _do("install", host, *where)
    _do("uninstall", host, *where)
    assert _tree(project.root) == before
    assert project.git("status", "--porcelain") == ""


@pytest.mark.parametrize("host", HOSTS)
def test_folders_that_were_made_go_and_those_that_were_there_stay(host: str, home: Path) -> None:
    kept = {".codex", ".config/opencode/skills", ".cursor/commands", ".gemini", ".claude"}
    for name in kept:
        (home / name).mkdir(parents=True)
    before = {path for path in home.rglob("*") if "codecairn" not in path.parts}
    _do("install", host)
    _do("uninstall", host)
    after = {path for path in home.rglob("*") if path.relative_to(home).parts[0] != "codecairn"}
    assert after == before


@pytest.mark.parametrize("order", [("codex", "claude"), ("claude", "codex")])
def test_hosts_are_taken_out_in_any_order(order: tuple[str, str], configured: Path) -> None:
    before = _files(configured)
    _do("install", "claude", "codex")
    for host in order:
        _do("uninstall", host)
    assert _files(configured) == before


def _tree(root: Path) -> dict[str, bytes | None]:
    """Every file and folder but git's and ours."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
        if not {".git", ".codecairn"} & set(path.relative_to(root).parts)
    }
