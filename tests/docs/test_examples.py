"""Every example that the help of a command shows runs, in a project as readers have one."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.cli.examples import EXAMPLES
from support import foreign_stores
from support.repository import SMALL_PROJECT, Repository

WITHOUT_END: Mapping[str, str] = {
    "codecairn watch": "tests/integration/test_watch.py runs it",
    "codecairn node": "tests/team/test_nodes.py runs it",
    "codecairn serve": "tests/web/test_serve_command.py runs it",
    "codecairn mcp --tools code --http 8765": "tests/agents/test_mcp_transports.py runs it",
    "CODECAIRN_TEAM_URL=": "needs a database: tests/team/test_commands.py runs it",
    "codecairn team ": "the same",
}
"""What examples begin with that do not end, or need a server, and where they are run."""

GROUPS = tuple(name for name in EXAMPLES if " " not in name)

_LOGIN = '''from shop.session import Session
from shop.tokens import verify_token


def login(token: str) -> Session | None:
    """Start a session for a token that is valid."""
    return Session() if verify_token(token) else None
'''

_SESSION = '''class Session:
    """A user who is logged in."""

    def get(self, name: str) -> str:
        """A value of the session."""
        return name
'''


@pytest.fixture
def project(repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A project with the files that examples name, and the program on the path."""
    programs = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", os.pathsep.join([programs, os.environ["PATH"]]))
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.write_all(SMALL_PROJECT)
    repository.write("shop/login.py", _LOGIN)
    repository.write("shop/session.py", _SESSION)
    repository.write("snippet.txt", _SESSION)
    repository.write(".opencode/codebase-index.json", '{"search": {"maxResults": 7}}')
    repository.write(
        "questions.json", '[{"query": "verify tokens", "expected": ["shop/tokens.py"]}]'
    )
    repository.write("limits.json", '{"minHitAt10": 0.1}')
    repository.commit()
    for name in ("handbook", "library"):
        Repository(repository.root.parent / name).write("index.md", f"# The {name}\n")
    (home / ".local/share/bash-completion/completions").mkdir(parents=True)
    (home / ".config/fish/completions").mkdir(parents=True)
    (home / ".local/share/man/man1").mkdir(parents=True)
    (home / ".claude-mem").mkdir()
    foreign_stores.claude_mem(home / ".claude-mem/claude-mem.db", repository.root.name)
    return repository


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.timeout(300)
def test_examples_of_a_command_run(group: str, project: Repository) -> None:
    lines = [
        line
        for name, lines in EXAMPLES.items()
        if name == group or name.startswith(f"{group} ")
        for line in lines
        if not any(line.startswith(each) for each in WITHOUT_END)
    ]
    _run("codecairn index --quiet", project)
    if group == "memory":
        _run("codecairn memory record my-session 'a first prompt' --role user", project)
    if group == "eval":
        report = project.root / "before.json"
        _run(f"codecairn eval run questions.json -o {report}", project)
        (project.root / "after.json").write_bytes(report.read_bytes())
    if group == "pull":
        _run("codecairn remote init ../shared --name shop", project)
        _run("codecairn index --publish shop --quiet", project)
    for line in lines:
        _run(_with_id(line, project), project)


def test_examples_without_an_end_are_there() -> None:
    shown = [line for lines in EXAMPLES.values() for line in lines]
    assert all(any(line.startswith(each) for line in shown) for each in WITHOUT_END)


def _run(line: str, project: Repository) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", line], cwd=project.root, capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, "error:" in done.stderr) == (0, False), f"{line}\n{done.stderr}"


def _with_id(line: str, project: Repository) -> str:
    """The line with the id of a fact in place of ID, and its state as the command needs it."""
    if not re.search(r"\bID\b", line):
        return line
    with Workspace.open(project.root) as workspace:
        fact = workspace.memory.add(f"The fact for {line}", type="decision")
        if " demote " in line:
            workspace.memory.upkeep.team.promote((fact.id,))
        if " restore " in line:
            workspace.memory.forget(fact.id)
    return re.sub(r"\bID\b", fact.id, line)
