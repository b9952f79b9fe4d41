"""A clone whose files are named like Python's modules and like programs: none of them is ever executed."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import codecairn
from codecairn import Workspace
from hooks.fixtures import RUN, recorded, state_folder
from support.repository import SMALL_PROJECT, Repository

LAUNCH = Path(codecairn.__file__).parent / "launch.py"

MODULES = (
    "codecairn", "click", "collections", "json", "os", "pathlib", "re", "site", "sitecustomize", "subprocess",
    "threading", "typing", "usercustomize",
)  # fmt: skip
PROGRAMS = ("codecairn", "gh", "git", "python", "python3", "sh", "uname")

HOSTILE_ENVIRONMENT = {
    "PYTHONPATH": f".{os.pathsep}lib",
    "PYTHONSTARTUP": "json.py",
    "PYTHONUSERBASE": ".",
    "PATH": f".{os.pathsep}{os.pathsep}bin{os.pathsep}{os.environ['PATH']}",
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


@pytest.fixture
def _environment(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables with entries that are relative to the working directory."""
    for name, value in HOSTILE_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def _until(is_so: Callable[[], bool]) -> None:
    for _ in range(600):
        if is_so():
            return
        threading.Event().wait(0.1)
    pytest.fail("it never came")


def _is_prepared(clone: Clone) -> bool:
    """Whether the background process of a session's start has begun its work, or what was planted was executed."""
    return bool(clone.executed) or (state_folder() / "locks").exists()


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


STARTS = [
    ("claude", "SessionStart"),
    ("codex", "SessionStart"),
    ("gemini", "SessionStart"),
    ("cursor", "sessionStart"),
    ("opencode", "session-start"),
    ("hermes", "SessionStart"),
]


def _start_session(clone: Clone, agent: str, event: str) -> None:
    payload = next(payload for name, payload in recorded(agent) if name == event)
    given = json.dumps(payload).replace("/home/ann/shop", str(clone.root))
    command = [sys.executable, "-I", "-S", str(RUN), "--wait", agent, event]
    assert json.loads(_run(command, clone.root, given)) is not None
    _until(lambda: _is_prepared(clone))


@pytest.mark.parametrize(("agent", "event"), STARTS)
def test_start_of_a_session_executes_nothing_of_the_clone(
    clone: Clone, agent: str, event: str
) -> None:
    _start_session(clone, agent, event)
    assert clone.executed == []


@pytest.mark.usefixtures("_environment")
def test_start_of_a_session_takes_nothing_from_where_the_environment_says(clone: Clone) -> None:
    _start_session(clone, *STARTS[0])
    assert clone.executed == []


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "host", "version": "1"},
    },
}


@pytest.fixture(params=["as installed", "interpreter gone"])
def launched(request: pytest.FixtureRequest, clone: Clone, home: Path) -> Path:
    """The folder of the launchers that were installed; they start the command if their interpreter has gone."""
    if os.name == "nt":
        pytest.skip("the launchers are a shell's")
    _run([sys.executable, "-I", "-S", str(LAUNCH), "install", "claude"], home)
    folder = home / "codecairn/data"
    for name in ("codecairn-hook", "codecairn-command") if request.param != "as installed" else ():
        text = (
            (folder / name).read_text().replace("run.py", "gone.py").replace("launch.py", "gone.py")
        )
        (folder / name).write_text(text)
    return folder


@pytest.mark.usefixtures("_environment")
def test_installed_hook_executes_nothing_of_the_clone(clone: Clone, launched: Path) -> None:
    payload = {"session_id": "s-1", "cwd": str(clone.root), "source": "startup"}
    command = [str(launched / "codecairn-hook"), "claude", "SessionStart"]
    _run(command, clone.root, json.dumps(payload))
    _until(lambda: _is_prepared(clone))
    assert clone.executed == []


@pytest.mark.usefixtures("_environment")
def test_installed_server_executes_nothing_of_the_clone(
    clone: Clone, launched: Path, home: Path
) -> None:
    settings = json.loads((home / ".claude.json").read_text())["mcpServers"]["codecairn"]
    assert settings["command"] == str(launched / "codecairn-command")
    out = _run([settings["command"], *settings["args"]], clone.root, json.dumps(INITIALIZE) + "\n")
    assert "serverInfo" in out
    assert clone.executed == []


_IN_HERMES = """
import importlib.util, sys, types

base = types.ModuleType("agent.memory_provider")
base.MemoryProvider = object
sys.modules |= {"agent": types.ModuleType("agent"), base.__name__: base}
spec = importlib.util.spec_from_file_location("provider", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
provider = module.CodecairnProvider()
provider.initialize("s-1")
provider.system_prompt_block()
assert "result" in provider.handle_tool_call("memory_search", {"query": "tokens"})
assert provider.backup_paths()
"""


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize("is_installed", [False, True])
def test_hermes_provider_executes_nothing_of_the_clone(
    clone: Clone, home: Path, is_installed: bool
) -> None:
    """The one that `install` writes, and the one that is an entry point."""
    _run([sys.executable, "-I", "-S", str(LAUNCH), "install", "hermes"], home)
    installed = home / ".hermes/plugins/codecairn/__init__.py"
    module = installed if is_installed else LAUNCH.parent / "integrations/hermes.py"
    _run([sys.executable, "-I", "-c", _IN_HERMES, str(module)], clone.root)
    assert clone.executed == []


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "verify token", "--blame"), ("status",), ("doctor",), ("impact",), ("memory", "add", "a fact"), ("gc",),
        ("hook", "claude", "SessionStart"),
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


def test_start_as_a_module_imports_no_more_than_python_does_before_us(
    repository: Repository,
) -> None:
    """`python -m` puts the working directory on the path; what we import is taken from elsewhere."""
    clone = Clone(repository.root)
    clone.traces.mkdir()
    for name in ("click", "tomlkit", "sqlite3", "httpx"):
        clone.write(f"{name}.py", f"open({str(clone.traces / name)!r}, 'w')\n")
    _run([sys.executable, "-m", "codecairn", "index"], clone.root)
    assert clone.executed == []


def test_packages_of_the_user_are_found_though_the_interpreter_is_isolated(
    clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after `pip install --user`, which `-I` alone would undo."""
    base, found = tmp_path / "base", tmp_path / "found"
    scheme = sysconfig.get_preferred_scheme("user")
    packages = Path(sysconfig.get_path("purelib", scheme, vars={"userbase": str(base)}))
    packages.mkdir(parents=True)
    (packages / "codecairn").symlink_to(LAUNCH.parent)
    installed = [Path(click.__file__).parents[1]]
    noting = f"import pathlib; pathlib.Path({str(found)!r}).touch()"
    (packages / "others.pth").write_text("\n".join([*map(str, installed), noting, ""]))
    monkeypatch.setenv("PYTHONUSERBASE", str(base))
    script = str(packages / "codecairn/launch.py")
    _run([os.path.realpath(sys.executable), "-I", "-S", script, "index"], clone.root)
    assert found.exists()
    assert clone.executed == []
