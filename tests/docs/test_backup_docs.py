"""The commands of the pages on backups and upgrades run, and what is restored is what was there."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from codecairn import Workspace
from support.documents import PAGES, ROOT, shell_lines
from support.repository import SMALL_PROJECT, Repository

BACKUP = "docs/how-to/backup.md"
UPGRADES = "docs/reference/upgrades.md"
RULE = "Deploy on Fridays only"
LATER = "Added after the backup"


@pytest.fixture
def project(repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A project with a memory, and the variables that the page speaks of."""
    repository.write_all(SMALL_PROJECT)
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        workspace.memory.add(RULE, type="rule")
        workspace.memory.record("s1", "where are tokens verified", role="user")
        memory = workspace.memory.path
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = {"PATH": path, "HOME": str(home), "MEMORY": str(memory), "DATA": str(memory.parent)}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return repository


def _run(project: Repository, line: str) -> str:
    done = subprocess.run(
        ["/bin/sh", "-c", line], cwd=project.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _lines(page: str, section: str) -> list[str]:
    text = PAGES[page].partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    lines = [line for line, _ in shell_lines(text)]
    assert lines, section
    return lines


@pytest.mark.skipif(sys.platform == "win32", reason="the page's lines are for a POSIX shell")
@pytest.mark.skipif(not shutil.which("sqlite3"), reason="the program sqlite3 is not installed")
def test_a_copied_database_is_restored(project: Repository) -> None:
    lines = _lines(BACKUP, "Copy the database")
    first = next(number for number, line in enumerate(lines) if line.startswith("rm "))
    for line in lines[:first]:
        checked = _run(project, line)
        if "integrity_check" in line:
            assert checked.strip() == "ok"
    copies = [project.root / "memory-backup.db", project.root / "memory-backup-2.db"]
    assert all(copy.stat().st_size > 0 for copy in copies)
    _run(project, f'codecairn memory add "{LATER}"')
    for line in lines[first:]:
        printed = _run(project, line)
        if "doctor" in line:
            assert "not ok" not in printed
    assert RULE in printed
    assert LATER not in printed
    assert "where are tokens verified" in _run(project, "codecairn memory events")


def test_an_exported_project_is_imported_elsewhere(
    project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export, restore = _lines(BACKUP, "Export a project")
    _run(project, export)
    whole = json.loads((project.root / "memory.json").read_text(encoding="utf-8"))
    assert "0 events and 0 facts" in _run(project, restore)
    monkeypatch.setenv("CODECAIRN_HOME", str(tmp_path / "another"))
    assert "1 event" in _run(project, restore)
    again = json.loads(_run(project, "codecairn memory export"))
    assert [fact["id"] for fact in again["facts"]] == [fact["id"] for fact in whole["facts"]]
    assert len(again["events"]) == len(whole["events"]) == 1


def test_a_copied_data_folder_answers_at_once(
    project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = _lines(BACKUP, "Copy the data folder")
    _run(project, line)
    (tmp_path / "moved").mkdir()
    (project.root / "data-backup").rename(tmp_path / "moved" / "data")
    monkeypatch.setenv("CODECAIRN_HOME", str(tmp_path / "moved"))
    assert RULE in _run(project, "codecairn memory list")
    assert "shop/tokens.py" in _run(project, "codecairn search 'verify token' --no-refresh")


def test_commands_of_the_page_on_upgrades_run(project: Repository) -> None:
    for line, _ in shell_lines(PAGES[UPGRADES]):
        _run(project, line)
    assert (Path(os.environ["HOME"]) / "older-memory.db").exists()


@pytest.mark.parametrize(("name", "crate"), [("index.db", "store"), ("memory.db", "memory")])
def test_formats_that_the_page_names_are_those_of_the_migrations(name: str, crate: str) -> None:
    row = next(line for line in PAGES[UPGRADES].splitlines() if f"`{name}` |" in line)
    newest = len([*(ROOT / "native" / "crates" / crate / "migrations").glob("*.sql")])
    assert row.split("|")[2].strip() == f"1 to {newest}"
