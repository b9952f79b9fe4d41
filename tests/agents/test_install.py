"""Installing at hosts: what is entered works, the rest stays as it was, and uninstalling leaves every byte as before."""

import json
import os
from pathlib import Path

import pytest
import tomllib

from codecairn.hosts.host_table import HOSTS
from support.command import Outcome
from support.command import run as run_in
from support.repository import Repository

CONFIGURED = {
    ".claude.json": '{\n  "numStartups": 12,\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}',
    ".codex/config.toml": '# mine\nmodel = "o5"\n\n[mcp_servers.other]\ncommand = "x" # kept\n',
    ".config/opencode/opencode.jsonc": '{\n\t// my own\n\t"theme": "dark",\n}\n',
    ".gemini/settings.json": '{"theme": "dark"}',
    ".gemini/GEMINI.md": "# Mine\n\nAlways answer in rhymes.",
    ".claude/settings.json": (
        '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command", "command": "say done"}]}\n'
        '    ],\n    "SessionEnd": []\n  }\n}\n'
    ),
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
    ".cursor/hooks.json": '{\n  // mine\n  "version": 1,\n  "hooks": {\n    "stop": [{"command": "./audit.sh"}],\n  },\n}\n',
    ".cursor/mcp.json": '{\r\n  "mcpServers": {}\r\n}\r\n',
    ".config/Code/User/mcp.json": '{"servers": {}, "inputs": []}\n',
    ".config/zed/settings.json": '// Zed\n{\n  "vim_mode": true, // of course\n}\n',
    ".codeium/windsurf/mcp_config.json": "{}",
}


@pytest.fixture
def configured(home: Path) -> Path:
    """A home folder in which every host has settings."""
    for name, text in CONFIGURED.items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return home


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "installations.json"
    }


def _run(*arguments: str) -> Outcome:
    return run_in(*arguments, cwd=Path.home())


def _do(*arguments: str) -> Outcome:
    outcome = _run(*arguments)
    assert outcome.code == 0, outcome.err
    return outcome


@pytest.mark.parametrize("host", HOSTS)
def test_uninstalling_leaves_every_byte_as_before(host: str, configured: Path) -> None:
    before = _files(configured)
    _do("install", host)
    during = _files(configured)
    assert during != before
    _do("install", host)
    assert _files(configured) == during, "a second installation changes nothing"
    _do("uninstall", host)
    assert _files(configured) == before


@pytest.mark.parametrize("host", HOSTS)
def test_nothing_is_left_where_nothing_was(host: str, home: Path) -> None:
    _do("install", host)
    assert _files(home)
    _do("uninstall", host)
    assert _files(home) == {}


@pytest.mark.parametrize("host", [name for name in HOSTS if name not in {"hermes", "windsurf"}])
def test_project_gets_files_that_can_be_shared(host: str, project: Repository, home: Path) -> None:
    _do("install", host, "--project", "--path", str(project.root))
    new = project.git("status", "--porcelain", "--untracked-files=all").splitlines()
    assert new
    for line in new:
        text = (project.root / line[3:]).read_text()
        assert str(home) not in text
        assert str(project.root) not in text
    _do("uninstall", host, "--project", "--path", str(project.root))
    assert project.git("status", "--porcelain", "--ignored") == ""


def test_what_was_changed_meanwhile_stays_and_ours_goes(configured: Path) -> None:
    claude, codex = configured / ".claude.json", configured / ".codex/config.toml"
    _do("install", "claude", "codex")
    claude.write_text(claude.read_text().replace("12", "13"))
    codex.write_text(codex.read_text() + '\n[mcp_servers.later]\ncommand = "y"\n')
    _do("uninstall", "claude", "codex")
    assert claude.read_text() == CONFIGURED[".claude.json"].replace("12", "13")
    left = tomllib.loads(codex.read_text())
    assert left == {
        "model": "o5",
        "mcp_servers": {"other": {"command": "x"}, "later": {"command": "y"}},
    }
    assert "# mine" in codex.read_text()


def test_dry_run_shows_the_changes_and_makes_none(configured: Path) -> None:
    before = _files(configured)
    said = _do("install", "zed", "--dry-run").out
    assert "would be changed" in said
    assert '+  "context_servers": {' in said
    shown = [line for line in said.splitlines() if line.startswith("    +")]
    assert not any(line.endswith("dim") for line in shown), "a style is not part of the text"
    assert _files(configured) == before
    document = _do("install", "zed", "--dry-run", "--json").document
    (row,) = document["agents"]
    assert row["changes"][0]["change"] == "changed"


@pytest.mark.parametrize(
    ("name", "text", "host"),
    [
        (".gemini/settings.json", "{ this is no json", "gemini"),
        (".gemini/settings.json", '{"mcpServers": []}', "gemini"),
        (".codex/config.toml", "[broken", "codex"),
        (".cursor/mcp.json", b"\xff\xfe{}", "cursor"),
    ],
)
def test_file_that_can_not_be_read_is_left_as_it_is(
    home: Path, name: str, text: str | bytes, host: str
) -> None:
    file = home / name
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    outcome = _run("install", host)
    assert outcome.code == 1
    assert str(file) in outcome.err
    assert "was left as it is" in outcome.err
    assert _files(home) == {name: file.read_bytes()}


def test_entry_starts_the_server(configured: Path, project: Repository) -> None:
    """What was entered for a host is what it starts: it must speak."""
    import subprocess

    from agents.test_mcp_transports import INITIALIZE

    _do("install", "gemini")
    entry = json.loads((configured / ".gemini/settings.json").read_text())["mcpServers"][
        "codecairn"
    ]
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        cwd=project.root, input=json.dumps(INITIALIZE) + "\n", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "codecairn"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_link_stays_a_link(configured: Path, tmp_path: Path) -> None:
    """Settings that are kept elsewhere, as in a folder of dot files."""
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n")
    file = configured / ".gemini/settings.json"
    file.unlink()
    file.symlink_to(real)
    _do("install", "gemini")
    assert file.is_symlink()
    assert "codecairn" in real.read_text()
    _do("uninstall", "gemini")
    assert file.is_symlink()
    assert real.read_text() == "{}\n"


def test_host_without_settings_of_a_project_is_told(project: Repository) -> None:
    outcome = _run("install", "windsurf", "--project", "--path", str(project.root))
    assert outcome.code == 2
    assert "leave `--project` out" in outcome.err
