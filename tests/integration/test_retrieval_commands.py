"""What `search`, `peek`, `similar` and `define` print, word for word, and as documents. Scores stand as `#`.

After a change that is meant: `UPDATE_SNAPSHOTS=1 pytest tests/integration/test_retrieval_commands.py`, and read the difference.
"""

import os
import re
from pathlib import Path

import pytest

from codecairn.cli.main import main
from support.graph_project import GRAPH_PROJECT
from support.repository import Repository

SNAPSHOTS = Path(__file__).parent / "snapshots" / "retrieval"

COMMANDS = {
    "search": ["search", "check a token", "--limit", "3"],
    "search-filtered": ["search", "round", "--lang", "typescript", "--kind", "function"],
    "peek": ["peek", "check a token", "--limit", "3"],
    "similar": ["similar", "shop/base.py:23", "--limit", "2"],
    "define": ["define", "step"],
    "define-scoped": ["define", "Child.step"],
}
_SCORE = re.compile(
    r'(?<="score": )-?\d[\d.e-]*|(?<="confidence": )\d[\d.e-]*|(?<=  )-?\d+\.\d{3}$', re.MULTILINE
)


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, "2026-01-31T12:00:00Z")
    repository.write_all({**GRAPH_PROJECT, ".gitignore": ".codecairn/\n"})
    repository.commit()
    monkeypatch.chdir(repository.root)
    return repository


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("form", ["txt", "json", "jsonl"])
@pytest.mark.parametrize("name", COMMANDS)
def test_output_is_as_agreed(name: str, form: str, capfd: pytest.CaptureFixture[str]) -> None:
    flags = [] if form == "txt" else [f"--{form}"]
    assert main([*COMMANDS[name], *flags, "--quiet"]) == 0
    printed = _SCORE.sub("#", capfd.readouterr().out)
    snapshot = SNAPSHOTS / f"{name}.{form}"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        snapshot.parent.mkdir(parents=True, exist_ok=True)
        snapshot.write_text(printed, encoding="utf-8")
    assert printed == snapshot.read_text(encoding="utf-8")


def test_every_snapshot_belongs_to_a_command() -> None:
    assert {path.stem for path in SNAPSHOTS.iterdir()} == set(COMMANDS)
