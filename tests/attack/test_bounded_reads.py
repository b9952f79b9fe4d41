"""A workspace's book-keeping files: devices, pipes and endless files cost nothing, and what is not read is reported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn import Workspace
from hooks.fixtures import claude_told
from support.command import Outcome, run
from support.repository import SMALL_PROJECT, Repository

MAX_RULE_BYTES = 256 * 1024
_MEMORY = 2 << 30
_LIMITED = f"""
import os, resource, sys
resource.setrlimit(resource.RLIMIT_DATA, ({_MEMORY}, {_MEMORY}))
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a program in 2 GiB: one that reads a device to its end is killed or fails."""

LIMITED = [sys.executable, "-c", _LIMITED]

RULE_FILES = [".gitignore", ".ignore", ".codecairnignore", "shop/.gitignore", ".git/info/exclude"]
GIT_FILES = [
    (".git/packed-refs", ".git/refs/heads/main", ".git/config", "shop/.git"),
    (".git/HEAD",),
    (".git/commondir",),
]
KINDS = ["device", "pipe", "endless"]


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A small project with a commit."""
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.write_all(SMALL_PROJECT)
    repository.commit("first")
    return repository


def _replaced(file: Path, kind: str) -> None:
    file.unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    if kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        with file.open("wb") as opened:
            opened.truncate(1 << 34)


def _ran(*arguments: str, project: Repository) -> Outcome:
    return run(*arguments, cwd=project.root, prefix=LIMITED)


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_ignore_rules_that_never_end_are_reported(project: Repository, kind: str) -> None:
    for name in RULE_FILES:
        _replaced(project.root / name, kind)
    done = _ran("index", project=project)
    assert done.code == 0, done.err
    with Workspace.open(project.root) as workspace:
        details = {skip.path: skip.detail for skip in workspace.skips()}
        assert "shop/tokens.py" in workspace.paths()
        assert set(RULE_FILES).isdisjoint(workspace.paths())
    for name in RULE_FILES:
        assert "ignore rules are not read" in details[name]


@pytest.mark.parametrize("names", GIT_FILES)
@pytest.mark.parametrize("kind", KINDS)
def test_git_s_own_files_are_read_within_bounds(
    project: Repository, names: tuple[str, ...], kind: str
) -> None:
    for name in names:
        _replaced(project.root / name, kind)
    done = _ran("index", project=project)
    assert done.code == 0, done.err
    with Workspace.open(project.root) as workspace:
        assert "shop/tokens.py" in workspace.paths()
    assert claude_told(project, "SessionStart", source="startup") is not None


@pytest.mark.parametrize("kind", KINDS)
def test_git_file_that_never_ends_is_no_worktree(folder: Repository, kind: str) -> None:
    folder.write_all(SMALL_PROJECT)
    _replaced(folder.root / ".git", kind)
    assert _ran("index", project=folder).code == 0
    assert claude_told(folder, "SessionStart", source="startup") is not None


@pytest.mark.parametrize("kind", KINDS)
def test_other_hosts_settings_are_read_within_bounds(project: Repository, kind: str) -> None:
    _replaced(project.root / ".cursor" / "hooks.json", kind)
    assert claude_told(project, "UserPromptSubmit", prompt="go on", cursor_version="1") is not None


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_scip_index_that_never_ends_is_reported(project: Repository, kind: str) -> None:
    _replaced(project.root / "index.scip", kind)
    assert _ran("index", project=project).code == 0
    assert "index.scip" in _ran("status", project=project).out


def test_ignore_rules_up_to_the_limit_are_read_in_time(project: Repository) -> None:
    rules = b"".join(b"out/%d/\n" % number for number in range(40_000))[: MAX_RULE_BYTES - 20]
    project.git("rm", "--quiet", "--cached", "shop/tokens.py")
    project.write(".gitignore", rules[: rules.rindex(b"\n") + 1] + b"shop/tokens.py\n")
    assert _ran("index", project=project).code == 0
    with Workspace.open(project.root) as workspace:
        assert "shop/tokens.py" not in workspace.paths()
    costly = b"".join(b"*a%d*b*\n" % number for number in range(20_000))
    for content in (b"#" * MAX_RULE_BYTES, costly):
        project.write(".gitignore", b"shop/tokens.py\n" + content)
        assert _ran("index", project=project).code == 0
        with Workspace.open(project.root) as workspace:
            (skip,) = (each for each in workspace.skips() if each.path == ".gitignore")
        assert skip.reason == "too-large"
        assert "ignore rules are not read" in skip.detail


def test_linked_ignore_rules_are_read_inside_the_workspace_only(
    project: Repository, tmp_path: Path
) -> None:
    project.write("rules", "shop/tokens.py\n")
    (project.root / ".ignore").symlink_to("rules")
    with Workspace.open(project.root) as workspace:
        workspace.index()
        assert "shop/tokens.py" not in workspace.paths()
        (tmp_path / "rules").write_text("shop/tokens.py\n")
        (project.root / ".ignore").unlink()
        (project.root / ".ignore").symlink_to(tmp_path / "rules")
        workspace.index()
        assert "shop/tokens.py" in workspace.paths()
        (skip,) = (each for each in workspace.skips() if each.path == ".ignore")
        assert skip.reason == "outside-workspace"


def test_limit_of_memory_is_felt(project: Repository) -> None:
    """The tests above rest on it."""
    program = [*LIMITED, sys.executable, "-c", "open('/dev/zero', 'rb').read()"]
    assert subprocess.run(program, capture_output=True, check=False).returncode != 0
