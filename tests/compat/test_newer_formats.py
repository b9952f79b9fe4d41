"""A store that a newer version made is refused as it is; what can wait for that version waits."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import StoreTooNew
from support.repository import SMALL_PROJECT, Repository

NEWER = 99


@pytest.fixture
def project(repository: Repository) -> Repository:
    """A project with an index and a fact."""
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        workspace.memory.add("Deploy on Fridays only", type="rule")
    return repository


def _paths(project: Repository) -> tuple[Path, Path]:
    with Workspace.open(project.root) as workspace:
        return workspace.store / "index.db", workspace.memory.path


_SET_FORMAT = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(*connection.execute("PRAGMA user_version").fetchone())
connection.execute(f"PRAGMA user_version = {int(sys.argv[2])}")
connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
connection.close()
"""
"""Runs in a process of its own: two SQLite libraries in one process can corrupt a database."""


def _set_format(database: Path, number: int) -> int:
    """Give a database another format, as a newer version does; the one it had."""
    command = [sys.executable, "-c", _SET_FORMAT, str(database), str(number)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout)


def _run(project: Repository, *words: str, given: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "codecairn", *words]
    return subprocess.run(
        command, cwd=project.root, input=given, capture_output=True, text=True, check=False
    )


def test_a_newer_index_is_refused_and_the_memory_goes_on(project: Repository) -> None:
    index, _ = _paths(project)
    _set_format(index, NEWER)
    before = index.read_bytes()
    for words in (["search", "tokens"], ["index"], ["status"], ["doctor", "--repair"], ["gc"]):
        done = _run(project, *words)
        assert (done.returncode, "has format 99, this version reads up to" in done.stderr) == (
            1,
            True,
        )
    assert index.read_bytes() == before
    assert "Deploy on Fridays only" in _run(project, "memory", "list").stdout


def test_a_newer_memory_is_refused_and_additions_wait_for_it(project: Repository) -> None:
    _, memory = _paths(project)
    format_before = _set_format(memory, NEWER)
    before = memory.read_bytes()
    for words in (["memory", "list"], ["memory", "status"], ["memory", "doctor", "--repair"]):
        done = _run(project, *words)
        assert (done.returncode, "has format 99" in done.stdout + done.stderr) == (1, True)
    event = {"session_id": "s", "cwd": str(project.root), "hook_event_name": "UserPromptSubmit"}
    prompt = json.dumps(event | {"prompt": "where are tokens verified"})
    assert _run(project, "hook", "claude", "UserPromptSubmit", given=prompt).returncode == 0
    assert _run(project, "memory", "add", "Tests run on Mondays").returncode == 0
    assert _run(project, "search", "tokens").returncode == 0
    assert memory.read_bytes() == before
    _set_format(memory, format_before)
    assert "Tests run on Mondays" in _run(project, "memory", "list").stdout
    assert "where are tokens verified" in _run(project, "memory", "events").stdout


def test_the_hint_never_advises_to_move_a_memory_away(project: Repository) -> None:
    _, memory = _paths(project)
    _set_format(memory, NEWER)
    with Workspace.open(project.root) as workspace, pytest.raises(StoreTooNew) as caught:
        workspace.memory.list()
    assert caught.value.hint.startswith("upgrade codecairn")
    assert "a memory is not" in caught.value.hint


def test_an_older_version_goes_on_with_what_the_newer_one_exported(
    project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported = tmp_path / "memory.json"
    exported.write_text(_run(project, "memory", "export").stdout, encoding="utf-8")
    _, memory = _paths(project)
    _set_format(memory, NEWER)
    monkeypatch.setenv("CODECAIRN_MEMORY_PATH", str(tmp_path / "older.db"))
    assert _run(project, "memory", "import", str(exported)).returncode == 0
    assert "Deploy on Fridays only" in _run(project, "memory", "list").stdout
