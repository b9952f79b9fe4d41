"""The memory provider of Hermes: as its documentation says, and in Hermes itself where it is there."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import tomli

from codecairn import Workspace
from codecairn.core.types.memory import Event
from hooks.fixtures import heard, hooked
from hooks.test_events import HERMES as EVENTS
from support.command import run
from support.repository import Repository

ROOT = Path(__file__).parents[2]
HERMES = ROOT / "target" / "hermes" / ("Scripts" if os.name == "nt" else "bin") / "python"

# What Hermes documents.
_DOCUMENTED = """
from abc import ABC, abstractmethod

class MemoryProvider(ABC):
    @property
    @abstractmethod
    def name(self): ...
    @abstractmethod
    def is_available(self): ...
    @abstractmethod
    def initialize(self, session_id, **kwargs): ...
    @abstractmethod
    def get_tool_schemas(self): ...
"""

_ALONE = """
import importlib.util, json, os, sys
place = os.path.join(os.environ["HERMES_HOME"], "plugins", "codecairn", "__init__.py")
spec = importlib.util.spec_from_file_location("provider", place)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

class Context:
    def register_memory_provider(self, provider):
        self.provider = provider

context = Context()
module.register(context)
made = context.provider
said = {"name": made.name, "is_available": made.is_available()}
made.initialize(sys.argv[1], hermes_home=os.environ["HERMES_HOME"], agent_context=sys.argv[2])
said["tools"] = [tool["name"] for tool in made.get_tool_schemas()]
said["system"] = made.system_prompt_block()
said["prefetch"] = made.prefetch(sys.argv[3], session_id=sys.argv[1])
made.sync_turn(sys.argv[3], "We keep it in tokens.py.", session_id=sys.argv[1], messages=[])
said["call"] = json.loads(made.handle_tool_call("memory_search", {"query": "which port"}))
said["wrong"] = json.loads(made.handle_tool_call("memory_search", {"nope": 1}))
made.on_memory_write("add", "user", "Ann prefers green tea", metadata={"session_id": "x"})
made.on_delegation("count the files", "there are 7", child_session_id="c")
made.on_pre_compress([])
made.on_session_switch("switched", parent_session_id=sys.argv[1], reset=True)
made.sync_turn("and now?", "Now it is another session.")
made.on_session_end([])
said["backup"] = made.backup_paths()
made_of = {name.partition(".")[0] for name in sys.modules}
said["is_standard"] = made_of <= {*sys.stdlib_module_names, "agent", "provider", "__main__"}
print(json.dumps(said))
"""

_IN_HERMES = """
import json, sys
from agent.memory_manager import MemoryManager
from plugins.memory import discover_memory_providers, load_memory_provider

found = [row for row in discover_memory_providers() if row[0] == "codecairn"]
manager = MemoryManager()
manager.add_provider(load_memory_provider("codecairn"))
manager.initialize_all(session_id="in-hermes", platform="cli", hermes_home="x", agent_context="primary")
said = {"found": found, "tools": sorted(manager.get_all_tool_names()), "system": manager.build_system_prompt()}
said["prefetch"] = manager.prefetch_all("which port does the API listen on?", session_id="in-hermes")
manager.sync_all("We decided to deploy on Fridays.", "Noted.", session_id="in-hermes", messages=[])
assert manager.flush_pending(60)
said["call"] = json.loads(manager.handle_tool_call("memory_search", {"query": "which port"}))
manager.on_session_end([])
manager.shutdown_all()
print(json.dumps(said))
"""


@pytest.fixture
def hermes(home: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Hermes' folder with our provider, and a project in which something is remembered."""
    folder = home / ".hermes"
    folder.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(folder))
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.memory.add("The API listens on port 8080", type="project-config")
    assert run("install", "hermes", cwd=repository.root).code == 0
    return folder


def _told(
    code: str,
    *arguments: str,
    python: Path | str,
    options: tuple[str, ...] = (),
    cwd: Path,
    **variables: str,
) -> Any:
    done = subprocess.run(
        [str(python), *options, "-c", code, *arguments],
        cwd=cwd, env=os.environ | variables, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def _alone(hermes: Path, repository: Repository, *arguments: str) -> Any:
    """The provider with nothing but the standard library and what Hermes documents."""
    package = hermes.parent / "documented" / "agent"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "memory_provider.py").write_text(_DOCUMENTED)
    return _told(
        _ALONE, *arguments, python=sys.executable, options=("-S",), cwd=repository.root, PYTHONPATH=str(package.parent)
    )  # fmt: skip


def _events(repository: Repository) -> list[Event]:
    with Workspace.open(repository.root) as workspace:
        workspace.memory.tidy()
        return list(reversed(workspace.memory.events(limit=100)))


