"""Every command in the blocks of README and of the pages runs, in a project as readers have one."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.cli.app import COMMANDS
from support import foreign_stores
from support.documents import PAGES, shell_lines
from support.graph_project import GRAPH_PROJECT
from support.repository import SMALL_PROJECT, Repository

NOT_RUN: Mapping[tuple[str, str], str] = {
    (
        "README.md",
        "git clone",
    ): "fetches from the network and compiles for minutes; the built wheel has its own test",
    ("docs/tutorial/start.md", "git clone"): "the same",
    ("README.md", "make test"): "is what runs this",
    (
        "README.md",
        "codecairn serve --open",
    ): "does not end; tests/web/test_serve_command.py runs it",
    ("docs/how-to/page.md", "codecairn serve --open"): "the same",
    (
        "docs/how-to/embedding.md",
        "codecairn index",
    ): "asks a provider; tests/contract does so on this machine",
    (
        "docs/how-to/extraction.md",
        "codecairn memory work",
    ): "asks a model; tests/contract/models does so on this machine",
    (
        "docs/how-to/backends.md",
        "codecairn memory backend drain",
    ): "waits for a server; tests/integration/test_graphiti_drain.py runs one",
    (
        "docs/explanation/first-hour.md",
        "python -m benches.newcomer",
    ): "installs packages from the network; tests/unit/test_newcomer_bench.py runs its parts",
    (
        "docs/explanation/comparisons.md",
        "python -m benches",
    ): "asks checkouts of public repositories; tests/unit/test_leaderboard.py and test_quality_lines.py run their parts",
}
"""Lines of pages that are not run here, by page and by how they begin or what they are, and why."""

ENDS_WITH: Mapping[str, int] = {}
"""Lines that are meant to end otherwise than with 0."""

TRIED_APART = frozenset(
    {
        "docs/how-to/knowledge.md",
        "docs/how-to/backup.md",
        "docs/how-to/team.md",
        "docs/how-to/node.md",
        "docs/how-to/shared-index.md",
        "docs/reference/upgrades.md",
    }
)
"""Pages that speak of several folders or of what comes before and after; tests of their own run them."""

_WITH_COMMANDS = [
    name for name, text in PAGES.items() if [*shell_lines(text)] and name not in TRIED_APART
]


@pytest.fixture
def project(repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A project with everything in it that pages speak of, and the program on the path."""
    monkeypatch.setenv(
        "PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    )
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.write_all(GRAPH_PROJECT)
    repository.write("shop/tokens.py", SMALL_PROJECT["shop/tokens.py"])
    repository.write("docs/guide.md", SMALL_PROJECT["docs/guide.md"])
    repository.write("shop/session.py", _SESSION)
    repository.write("tests/test_login.py", _TEST)
    repository.write(".opencode/codebase-index.json", '{"search": {"maxResults": 7}}')
    repository.write("questions.json", json.dumps(_questions()))
    repository.write("limits.json", '{"minHitAt10": 0.1, "mrrAt10MaxDrop": 0.9}')
    repository.write("some/file-or-folder", json.dumps({"facts": []}))
    repository.write("other/workspace/.git", "gitdir: nowhere")
    repository.commit()
    (home / ".graphitirc").write_text('{"redis": {"batchSize": 10}}')
    (home / ".claude-mem").mkdir()
    foreign_stores.claude_mem(home / ".claude-mem" / "claude-mem.db", repository.root.name)
    return repository


@pytest.mark.parametrize("page", _WITH_COMMANDS)
@pytest.mark.timeout(400)
def test_commands_of_a_page_run(page: str, project: Repository) -> None:
    exports: list[str] = []
    for line, shown in shell_lines(PAGES[page]):
        if line.startswith("export "):
            exports.append(line)
            continue
        if _reason(page, line):
            continue
        script = "\n".join([*exports, _filled(line, project)])
        done = subprocess.run(
            ["/bin/sh", "-c", script], cwd=project.root, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, f"{line}\n{done.stderr}"
        assert done.returncode == ENDS_WITH.get(line, 0), f"{line}\n{done.stdout}\n{done.stderr}"
        for each in shown:
            assert each.strip() in done.stdout, f"{line}: {each}\n{done.stdout}"


def test_lines_that_are_not_run_are_there() -> None:
    for page, beginning in NOT_RUN:
        assert any(_reason(page, line) for line, _ in shell_lines(PAGES[page])), beginning


SAMPLES: Mapping[str, str] = {
    "index": "index . --estimate",
    "search": "search tokens --explain --context 1",
    "peek": "peek tokens",
    "similar": "similar shop/tokens.py:5",
    "define": "define verify_token",
    "context": "context 'how are tokens checked'",
    "edit-context": "edit-context verify_token",
    "graph": "graph hubs",
    "visualize": "visualize --output page.html",
    "uses": "uses verify",
    "impact": "impact HEAD",
    "status": "status --verbose",
    "doctor": "doctor",
    "gc": "gc --dry-run",
    "pull": "pull --help",  # needs a grant; tests/shared_index run it
    "remote": "remote --help",
    "trust": "trust",
    "watch": "watch --help",  # without end; tests/integration/test_watch.py runs it
    "metrics": "metrics",
    "savings": "savings",
    "logs": "logs -n 5",
    "eval": "eval run questions.json",
    "ask": "ask 'how are tokens checked'",
    "knowledge": "knowledge list",
    "memory": "memory list",
    "team": "team status",
    "node": "node --help",  # without end; tests/team/test_nodes.py runs it
    "serve": "serve --help",  # without end; tests/web/test_serve_command.py runs it
    "mcp": "mcp --quiet",
    "install": "install zed",
    "uninstall": "uninstall zed",
    "call": "call index_status",
    "hook": "hook claude SessionStart",
    "config": "config list",
    "schema": "schema search",
    "completion": "completion bash",
    "man": "man",
}
"""A call of every command that there may be; those that serve find their input closed."""


@pytest.mark.timeout(400)
def test_every_command_of_the_program_runs_and_stands_in_readme(project: Repository) -> None:
    table = PAGES["README.md"].partition("## The commands")[2].partition("\n## ")[0]
    assert set(COMMANDS) <= set(SAMPLES)
    for name in COMMANDS:
        words = SAMPLES[name]
        done = subprocess.run(
            ["/bin/sh", "-c", f"codecairn {words}"], cwd=project.root, capture_output=True, text=True,
            check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), (
            f"{words}\n{done.stderr}"
        )
        assert re.search(rf"`[^`]*\b{name}\b", table), f"README does not tell of `{name}`"


def _reason(page: str, line: str) -> str:
    """Why a line is not run; a program's name and first word stand for all that begin with them, else the whole line."""
    for (where, what), why in NOT_RUN.items():
        if where == page and (
            line == what or (not what.startswith("codecairn") and line.startswith(what))
        ):
            return why
    return ""


def _filled(line: str, project: Repository) -> str:
    """The line with the id of a fact that was said just now in place of ID."""
    if not re.search(r"\bID\b", line):
        return line
    with Workspace.open(project.root) as workspace:
        fact = workspace.memory.add(f"Said for {line}", type="decision")
        if " demote " in line:
            workspace.memory.upkeep.team.promote((fact.id,))
    return re.sub(r"\bID\b", fact.id, line)


def _questions() -> list[dict[str, object]]:
    return [
        {"query": "where are tokens verified", "expected": ["shop/tokens.py"]},
        {"query": "how do customers pay", "expected": ["docs/guide.md"]},
    ]


_SESSION = '''"""Sessions."""


class Session:
    """What is known of somebody who is logged in."""

    def get(self, name: str) -> str:
        """A value of the session."""
        return name
'''

_TEST = """from shop.tokens import verify_token


def test_login() -> None:
    assert verify_token("a.b.c")
"""
