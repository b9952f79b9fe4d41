"""Every example of the page of integrations runs, and what it says is what the code does."""

import json
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import tomli

from codecairn.integrations.functions import STYLES
from codecairn.integrations.redaction import _MAX_BYTES
from codecairn.mcp.tool_table import tools_of
from hooks.fixtures import heard
from support.command import run
from support.repository import Repository

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "integrations.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^\$ codecairn (.*)$", PAGE, re.MULTILINE)
PACKAGES = {"openai_agents": "openai", "langgraph": "langgraph", "anthropic": "anthropic"}


@pytest.mark.parametrize("code", EXAMPLES)
def test_example_runs(code: str, repository: Repository) -> None:
    wanted = [package for name, package in PACKAGES.items() if f"integrations.{name} " in code]
    if any(find_spec(package) is None for package in wanted):
        pytest.skip("in the dependency group `integrations`")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repository.root, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    words = {
        "functions": "Fridays",
        "CodecairnSession": "JWT",
        "CodecairnStore": "green tea",
        "MemoryTool": "Fridays",
    }
    assert next(word for name, word in words.items() if name in code) in done.stdout
    assert "coffee" not in done.stdout


@pytest.mark.parametrize("line", COMMANDS)
def test_command_runs(line: str, repository: Repository) -> None:
    repository.write("a.py", "def verify_token(): ...\n")
    outcome = run(*shlex.split(line), cwd=repository.root)
    assert outcome.code == 0
    assert outcome.out
    if "--json" in line or "--schemas" in line:
        assert json.loads(outcome.out)


def test_what_the_page_says_is_the_codes() -> None:
    extras = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert {*re.findall(r"codecairn\[([a-z-]+)\]", PAGE)} == {*extras} - {
        "graphiti",
        "local-models",
        "redis",
        "remote",
        "s3",
        "team",
    }
    assert all(f"`{style}`" in PAGE for style in STYLES)
    assert f"{_MAX_BYTES // 1_000_000} MB at most" in PAGE
    assert len(tools_of(("compact",))) == 8
    for prompt in ("ok", "continue"):
        assert heard("hermes", "Prompt", {"session_id": "s", "prompt": prompt}) is None
