"""Real agents, with a model that is played by a script: they start our server, call a tool, and are shown its answer."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codecairn.mcp.tools import tools_of
from support.command import command, run
from support.repository import Repository
from support.scripted_model import ScriptedModel

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

TARGET = Path(__file__).parents[2] / "target"
QUESTION = "who checks the signature of a token?"
PATIENCE_S = 180


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model that asks where tokens are checked."""
    with ScriptedModel("codebase_search", {"query": QUESTION}).running() as server:
        yield server


def _program(name: str, *, folder: str = "agents") -> str:
    found = shutil.which(name, path=str(TARGET / folder / "node_modules" / ".bin"))
    if found is None:
        pytest.skip(f"`{name}` is not installed: `make test-all` does")
    return found


def _codex(home: Path, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    file = home / ".codex" / "config.toml"
    provider = (
        'model = "scripted"\nmodel_provider = "local"\n\n[model_providers.local]\nname = "local"\n'
        f'base_url = "{model.url}/v1"\nwire_api = "responses"\nenv_key = "LOCAL_KEY"\n\n'
    )
    file.write_text(provider + file.read_text())
    arguments = ["exec", "--skip-git-repo-check", "--sandbox", "read-only", QUESTION]
    return arguments, {"LOCAL_KEY": "k"}


def _claude(_home: Path, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    environment = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-test",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    return ["-p", QUESTION, "--allowedTools", "mcp__codecairn__codebase_search"], environment


def _opencode(home: Path, model: ScriptedModel) -> tuple[list[str], dict[str, str]]:
    file = home / ".config" / "opencode" / "opencode.json"
    document = json.loads(file.read_text())
    document["provider"] = {
        "local": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{model.url}/v1", "apiKey": "k"},
            "models": {"scripted": {"name": "scripted"}},
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


@pytest.mark.parametrize("agent", AGENTS)
def test_agent_calls_our_tool_and_its_model_is_shown_the_code(
    agent: str, project: Repository, home: Path, model: ScriptedModel
) -> None:
    program = _program(agent)
    assert run("install", agent, cwd=project.root).code == 0
    arguments, extra = AGENTS[agent](home, model)
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
    shown = model.results[0]
    assert "[1] shop/tokens.py:" in shown, "as text, not as a document in JSON"
    assert "def verify_token" in shown
    assert "That is all." in done.stdout


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
    assert [tool["name"] for tool in listed] == [tool.name for tool in tools_of("all")]
    called = ask(
        "--method", "tools/call", "--tool-name", "codebase_peek", "--tool-arg", "query=verify token"
    )
    assert "shop/tokens.py" in str(called["content"][0]["text"])
    assert not called.get("isError")
