"""What the page for people who come from other memories names exists here: commands, options, settings, tools, names."""

import itertools
import re
from pathlib import Path

import click
import pytest

from codecairn import Workspace
from codecairn.cli.app import app
from codecairn.config.settings import SETTINGS
from codecairn.core.types import memory
from codecairn.core.types.memory import FACT_TYPES, SCOPES
from codecairn.mcp.tool_sets import SETS
from codecairn.mcp.tool_table import own_tools, tools_of
from codecairn.memory.importing.sources import SOURCES
from codecairn.memory.memory import Memory

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "switch" / "other-memories.md").read_text(encoding="utf-8")
HERE = [
    cells[2]
    for line in PAGE.splitlines()
    if line.startswith("| ") and len(cells := re.split(r"(?<!\\)\|", line)) in {4, 5}
]
"""The content of our column."""

HELD = PAGE.partition("## opencode-graphiti\n")[2]
"""The part of which every row links its tests."""

PLACES = dict(re.findall(r"^\[([a-z-]+)\]: \S+/blob/main/(\S+)$", PAGE, re.M))
TESTS = re.findall(r"\[`([a-z0-9_]+)`\]\[([a-z-]+)\]", HELD)

SPOKEN = "\n".join([*HERE, *(line for line in PAGE.splitlines() if not line.startswith("|"))])
QUOTED = re.findall(r"`([^`]+)`", SPOKEN)
COMMANDS = sorted(
    {text for text in QUOTED if re.match(r"(?:codecairn|memory) [a-z]", text) and "…" not in text}
)


def _command(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that words name, and what else they say."""
    found: click.Command = app
    rest = list(words)
    while isinstance(found, click.Group) and rest:
        inner = found.get_command(click.Context(found), rest[0])
        assert inner is not None, f"there is no command `{' '.join(words)}`"
        found, rest = inner, rest[1:]
    return found, rest


@pytest.mark.parametrize("text", COMMANDS)
def test_commands_and_their_options_exist(text: str) -> None:
    words = re.sub(r'"[^"]*"', "TEXT", text).removesuffix(" --help").split()
    command, rest = _command(words[1:] if words[0] == "codecairn" else words)
    known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    for word in rest:
        if word.startswith("-"):
            assert word in known, text
    choices = {
        name: param.type.choices
        for param in command.params
        if isinstance(param.type, click.Choice)
        for name in param.opts
    }
    for option, value in itertools.pairwise(rest):
        if option in choices and value.islower():
            assert value in choices[option], text


def test_every_row_says_what_it_is_here() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    assert len(HERE) == len(rows)
    assert all(len(cell.strip()) >= 5 for cell in HERE if cell.strip() not in {"here", "---"})


def test_every_promise_of_opencode_graphiti_links_the_tests_that_hold_it() -> None:
    rows = [line for line in HELD.splitlines() if line.startswith("| ")]
    promises = [line for line in rows if not line.startswith("| there")]
    assert promises
    for line in promises:
        has_tests = re.search(r"\| (\[`\w+`\]\[[a-z-]+\](<br>)?)+ \|$", line)
        assert has_tests or "**not available**" in line, line


@pytest.mark.parametrize(("name", "place"), sorted(set(TESTS)))
def test_tests_that_are_linked_exist(name: str, place: str) -> None:
    text = (ROOT / PLACES[place]).read_text(encoding="utf-8")
    assert re.search(rf"^ *(?:def|fn) {name}\(", text, re.M), f"`{PLACES[place]}` has no `{name}`"


def test_every_linked_file_is_used() -> None:
    assert {place for _, place in TESTS} == set(PLACES)


def test_settings_that_are_named_exist() -> None:
    sections = {key.split(".")[0] for key in SETTINGS}
    named = {
        text
        for text in QUOTED
        if re.fullmatch(r"[a-z]+\.[a-z_]+", text) and text.split(".")[0] in sections
    }
    assert named
    assert named <= set(SETTINGS)


def test_tools_that_are_named_exist() -> None:
    named = {text for text in QUOTED if re.fullmatch(r"memory_[a-z]+", text)}
    assert named
    assert named <= set(own_tools())


def test_sets_of_tools_that_are_named_exist() -> None:
    assert set(re.findall(r"--tools ([a-z-]+)", PAGE)) <= set(SETS)
    theirs = {tool.name for tool in tools_of(["codexfi", "codex-mem", "graphiti"])}
    for line in PAGE.splitlines():
        if line.startswith(("| `mem_", "| `add_memory`")):
            assert set(re.findall(r"`([a-z_]+)`", line.split("|")[1])) <= theirs


def test_types_and_scopes_that_are_named_exist() -> None:
    row = next(cell for cell in HERE if cell.strip().startswith("all of them, by the same names"))
    assert set(re.findall(r"`([a-z-]+)`", row)) <= set(FACT_TYPES)
    row = next(cell for cell in HERE if "`branch`" in cell)
    assert set(re.findall(r"`([a-z]+)`", row)) == set(SCOPES)


def test_names_of_the_library_exist() -> None:
    for owner, name in re.findall(r"`(Workspace|Memory)\.([a-z_]+)`", SPOKEN):
        assert hasattr({"Workspace": Workspace, "Memory": Memory}[owner], name)
    for name in re.findall(r"`([A-Z][a-z][a-zA-Z]+)`", "\n".join(HERE)):
        assert hasattr(memory, name), name


def test_tools_whose_memories_are_taken_in_are_sources() -> None:
    for source in re.findall(r"(?<!config import )--from ([a-z-]+)", PAGE):
        assert source in SOURCES
