"""Real agents, with a model that is played by a script.

They start our server, call a tool, and show its answer to the model; they run our hooks, and the model receives the memories.
"""

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.core.types.memory import Event, Session
from codecairn.hooks import background
from codecairn.hosts.instructions import DESCRIPTION
from codecairn.mcp.handshake import INSTRUCTIONS
from codecairn.mcp.tool_table import tools_of
from hooks.fixtures import REQUESTED, resolve
from support.command import command, run
from support.repository import Repository
from support.scripted_model import Call, ScriptedModel

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

TARGET = Path(__file__).parents[2] / "target"
QUESTION = "who checks the signature of a token?"
PATIENCE_S = 180
WINDOW = 100_000
"""The tokens in which a session's messages have to fit."""

FILE, BEFORE, AFTER = "shop/limits.py", "LIMIT = 0", "LIMIT = 10  # fixed"
MAKEFILE = (
    "check:\n"
    f"\t@grep -q fixed {FILE} || {{ echo 'error: the limit is not fixed' >&2; exit 1; }}\n"
    "\t@echo all is well\n"
)
PATCH = f"*** Begin Patch\n*** Update File: {FILE}\n@@\n-{BEFORE}\n+{AFTER}\n*** End Patch"
LEARNED = {
    "text": "Signatures of tokens are checked in shop/tokens.py, before anything is decoded.",
    "type": "architecture",
}
FIXES: dict[str, list[Call]] = {
    "codex": [
        ("exec_command", {"cmd": "make check"}),
        ("apply_patch", {"input": PATCH}),
        ("exec_command", {"cmd": "make check"}),
    ],
    "claude": [
        ("Bash", {"command": "make check", "description": "check"}),
        ("Read", {"file_path": FILE}),
        ("Edit", {"file_path": FILE, "old_string": BEFORE, "new_string": AFTER}),
        ("Bash", {"command": "make check", "description": "check"}),
    ],
    "opencode": [
        ("bash", {"command": "make check", "description": "check"}),
        ("read", {"filePath": FILE}),
        ("edit", {"filePath": FILE, "oldString": BEFORE, "newString": AFTER}),
        ("bash", {"command": "make check", "description": "check"}),
    ],
    "gemini": [
        ("run_shell_command", {"command": "make check"}),
        (
            "replace",
            {"file_path": FILE, "instruction": "fix", "old_string": BEFORE, "new_string": AFTER},
        ),
        ("run_shell_command", {"command": "make check"}),
    ],
}
"""A check that fails, the change that it asks for, and the check again, in the tools of each agent."""


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model that asks where tokens are checked."""
    with ScriptedModel([("codebase_search", {"query": QUESTION})]).running() as server:
        yield server


def _program(name: str, *, folder: str = "agents") -> str:
    found = shutil.which(name, path=str(TARGET / folder / "node_modules" / ".bin"))
    if found is None:
        pytest.skip(f"`{name}` is not installed: `make test-all` does")
    return found


def _codex(home: Path, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    file = home / ".codex" / "config.toml"
    # Codex offers `apply_patch` to models that it knows, and to others the tools of servers without a search for them.
    name = "gpt-5.5" if "apply_patch" in dict(model.calls) else "scripted"
    provider = (
        f'model = "{name}"\nmodel_provider = "local"\n\n[model_providers.local]\nname = "local"\n'
        f'base_url = "{model.url}/v1"\nwire_api = "responses"\nenv_key = "LOCAL_KEY"\n\n'
    )
    file.write_text(provider + file.read_text())
    # What a person approves once with `/hooks`.
    trusted = ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
    trusted += ["-c", f"model_auto_compact_token_limit={WINDOW}"]
    arguments = [*trusted, "--dangerously-bypass-approvals-and-sandbox", QUESTION]
    return arguments, {"LOCAL_KEY": "k"}


def _claude(_home: Path, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    environment = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-test",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    allowed = "mcp__codecairn__codebase_search,Bash,Read,Edit"
    return ["-p", QUESTION, "--allowedTools", allowed], environment


def _opencode(home: Path, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    file = home / ".config" / "opencode" / "opencode.json"
    document = json.loads(file.read_text())
    document["provider"] = {
        "local": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{model.url}/v1", "apiKey": "k"},
            "models": {"scripted": {"name": "scripted", "limit": {"context": WINDOW, "output": 1}}},
        }
    }
    file.write_text(json.dumps(document))
    environment = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    return ["run", "--model", "local/scripted", QUESTION], environment


def _gemini(home: Path, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    file = home / ".gemini" / "settings.json"
    document = json.loads(file.read_text())
    document["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    file.write_text(json.dumps(document))
    environment = {"GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": "k"}
    return ["--skip-trust", "--approval-mode", "yolo", "-p", QUESTION], environment


AGENTS: dict[str, Callable[[Path, ScriptedModel], tuple[list[str], dict[str, str]]]] = {
    "codex": _codex,
    "claude": _claude,
    "opencode": _opencode,
    "gemini": _gemini,
}


def _run(
    agent: str, project: Repository, home: Path, model: ScriptedModel, *, allowed: str = ""
) -> str:
    """Install, then let the agent answer the question; what it printed. Claude Code is `allowed` one more tool."""
    program = _program(agent)
    assert run("install", agent, cwd=project.root).code == 0
    arguments, extra = AGENTS[agent](home, model)
    if allowed and agent == "claude":
        arguments[-1] += f",{allowed}"
    done = subprocess.run(
        [program, *arguments],
        cwd=project.root,
        env=os.environ | extra | {"PWD": str(project.root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert model.results, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("agent", AGENTS)
def test_agent_calls_our_tool_and_its_model_is_shown_the_code(
    agent: str, project: Repository, home: Path, model: ScriptedModel
) -> None:
    said = _run(agent, project, home, model)
    shown = model.results[0]
    assert "[1] shop/tokens.py:" in shown, "as text, not as a document in JSON"
    assert "def verify_token" in shown
    assert "That is all." in said
    requests = [json.dumps(body) for _, body in model.asked]
    assert max(request.count(DESCRIPTION) for request in requests) == 1, "the skill, once"
    assert max(request.count(INSTRUCTIONS[:60]) for request in requests) == 1


def _recorded(project: Repository) -> tuple[Session, list[Event]]:
    """The agent's session, once its end was recorded: processes that nobody waits for may be at it."""
    for _ in range(PATIENCE_S * 2):
        with Workspace.open(project.root) as workspace:
            for session in workspace.memory.sessions():
                if session.host and session.status == "ended":
                    events = workspace.memory.events(session=session.id, limit=100)
                    own = [each for each in events if not each.hook.startswith("codecairn.")]
                    return session, sorted(own, key=lambda event: event.ts_ms)
        threading.Event().wait(0.5)
    pytest.fail("no session has ended")