@pytest.mark.skipif(os.name == "nt", reason="the launcher is a shell's")
def test_provider_puts_records_and_calls(hermes: Path, repository: Repository) -> None:
    said = _alone(hermes, repository, "one", "primary", "which port does the API listen on?")
    assert said["name"] == "codecairn"
    assert said["is_available"]
    assert said["is_standard"]
    assert {"memory_search", "memory_add", "codebase_search"} <= {*said["tools"]}
    assert "8080" in said["call"]["result"]
    assert "no argument `nope`" in said["wrong"]["error"]
    assert said["backup"] == [str(hermes.parent / "codecairn" / "data" / "memory.db")]


@pytest.fixture
def provider(
    hermes: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    """The provider as an entry point of Hermes' own interpreter, which is this one, and works in the project."""
    documented: dict[str, Any] = {}
    exec(_DOCUMENTED, documented)
    base = ModuleType("agent.memory_provider")
    base.__dict__["MemoryProvider"] = documented["MemoryProvider"]
    monkeypatch.setitem(sys.modules, "agent", ModuleType("agent"))
    monkeypatch.setitem(sys.modules, base.__name__, base)
    monkeypatch.delitem(sys.modules, ENTRY_POINT, raising=False)
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    monkeypatch.chdir(repository.root)
    module = importlib.import_module(ENTRY_POINT)
    monkeypatch.setattr(module, "HOOK", [*module.HOOK, "--wait"])  # however loaded the machine is
    monkeypatch.setattr(module, "_HOOK_S", 60.0)
    made: list[Any] = []
    module.register(SimpleNamespace(register_memory_provider=made.append))
    yield made[0]
    sys.modules.pop(ENTRY_POINT, None)


ENTRY_POINT = "codecairn.integrations.hermes"


def test_provider_that_is_an_entry_point_records_turns_and_answers(
    provider: Any, repository: Repository
) -> None:
    assert (provider.name, provider.is_available()) == ("codecairn", True)
    provider.initialize("one", agent_context="primary")
    names = [tool["name"] for tool in provider.get_tool_schemas()]
    assert "memory_search" in names
    assert provider.get_tool_schemas() is provider.get_tool_schemas(), "they are asked for once"
    assert "8080" in provider.prefetch("which port does the API listen on?")
    called = json.loads(provider.handle_tool_call("memory_search", {"query": "which port"}))
    assert "8080" in called["result"]
    wrong = json.loads(provider.handle_tool_call("memory_search", {"nope": 1}))
    assert "no argument `nope`" in wrong["error"]
    assert provider.on_pre_compress([]) == ""
    provider.sync_turn("We decided to deploy on Fridays.", "Noted.")
    provider.on_memory_write("add", "user", "Ann prefers green tea")
    provider.on_delegation("count the files", "there are 7")
    provider.on_session_switch("two", parent_session_id="one")
    provider.sync_turn("and now?", "Now it is another session.")
    provider.on_session_end([])
    events = _events(repository)
    bodies = [event.body for event in events if event.session == "one"]
    assert {"We decided to deploy on Fridays.", "Noted."} <= {*bodies}
    assert any("and now?" in event.body for event in events if event.session == "two")
    assert any("Ann prefers green tea" in event.body for event in events)
    assert [Path(each).name for each in provider.backup_paths()] == ["memory.db"]


def test_provider_works_where_hermes_does_and_takes_nothing_planted_there(
    provider: Any,
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERMINAL_CWD", str(repository.root))
    monkeypatch.setenv("PYTHONPATH", "planted")
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path))
    monkeypatch.setenv("PATH", os.pathsep.join([".", os.environ["PATH"]]))
    module = sys.modules[ENTRY_POINT]
    environment = module._environment()
    assert environment["PYTHONUSERBASE"] == str(tmp_path)
    assert "PYTHONPATH" not in environment
    assert "." not in environment["PATH"].split(os.pathsep)
    provider.initialize("one")
    assert "8080" in provider.prefetch("which port does the API listen on?")
    monkeypatch.setenv("TERMINAL_CWD", str(tmp_path / "gone"))
    monkeypatch.setenv("PYTHONUSERBASE", "planted")
    assert module._folder() == str(tmp_path)
    assert "PYTHONUSERBASE" not in module._environment()


@pytest.mark.parametrize("context", ["subagent", "cron"])
def test_entry_point_leaves_contexts_alone_that_are_no_persons(
    provider: Any, repository: Repository, context: str
) -> None:
    provider.initialize("one", agent_context=context)
    assert provider.system_prompt_block() == ""
    provider.sync_turn("We decided to deploy on Fridays.", "Noted.")
    assert _events(repository) == []


