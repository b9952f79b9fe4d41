"""The plugin file in OpenCode, played to by a script in the shapes of its versions 1 and 2.

Version 1 is held with the real program too (`tests/agents`); no released version 2 was there to be tried.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from codecairn import Workspace
from codecairn.core.types.memory import Event, Session
from codecairn.hooks import background
from hooks.fixtures import resolve
from support.command import run
from support.repository import SMALL_PROJECT, Repository

PLAY = Path(__file__).parent / "play_opencode.mjs"
RULE = "Use pytest, never unittest"


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A small project of which something is remembered."""
    repository.write_all(SMALL_PROJECT)
    repository.commit("first")
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    with Workspace.open(repository.root) as workspace:
        workspace.memory.add(RULE, type="rule")
        background.look_after(repository.root)
    resolve(repository.root)
    return repository


def _played(version: str, project: Repository, home: Path) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("`node` is not installed")
    assert run("install", "opencode", cwd=project.root).code == 0
    plugin = home / ".config" / "opencode" / "plugins" / "codecairn.js"
    module = plugin.with_suffix(".mjs")  # so that node takes it for what it is
    launcher = home / "codecairn" / "data" / "codecairn-hook"
    module.write_text(_patient(plugin.read_text()))
    launcher.write_text(launcher.read_text().replace('run.py "$@"', 'run.py --wait "$@"'))
    done = subprocess.run(
        [node, str(PLAY), str(module), version, str(project.root)],
        cwd=project.root, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def _patient(plugin: str) -> str:
    """The plugin file for a busy machine."""
    plugin = plugin.replace("PATIENCE_MS = 1000", "PATIENCE_MS = 60000")
    return plugin.replace("COMPACTION_MS = 5000", "COMPACTION_MS = 60000")


def _recorded(project: Repository) -> tuple[list[Session], list[Event]]:
    with Workspace.open(project.root) as workspace:
        sessions = [each for each in workspace.memory.sessions() if each.host == "opencode"]
        return sessions, list(reversed(workspace.memory.events(limit=100)))


def test_version_1_is_told_what_is_remembered_and_tells_what_happens(
    project: Repository, home: Path
) -> None:
    played = _played("1", project, home)
    assert (played["id"], played["keys"]) == ("codecairn", ["id", "server", "setup"])
    assert played["again"] == [], "a second file of the same folder hears nothing"
    first = played["first"]
    assert first["system"][0] == "be brief"
    assert RULE in first["system"][1]
    assert played["second"] == first, "every request has the same bytes"
    assert played["used"] == "hi"
    assert RULE in played["compacting"][0]
    sessions, events = _recorded(project)
    line = {each.id: each for each in sessions}
    assert {each.root for each in sessions} == {"ses_1"}
    assert line["ses_1"].status == "ended"
    assert line["ses_1"].model == "local/scripted"
    own = [(each.role, each.body) for each in events if each.session == "ses_1" and each.body]
    assert own == [
        ("user", "how are session tokens verified here?"),
        ("tool", "hi"),
        ("tool", "-return token\n+return token.strip()"),
        ("tool", "File not found"),
        ("assistant", "By verify_token."),
    ]
    used, edited, failed = (each for each in events if each.role == "tool")
    assert (used.command, used.exit_code, used.category) == ("false", 3, "error")
    assert (edited.path, edited.category) == ("shop/tokens.py", "file-edit")
    assert (failed.path, failed.category) == ("shop/cart.py", "error")


def test_version_2_is_told_what_is_remembered_and_tells_what_happens(
    project: Repository, home: Path
) -> None:
    played = _played("2", project, home)
    expected = ["session.compaction", "session.context", "session.prompt", "tool.execute.after"]
    assert played["hooks"] == expected
    assert played["without"] is None, "version 1 looks in here too, without sessions"
    assert RULE in played["first"]["system"][0]
    assert played["second"] == played["first"]
    assert played["title"]["system"] == [], "what a title is made of needs no memory"
    sessions, events = _recorded(project)
    assert [(each.id, each.status) for each in sessions] == [("ses_1", "ended")]
    said = [(each.role, each.body) for each in events if each.body]
    assert said == [
        ("user", "how are session tokens verified here?"),
        ("tool", "Exit code 3"),
        ("assistant", "By verify_token."),
    ]


@pytest.mark.parametrize("version", ["1", "2"])
def test_model_that_summarises_is_told_what_the_session_is_at(
    version: str, project: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CODECAIRN_HOOKS_BACKGROUND")
    (told,) = _played(version, project, home)["compacting"]
    parts = (part.partition("\n") for part in told.split("## ")[1:])
    sections = {title: lines for title, _, lines in parts}
    assert "how are session tokens verified here?" in sections["Last Request"]
    assert "false: " in sections["Unresolved Errors"]
    assert RULE in told
    if version == "1":
        assert "shop/tokens.py" in sections["Files Changed"]
        assert "shop/cart.py: File not found" in sections["Unresolved Errors"]


def test_plugin_needs_nothing(home: Path) -> None:
    assert run("install", "opencode", cwd=home).code == 0
    plugin = home / ".config" / "opencode" / "plugins" / "codecairn.js"
    imports = [line for line in plugin.read_text().splitlines() if "import " in line]
    assert imports == ['import { spawn } from "node:child_process";']