@pytest.mark.parametrize("agent", AGENTS)
def test_agent_s_session_is_recorded_and_its_model_told_what_is_remembered(
    agent: str, project: Repository, home: Path, model: ScriptedModel
) -> None:
    told = "Signatures of tokens are compared in constant time"
    with Workspace.open(project.root) as workspace:
        workspace.memory.add(told, type="rule")
    background.look_after(project.root)
    resolve(project.root)  # as after the first session here
    _run(agent, project, home, model)
    session, events = _recorded(project)
    assert session.host == agent
    assert session.turns == 1
    heard = [
        (each.role, each.body.strip('"')) for each in events if each.role in {"user", "assistant"}
    ]
    assert heard == [("user", QUESTION), ("assistant", "That is all.")]
    assert not any("codecairn" in each.tool for each in events), "a memory must not feed on itself"
    assert events[-1].category == "session-meta"
    requests = [json.dumps(body) for _, body in model.asked]
    assert any(told in request for request in requests)
    assert max(request.count(told) for request in requests) == 1, "once"


@pytest.mark.parametrize("agent", AGENTS)
def test_agent_s_error_and_its_fix_become_a_fact(
    agent: str, project: Repository, home: Path
) -> None:
    project.write_all({"Makefile": MAKEFILE, FILE: f"{BEFORE}\n"})
    project.commit("check")
    resolve(project.root)
    with ScriptedModel(FIXES[agent]).running() as model:
        _run(agent, project, home, model)
    assert AFTER in (project.root / FILE).read_text(), model.results
    _, events = _recorded(project)
    runs = [(each.command, each.exit_code) for each in events if each.command == "make check"]
    assert runs == [("make check", 2), ("make check", 0)]
    with Workspace.open(project.root) as workspace:
        (fact,) = workspace.memory.list(types=["error-solution"])
    expected = f"`make check` failed with `error: the limit is not fixed`; it passes after changing `{FILE}`"
    assert fact.text == expected


