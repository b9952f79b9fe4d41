"""What the commands on the code graph print, word for word, and as documents.

After a change that is meant: `UPDATE_SNAPSHOTS=1 pytest tests/integration/test_graph_commands.py`, and read the difference.
"""

import os
from pathlib import Path

import pytest

from codecairn.cli.main import main
from support.command import run
from support.graph_project import GRAPH_PROJECT
from support.repository import Repository

SNAPSHOTS = Path(__file__).parent / "snapshots" / "graph"

COMMANDS = {
    "callers": ["graph", "callers", "verify"],
    "callers-deep": ["graph", "callers", "helper", "--depth", "3"],
    "callers-candidates": ["graph", "callers", "Child.step"],
    "callees": ["graph", "callees", "total"],
    "path": ["graph", "path", "test_login", "helper"],
    "path-reversed": ["graph", "path", "helper", "login"],
    "hierarchy": ["graph", "hierarchy", "Animal"],
    "communities": ["graph", "communities"],
    "unused": ["graph", "unused"],
    "cycles": ["graph", "cycles"],
    "hubs": ["graph", "hubs", "--limit", "5"],
    "uses": ["uses", "step"],
    "impact": ["impact"],
    "impact-symbol": ["impact", "--symbol", "clean"],
    "context": ["context", "from login to helper"],
    "context-definition": ["context", "Save"],
    "edit-context": ["edit-context", "Child.step"],
}


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, "2026-01-31T12:00:00Z")
    repository.write_all({**GRAPH_PROJECT, ".gitignore": ".codecairn/\n"})
    repository.commit()
    changed = GRAPH_PROJECT["shop/base.py"].replace("return number + 1", "return number + 2")
    repository.write("shop/base.py", changed)
    monkeypatch.chdir(repository.root)
    return repository


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("form", ["txt", "json", "jsonl"])
@pytest.mark.parametrize("name", COMMANDS)
def test_output_is_as_agreed(name: str, form: str, capfd: pytest.CaptureFixture[str]) -> None:
    flags = [] if form == "txt" else [f"--{form}"]
    assert main([*COMMANDS[name], *flags, "--quiet"]) == 0
    printed = capfd.readouterr().out
    snapshot = SNAPSHOTS / f"{name}.{form}"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        snapshot.parent.mkdir(parents=True, exist_ok=True)
        snapshot.write_text(printed, encoding="utf-8")
    assert printed == snapshot.read_text(encoding="utf-8")


def test_every_snapshot_belongs_to_a_command() -> None:
    assert {path.stem for path in SNAPSHOTS.iterdir()} == set(COMMANDS)


def test_failures_are_words_and_exit_codes(project: Repository) -> None:
    for arguments, code, said in (
        (["graph", "callers", "zebra"], 1, "nothing is defined as `zebra`"),
        (["graph", "callers", "step"], 1, "shop/base.py::Base.step"),
        (["graph", "callers", "verify", "--kind", "eats"], 2, "eats"),
        (["impact", "no-such-branch"], 2, "git knows no commit `no-such-branch`"),
        (["uses", "Base.step"], 2, "no plain name"),
        (["edit-context", "verify", "--token-budget", "5"], 2, "128"),
    ):
        outcome = run(*arguments, cwd=project.root)
        assert outcome.code == code, arguments
        assert said in outcome.err
        assert outcome.out == ""
