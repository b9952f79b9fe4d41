"""Whole screens, as they are printed into a terminal of 80 or 120 columns, with colours and without.

After a change that is meant: `UPDATE_SNAPSHOTS=1 pytest tests/integration/test_screens.py`, and read the difference. Links are
left out; `\\e` stands for the escape character, and `#` for numbers that differ from run to run.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.command import run
from support.graph_project import GRAPH_PROJECT
from support.repository import SMALL_PROJECT, Repository
from support.terminal import show

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="folders have other lengths")

SNAPSHOTS = Path(__file__).parent / "snapshots" / "screens"

READER = '''"""Readers of many formats."""


class Reader:
    """Reads documents, one after the other."""

    def __init__(self, folder: str, *, encoding: str = "utf-8", newline: str | None = None) -> None:
        self.folder, self.encoding, self.newline = folder, encoding, newline

''' + "".join(
    f'''    def read_{form}(
        self, name: str, *, strict: bool = False, maximum_size_bytes: int = 10_000_000
    ) -> str:
        """Read a document in {form}, and check its token: \u7248\u672c."""
        text = self._text(name)
        if strict and "{form}" not in text:
            raise ValueError(f"{{name}} in {{self.folder}} is no {form}, or it was written by another program")
        return verify_token(text)

'''
    for form in ("json", "yaml", "toml", "xml", "csv", "markdown", "ini")
)
PROJECT = {**SMALL_PROJECT, **GRAPH_PROJECT, "docs/reader.py": READER}

COMMANDS = {
    "search": ["search", "where are tokens verified"],
    "search-word": ["search", "read"],
    "define": ["define", "Reader"],
    "peek": ["peek", "check a token"],
    "similar": ["similar", "shop/base.py:32"],
    "callers": ["graph", "callers", "verify"],
    "impact": ["impact", "--symbol", "verify"],
    "uses": ["uses", "verify"],
    "status": ["status"],
    "index": ["index", "--force"],
    "nothing": ["define", "nowhere_to_be_found"],
    "error": ["graph", "callers", "nowhere_to_be_found"],
    "usage": ["search", "token", "--limit", "none"],
}


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    """A project in a folder whose path has the same length in every run."""
    folder = Path(tempfile.mkdtemp(prefix="codecairn-screens-", dir="/tmp"))
    monkeypatch.setenv("CODECAIRN_HOME", str(folder / "home"))
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, "2026-01-31T12:00:00Z")
    repository = Repository.make(folder / "shop")
    repository.write_all(PROJECT)
    repository.commit()
    run("index", "--quiet", cwd=repository.root)
    yield repository
    shutil.rmtree(folder)


def _same_in_every_run(screen: str, folder: Path) -> str:
    screen = screen.rpartition("\\e[2K")[2]  # what the progress bar leaves
    screen = screen.replace(str(folder), "/tmp/codecairn-screens-########")
    for pattern in (r"shop-[0-9a-f]{16}", r"in \d+\.\d\d s", r"\d+ %\)", r"\(\d+\.\d [kM]B, format \d+, generation \d+"):  # fmt: skip
        screen = re.sub(
            pattern, lambda match: re.sub(r"(?<=-)[0-9a-f]{16}|\d", "#", match[0]), screen
        )
    return screen


@pytest.mark.parametrize("color", ["colour", "plain"])
@pytest.mark.parametrize("columns", [80, 120])
def test_screens_are_as_agreed(project: Repository, columns: int, color: str) -> None:
    environment = {"PAGER": ""} | ({} if color == "colour" else {"NO_COLOR": "1"})
    different = []
    for name, arguments in COMMANDS.items():
        shown = show(*arguments, cwd=project.root, columns=columns, environment=environment)
        screen = _same_in_every_run(shown.screen, project.root.parent)
        assert "internal error" not in screen
        assert not re.search(r"[ \t]+(\\e\[0m)?$", screen, re.MULTILINE), name
        snapshot = SNAPSHOTS / f"{name}-{columns}-{color}.txt"
        if os.environ.get("UPDATE_SNAPSHOTS"):
            snapshot.parent.mkdir(parents=True, exist_ok=True)
            snapshot.write_text(screen, encoding="utf-8")
        if screen != snapshot.read_text(encoding="utf-8"):
            different.append((name, screen))
    assert not different


def test_every_snapshot_belongs_to_a_command() -> None:
    names = {path.stem.rsplit("-", 2)[0] for path in SNAPSHOTS.iterdir()}
    assert names == set(COMMANDS)