@pytest.mark.parametrize("agent", ["codex", "claude", "gemini"])
def test_agent_is_asked_once_at_the_end_of_its_turn_and_adds_what_it_learned(
    agent: str, project: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_HOOKS_ASK_EVERY", "1")
    monkeypatch.delenv("CODECAIRN_HOME")  # Codex gives it to hooks but not to servers
    resolve(project.root)
    model = ScriptedModel([("memory_add", LEARNED)], after=REQUESTED)
    with model.running():
        _run(agent, project, home, model, allowed="mcp__codecairn__memory_add")
    _, events = _recorded(project)
    with Workspace.open(project.root) as workspace:
        (fact,) = workspace.memory.list(types=["architecture"])
    assert (fact.text, fact.origin, fact.maker) == (LEARNED["text"], "agent", "add")
    prompts = [each.body.strip('"') for each in events if each.role == "user"]
    assert prompts == [QUESTION], "the request is no prompt of the user's"
    asked = [json.dumps(body).count(REQUESTED) for _, body in model.asked]
    assert max(asked) == 1, "once"


def test_opencode_asks_where_it_goes_on_after_a_turn(
    project: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`opencode run` alone ends with the turn, so the session is held by a server, as its screen holds it."""
    monkeypatch.setenv("CODECAIRN_HOOKS_ASK_EVERY", "1")
    resolve(project.root)
    program = _program("opencode")
    assert run("install", "opencode", cwd=project.root).code == 0
    with ScriptedModel([("memory_add", LEARNED)], after=REQUESTED).running() as model:
        arguments, extra = _opencode(home, model)
        environment = os.environ | extra | {"PWD": str(project.root)}
        server = subprocess.Popen(
            [program, "serve", "--port", "0"],
            cwd=project.root,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            url = next(line.split()[-1] for line in server.stdout if "http://" in line)
            attached = [program, arguments[0], "--attach", url, *arguments[1:]]
            subprocess.run(
                attached,
                cwd=project.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                timeout=PATIENCE_S,
                check=True,
            )
            for _ in range(PATIENCE_S * 2):
                with Workspace.open(project.root) as workspace:
                    found = workspace.memory.list(types=["architecture"])
                if found:
                    break
                threading.Event().wait(0.5)
        finally:
            server.terminate()
            server.communicate()
    assert [fact.text for fact in found] == [LEARNED["text"]]
    assert max(json.dumps(body).count(REQUESTED) for _, body in model.asked) == 1, "once"


@pytest.mark.parametrize("agent", ["codex", "opencode"])
def test_model_of_an_agent_whose_context_is_full_is_told_what_it_was_at(
    agent: str, project: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CODECAIRN_HOOKS_BACKGROUND")
    project.write_all({"Makefile": MAKEFILE, FILE: f"{BEFORE}\n"})
    resolve(project.root)
    model = ScriptedModel(FIXES[agent][:1], summary_s=5, used_tokens=2 * WINDOW)
    with model.running():
        _run(agent, project, home, model)
    told = "\n".join(json.dumps(body) for _, body in model.asked).replace('\\"', "")
    assert "## Last Request\\n- " + QUESTION in told
    assert "## Unresolved Errors\\n- make check: " in told


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_inspector_lists_and_calls_every_tool(
    transport: str, project: Repository, http_server: tuple[str, str]
) -> None:
    program = _program("mcp-inspector", folder="inspector")
    target = [*command("mcp", str(project.root), "--tools", "all")]
    headers: list[str] = []
    if transport == "http":
        target = [http_server[0], "--transport", "http"]
        headers = ["--header", f"Authorization: Bearer {http_server[1]}"]

    def ask(*arguments: str) -> dict[str, list[dict[str, object]]]:
        done = subprocess.run(
            [program, "--cli", *target, *headers, *arguments],
            capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        document: dict[str, list[dict[str, object]]] = json.loads(done.stdout)
        return document

    listed = ask("--method", "tools/list")["tools"]
    offered = [tool.name for tool in tools_of(["all"]) if not tool.changes_bases]
    assert [tool["name"] for tool in listed] == offered
    called = ask(
        "--method", "tools/call", "--tool-name", "codebase_peek", "--tool-arg", "query=verify token"
    )
    assert "shop/tokens.py" in str(called["content"][0]["text"])
    assert not called.get("isError")
