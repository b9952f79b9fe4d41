"""`uninstall --all --data`: after everything was used once, a home folder is byte for byte what it was before."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agents.conftest import Talker, talk
from codecairn.hosts.host_table import HOSTS
from codecairn.paths.entries import DATA_ENTRIES, is_own_entry
from hooks.fixtures import AGENTS
from support.command import Outcome, command
from support.command import run as run_in
from support.repository import SMALL_PROJECT, Repository
from support.watched import watch_one_change

__all__ = ["talk"]

PROJECT_HOSTS = [name for name in HOSTS if name not in {"hermes", "windsurf"}]
CONFIGURED = {
    ".claude.json": '{\n  "numStartups": 12,\n  "mcpServers": {}\n}',
    ".codex/config.toml": '# mine\nmodel = "o5"\n',
    ".config/other/settings.json": "{}",
    ".config/zed/settings.json": '// Zed\n{\n  "vim_mode": true,\n}\n',
    ".gemini/GEMINI.md": "# Mine\n\nAlways answer in rhymes.",
    ".local/share/other/data": "theirs",
    "documents/refunds.md": "# Refunds\n\nPaid by transfer.\n",
}
TEAM = {
    ".codecairn/.gitignore": "*\n!/memory/\n!/memory/*.jsonl\n!/memory/.gitattributes\n",
    ".codecairn/memory/.gitattributes": "*.jsonl merge=union text eol=lf\n",
    ".codecairn/memory/decisions.jsonl": "",
    ".codecairn.toml": "[search]\nlimit = 7\n",
    ".mcp.json": '{"mcpServers": {"other": {"command": "x"}}}\n',
}


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A project with a team's shared memory, in a home folder with hosts' settings; data lies in the usual places."""
    monkeypatch.delenv("CODECAIRN_HOME")
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    for name, text in CONFIGURED.items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    project = Repository.make(home / "projects" / "shop")
    project.write_all({**SMALL_PROJECT, **TEAM})
    project.git("add", "--force", "--all")
    project.commit("first")
    Repository.make(home / "projects" / "beside").write_all(SMALL_PROJECT)
    return project


