"""A clone whose files are named like Python's modules and like programs: none of them is ever executed."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import codecairn
from codecairn import Workspace
from codecairn.memory.lines import PREPARED
from hooks.fixtures import RUN, recorded
from support.repository import SMALL_PROJECT, Repository

LAUNCH = Path(codecairn.__file__).parent / "launch.py"

MODULES = (
    "codecairn", "click", "collections", "json", "os", "pathlib", "platformdirs", "re", "site", "sitecustomize", "subprocess",
    "threading", "typing", "usercustomize",
)  # fmt: skip
PROGRAMS = ("codecairn", "gh", "git", "python", "python3", "sh", "uname")

HOSTILE_ENVIRONMENTS = {
    "plain": {},
    "relative entries": {
        "PYTHONPATH": f".{os.pathsep}lib",
        "PYTHONSTARTUP": "json.py",
        "PYTHONUSERBASE": ".",
        "PATH": f".{os.pathsep}{os.pathsep}bin{os.pathsep}{os.environ['PATH']}",
    },
}


class Clone(Repository):
    """A repository each of whose planted files, once executed, leaves a file with its name."""

    @property
    def traces(self) -> Path:
        return self.root.parent / "traces"

    def plant(self) -> None:
        """Plant modules, start-up files and programs at the root and where relative entries point."""
        self.traces.mkdir()
        for folder in (
            "",
            "lib/",
            f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages/",
        ):
            for name in MODULES:
                file = (
                    f"{folder}{name}/__init__.py" if name == "codecairn" else f"{folder}{name}.py"
                )
                self.write(file, self._module(f"{folder}{name}.py"))
            self.write(f"{folder}planted.pth", self._line(f"{folder}planted.pth") + "\n")
        self.write("pyvenv.cfg", f"home = {self.root}\n")
        for folder in ("", "bin/"):
            for name in PROGRAMS:
                trace = self.traces / f"{folder}{name}".replace("/", ".")
                file = f"{folder}{name}" if folder or name != "codecairn" else "codecairn.exe"
                self.write(file, f"#!/bin/sh\n: > {trace}\n").chmod(0o755)

    def _line(self, file: str) -> str:
        return f"import os; os.close(os.open({str(self.traces / file.replace('/', '.'))!r}, os.O_CREAT))"

    def _module(self, file: str) -> str:
        return f"import posix as os\n{self._line(file).partition('; ')[2]}\n"

    @property
    def executed(self) -> list[str]:
        """The planted files that were executed."""
        return sorted(each.name for each in self.traces.iterdir())


@pytest.fixture
def clone(repository: Repository) -> Clone:
    clone = Clone(repository.root)
    clone.write_all(SMALL_PROJECT)
    clone.plant()
    clone.commit("hostile")
    return clone


@pytest.fixture(params=HOSTILE_ENVIRONMENTS)
def _environment(
    request: pytest.FixtureRequest, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in HOSTILE_ENVIRONMENTS[request.param].items():
        monkeypatch.setenv(name, value)


def _until(is_so: Callable[[], bool]) -> None:
    for _ in range(600):
        if is_so():
            return
        threading.Event().wait(0.1)
    pytest.fail("it never came")


def _is_prepared(clone: Clone) -> bool:
    """Whether the background process of a session's start has done its work, or what was planted was executed."""
    if clone.executed:
        return True
    with Workspace.open(clone.root) as workspace:
        return workspace.memory.engine().kept_text(PREPARED, "anchored", "json") is not None


def _run(command: list[str], cwd: Path, given: str = "") -> str:
    done = subprocess.run(
        command, cwd=cwd, input=given, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_planted_files_would_be_executed(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python and a shell that look into the working directory do execute them."""
    subprocess.run([sys.executable, "-m", "codecairn"], cwd=clone.root, check=False)
    assert any(name.endswith(".py") for name in clone.executed)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    subprocess.run(["git", "--version"], cwd=clone.root, check=True)
    assert "git" in clone.executed


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize(
    ("agent", "event"),
    [
        ("claude", "SessionStart"),
        ("codex", "SessionStart"),
        ("gemini", "SessionStart"),
        ("cursor", "sessionStart"),
        ("opencode", "session-start"),
        ("hermes", "SessionStart"),
    ],
)
def test_start_of_a_session_executes_nothing_of_the_clone(
    clone: Clone, agent: str, event: str
) -> None:
    payload = next(payload for name, payload in recorded(agent) if name == event)
    given = json.dumps(payload).replace("/home/ann/shop", str(clone.root))
    command = [sys.executable, "-I", "-S", str(RUN), "--wait", agent, event]
    assert json.loads(_run(command, clone.root, given)) is not None
    _until(lambda: _is_prepared(clone))
    assert clone.executed == []


@pytest.mark.usefixtures("_environment")
@pytest.mark.skipif(os.name == "nt", reason="the launcher is a shell's")
@pytest.mark.parametrize("is_gone", [False, True])
def test_installed_launcher_executes_nothing_of_the_clone(
    clone: Clone, home: Path, is_gone: bool
) -> None:
    """Also where the interpreter that it was written for has gone."""
    _run([sys.executable, "-I", "-S", str(LAUNCH), "install", "claude"], home)
    launcher = home / "codecairn/data/codecairn-hook"
    if is_gone:
        launcher.write_text(launcher.read_text().replace("run.py", "gone.py"))
    payload = {"session_id": "s-1", "cwd": str(clone.root), "source": "startup"}
    _run([str(launcher), "claude", "SessionStart"], clone.root, json.dumps(payload))
    _until(lambda: _is_prepared(clone))
    assert clone.executed == []


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize(
    "arguments",
    [
        ("index",), ("search", "verify token"), ("search", "verify token", "--blame"), ("status",), ("doctor",), ("impact",),
        ("memory", "add", "a fact"), ("memory", "status"), ("gc",), ("hook", "claude", "SessionStart"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_isolated_command_executes_nothing_of_the_clone(
    clone: Clone, arguments: tuple[str, ...]
) -> None:
    with Workspace.open(clone.root) as workspace:
        workspace.index()
    _run([sys.executable, "-I", "-S", str(LAUNCH), *arguments], clone.root, "{}")
    assert clone.executed == []


def test_installed_command_executes_nothing_of_the_clone(clone: Clone) -> None:
    program = shutil.which("codecairn", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("the command is not installed")
    _run([program, "search", "verify token"], clone.root)
    assert clone.executed == []