def test_entry_point_without_its_program_answers_with_what_is_wrong(
    provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules[ENTRY_POINT]
    monkeypatch.setattr(module, "PROGRAM", ["/gone/python"])
    monkeypatch.setattr(module, "HOOK", ["/gone/python"])
    provider.initialize("one")
    assert not provider.is_available()
    assert (provider.get_tool_schemas(), provider.system_prompt_block()) == ([], "")
    assert provider.backup_paths() == []
    failed = json.loads(provider.handle_tool_call("memory_search", {"query": "x"}))
    assert "FileNotFoundError" in failed["error"]


@pytest.mark.parametrize("context", ["subagent", "cron", "flush"])
def test_contexts_that_are_no_persons_are_left_alone(
    hermes: Path, repository: Repository, context: str
) -> None:
    said = _alone(hermes, repository, "one", context, "which port does the API listen on?")
    assert (said["system"], said["prefetch"]) == ("", "")
    assert _events(repository) == []


def test_hermes_that_lost_the_program_goes_on(hermes: Path, repository: Repository) -> None:
    place = hermes / "plugins" / "codecairn" / "__init__.py"
    lines = place.read_text().splitlines()
    gone = [
        line.partition(" = ")[0] + " = ['gone']" if line.startswith(("PROGRAM", "HOOK")) else line
        for line in lines
    ]
    place.write_text("\n".join(gone))
    said = _alone(hermes, repository, "one", "primary", "which port?")
    assert said["is_available"] is False
    assert (said["tools"], said["system"], said["prefetch"], said["backup"]) == ([], "", "", [])
    assert "FileNotFoundError" in said["call"]["error"]


def test_uninstalling_leaves_nothing_of_ours(hermes: Path, repository: Repository) -> None:
    _alone(
        hermes, repository, "one", "cron", "x"
    )  # the interpreter leaves what it made of the module
    checked = run("install", "hermes", "--check", cwd=repository.root)
    assert checked.code == 0
    assert run("uninstall", "hermes", cwd=repository.root).code == 0
    assert [each for each in hermes.rglob("*") if each.is_file()] == []
    assert not (hermes / "plugins" / "codecairn").exists()


def test_entry_point_is_the_module_that_is_installed(hermes: Path) -> None:
    manifest = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (module,) = manifest["project"]["entry-points"]["hermes_agent.memory_providers"].values()
    source = ROOT / "python" / Path(*module.split(".")).with_suffix(".py")
    installed = (hermes / "plugins" / "codecairn" / "__init__.py").read_text(encoding="utf-8")
    assert (
        source.read_text(encoding="utf-8").partition("class ")[2]
        == installed.partition("class ")[2]
    )


def test_prompts_that_ask_nothing_are_not_looked_up() -> None:
    told = {"session_id": "one", "cwd": "/p"}
    for prompt in ("ok", "Continue.", "  thanks! ", ""):
        assert heard("hermes", "Prompt", told | {"prompt": prompt}) is None
    meaning = heard("hermes", "Prompt", told | {"prompt": "continue with the port"})
    assert "records" not in meaning  # what is asked is recorded with its answer
    assert heard("hermes", "Nothing", told) is None
    assert all(heard("hermes", event, {}) is None for event in EVENTS)


def test_turns_are_recorded_and_what_answers_is_told(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is done in the background: what finds the memory locked is recorded by a later process."""
    monkeypatch.setenv("CODECAIRN_HOOKS_BACKGROUND", "false")
    repository.commit()
    with Workspace.open(repository.root) as workspace:
        workspace.memory.add("The API listens on port 8080", type="project-config")
    told = {"session_id": "one", "cwd": str(repository.root)}
    hooked("hermes", "SessionStart", told, cwd=repository.root)
    turn = {"prompt": "We decided to deploy on Fridays.", "answer": "<private>x</private> noted"}
    assert hooked("hermes", "Turn", told | turn, cwd=repository.root) == {}
    asked = {"prompt": "which port does the API listen on?", "session_id": "two"}
    assert "8080" in hooked("hermes", "Prompt", told | asked, cwd=repository.root)["context"]
    hooked("hermes", "SessionEnd", told, cwd=repository.root)
    own = [event for event in _events(repository) if event.session == "one"]
    assert [(event.role, event.title or event.body) for event in own] == [
        ("system", "session started"), ("user", "We decided to deploy on Fridays."), ("assistant", "[REDACTED] noted"),
        ("system", "session ended"),
    ]  # fmt: skip
    with Workspace.open(repository.root) as workspace:
        assert any("Fridays" in fact.text for fact in workspace.memory.list(types=["decision"]))


@pytest.mark.slow
@pytest.mark.skipif(
    not HERMES.exists(), reason="`make test-all` installs Hermes into target/hermes"
)
def test_hermes_itself_finds_loads_and_calls_it(hermes: Path, repository: Repository) -> None:
    said = _told(_IN_HERMES, python=HERMES, cwd=repository.root)
    assert said["found"][0][2] is True
    assert "memory_search" in said["tools"]
    assert "8080" in said["call"]["result"]
    assert "in-hermes" in {event.session for event in _events(repository)}