def _seen(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Every entry below a folder: its kind, content, and a file's mode.

    A store in a workspace makes its folder private; git tracks no modes of folders.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        if path.is_symlink():
            kind, content = "link", os.fsencode(path.readlink())
        elif path.is_dir():
            kind, content = "folder", b""
        else:
            kind, content = "file", path.read_bytes()
        mode = state.st_mode if kind == "file" else 0
        found[path.relative_to(folder).as_posix()] = (kind, mode, content)
    return found


def _do(project: Repository, *arguments: str, stdin: str = "") -> Outcome:
    outcome = run_in(*arguments, cwd=project.root, stdin=stdin)
    assert outcome.code == 0, (arguments, outcome.err)
    return outcome


def _use_everything(project: Repository, home: Path, talk: Talker) -> None:
    _do(project, "config", "set", "--user", "search.limit", "9")
    for host in HOSTS:
        _do(project, "install", host)
    for host in PROJECT_HOSTS:
        _do(project, "install", host, "--project")
    _do(project, "index")
    _do(project, "search", "who verifies tokens")
    _do(project, "impact")
    _do(project, "visualize", "--no-open")
    _do(project, "memory", "add", "Tokens live for an hour", "--type", "decision")
    _do(project, "memory", "search", "tokens")
    _do(project, "memory", "work")
    _do(project, "knowledge", "add", str(home / "documents"))
    _do(project, "search", "refunds")
    _do(project, "doctor")
    _do(project, "trust")
    inside = {"CODECAIRN_SCOPE": "workspace"}
    beside = Repository(home / "projects" / "beside")
    assert run_in("index", cwd=beside.root, environment=inside).code == 0
    assert run_in("visualize", "--no-open", cwd=beside.root, environment=inside).code == 0
    assert (beside.root / ".codecairn" / "graph.html").exists()
    assert run_in("index", cwd=project.root, environment=inside).code == 0
    payload = {"session_id": "s-1", "cwd": str(project.root), "prompt": "hello", "text": "hello"}
    for agent in AGENTS:
        for event in ("SessionStart", "UserPromptSubmit", "beforeSubmitPrompt", "Stop"):
            _do(project, "hook", "--wait", agent, event, stdin=json.dumps(payload))
    talk(lambda session: session.list_tools(), str(project.root))
    watch_one_change(project.root)


def test_home_is_as_it_was_before_everything_was_used(
    project: Repository, home: Path, talk: Talker
) -> None:
    before = _seen(home)
    _use_everything(project, home, talk)
    during = _seen(home)
    data = home / ".local" / "share" / "codecairn"
    assert {"memory.db", "hooks", "installations.json", "knowledge", "stores"} <= {
        path.name for path in data.iterdir()
    }
    assert [path.name for path in data.iterdir() if not is_own_entry(path.name)] == []
    if os.name == "posix":
        assert data.stat().st_mode & 0o777 == 0o700, "nobody else reads what lies in it"
    dry = _do(project, "uninstall", "--all", "--data", "--dry-run", "--json").document
    assert {row["path"] for row in dry["removed"]} >= {str(data / "memory.db"), str(data / "hooks")}
    assert _seen(home) == during, "a dry run changes nothing"
    _do(project, "uninstall", "--all", "--data", "--yes")
    after = _seen(home)
    assert sorted(set(after) ^ set(before)) == []
    assert [name for name in before if after[name] != before[name]] == []


def test_without_data_hosts_are_left_and_data_stays(project: Repository, home: Path) -> None:
    before = _seen(home)
    for host in HOSTS:
        _do(project, "install", host)
    for host in PROJECT_HOSTS:
        _do(project, "install", host, "--project")
    _do(project, "memory", "add", "Tokens live for an hour")
    _do(project, "uninstall", "--all")
    left = set(_seen(home)) - set(before)
    assert ".local/share/codecairn/memory.db" in left
    assert all(name.startswith(".local/share/codecairn") for name in left)
    after = _seen(home)
    assert [name for name in before if after[name] != before[name]] == []


def test_data_is_not_removed_unasked(project: Repository, home: Path) -> None:
    _do(project, "memory", "add", "Tokens live for an hour")
    before = _seen(home)
    for arguments, error in (
        (("--all", "--data"), "add `--yes`"),
        (("--data",), "add `--all`"),
        (("zed", "--data"), "add `--all`"),
        (("zed", "--all"), "name none"),
        ((), "which host?"),
    ):
        outcome = run_in("uninstall", *arguments, cwd=project.root)
        assert outcome.code == 2
        assert error in outcome.err, outcome.err
    assert _seen(home) == before


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("answer", "code"), [("n", 2), ("y", 0)])
def test_person_is_asked_before_data_is_removed(
    answer: str, code: int, project: Repository, home: Path
) -> None:
    import pty

    _do(project, "memory", "add", "Tokens live for an hour")
    own, theirs = pty.openpty()
    os.write(own, f"{answer}\n".encode())
    process = subprocess.run(
        command("uninstall", "--all", "--data"),
        cwd=project.root, stdin=theirs, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    os.close(own)
    os.close(theirs)
    data = home / ".local" / "share" / "codecairn"
    assert process.returncode == code, process.stderr
    assert str(data / "memory.db") in process.stderr
    assert data.exists() is (answer == "n")


def test_links_are_not_followed_and_other_folders_stay(project: Repository, home: Path) -> None:
    """A clone that came to lie where an index was made, links in an index, and links where a project had our files."""
    treasure = home / "treasure"
    treasure.mkdir()
    (treasure / "codecairn.txt").write_text("codecairn hook claude Stop\n")
    shutil.copytree(treasure, home / "spare")
    _do(project, "install", "claude", "--project")
    data = home / ".local" / "share" / "codecairn"
    for scope in ("stores", "hooks/claims"):
        (data / scope).mkdir(parents=True, exist_ok=True)
        (data / scope / "link").symlink_to(treasure)
    (data / "notes-of-mine").write_text("mine")
    skill = project.root / ".claude" / "skills" / "codecairn"
    shutil.rmtree(skill)
    skill.symlink_to(treasure)
    (treasure / "SKILL.md").write_text("mine as well")
    outcome = run_in("uninstall", "--all", "--data", "--yes", cwd=project.root)
    assert outcome.code == 1
    assert f"`{skill}` is a link" in outcome.err
    assert {path.name for path in treasure.iterdir()} == {"codecairn.txt", "SKILL.md"}
    assert {path.name for path in data.iterdir()} == {"notes-of-mine", "installations.json"}
    skill.unlink()
    _do(project, "uninstall", "--all", "--data", "--yes")
    assert {path.name for path in data.iterdir()} == {"notes-of-mine"}


def test_memory_that_the_settings_put_elsewhere_goes_and_its_neighbours_stay(
    project: Repository, home: Path
) -> None:
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "notes.db").write_text("mine")
    (elsewhere / "memory.db.mine").write_text("mine as well")
    _do(project, "config", "set", "--user", "memory.path", str(elsewhere / "memory.db"))
    _do(project, "memory", "add", "Tokens live for an hour")
    assert (elsewhere / "memory.db").exists()
    rows = _do(project, "uninstall", "--all", "--data", "--dry-run", "--json").document["removed"]
    paths = [row["path"] for row in rows]
    assert paths.count(str(elsewhere / "memory.db")) == 1
    _do(project, "uninstall", "--all", "--data", "--yes")
    assert {path.name for path in elsewhere.iterdir()} == {"notes.db", "memory.db.mine"}


def test_index_of_another_clone_at_the_path_stays(project: Repository, home: Path) -> None:
    environment = {"CODECAIRN_SCOPE": "workspace"}
    run_in("index", cwd=project.root, environment=environment)
    inside = project.root / ".codecairn"
    assert (inside / "index.db").exists()
    moved = inside.rename(home / "old")
    shutil.copytree(moved, inside)
    before = _seen(inside)
    _do(project, "uninstall", "--all", "--data", "--yes")
    assert _seen(inside) == before


def test_every_name_of_the_data_folder_says_what_it_is() -> None:
    assert all(DATA_ENTRIES.values())
    for name in (
        *DATA_ENTRIES,
        ".trust.json.x1",
        "memory.db.damaged-1",
        ".installations.json.codecairn",
        "serve-8477.html",
        ".serve-8477.html.x1",
    ):
        assert is_own_entry(name)
    for name in ("photos", "key.pem", "stores-of-mine", ".git", "data", "hooksy", "serve.html"):
        assert not is_own_entry(name)
