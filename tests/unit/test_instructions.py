"""The texts for agents name tools that are offered, show calls that they accept, and stay short."""

import json
import re
from itertools import chain

import pytest

from codecairn.hosts.instructions import CURSOR_RULE, DESCRIPTION, RULE, SKILL
from codecairn.hosts.slash_commands import COMMANDS
from codecairn.mcp.handshake import INSTRUCTIONS
from codecairn.mcp.tool_table import tools_of
from codecairn.memory.excerpts import tokens

MAX_TOKENS = {
    "description": (DESCRIPTION, 64),
    "skill": (SKILL, 350),
    "cursor rule": (CURSOR_RULE, 200),
    "server": (INSTRUCTIONS, 110),
    **{f"/{name}": (f"{text} {prompt}", 80) for name, (text, prompt) in COMMANDS.items()},
}
"""What each text may cost. The description, the rule and the server's text are in every session."""

OFFERED = {tool.name: tool for tool in tools_of(["compact"])}
EXAMPLE = re.compile(r"`([a-z_]+)`\s+(\{[^}]*\})")


@pytest.mark.parametrize("name", MAX_TOKENS)
def test_text_is_short(name: str) -> None:
    text, limit = MAX_TOKENS[name]
    assert tokens(text) <= limit


@pytest.mark.parametrize("text", [RULE, CURSOR_RULE, INSTRUCTIONS])
def test_tools_that_are_named_are_offered(text: str) -> None:
    named = set(re.findall(r"`([a-z]+_[a-z_]+|ask)`", text))
    assert named
    assert named <= set(OFFERED)


def test_skill_has_every_tool_that_is_called_with_a_question() -> None:
    assert {name for name, _ in EXAMPLE.findall(RULE)} == set(OFFERED) - {"memory_get"}


def test_calls_in_texts_are_accepted() -> None:
    found = list(chain(EXAMPLE.findall(RULE), EXAMPLE.findall(CURSOR_RULE)))
    assert len(found) == 9
    for name, arguments in found:
        given = json.loads(arguments)
        values = OFFERED[name].values(given)
        assert set(given.values()) <= {each for value in values.values() for each in _flat(value)}
    for parameter in re.findall(r"`([a-z]+)` takes", RULE):
        assert parameter in OFFERED["memory_add"].schema["properties"]  # type: ignore[operator]


def _flat(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def test_head_of_the_skill_is_what_hosts_read() -> None:
    """Each head is a line of YAML that a JSON string is, so no parser reads it differently."""
    head = SKILL.split("---\n")[1].splitlines()
    assert head[0] == "name: codecairn"
    assert json.loads(head[1].removeprefix("description: ")) == DESCRIPTION
    assert len(DESCRIPTION) <= 1024
