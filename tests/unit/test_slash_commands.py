"""Slash commands say what the prompts say, and name what exists."""

import re
from pathlib import Path

from codecairn.cli.app import COMMANDS as PROGRAM
from codecairn.hosts.commands import ARGUMENTS, COMMANDS, command_files
from codecairn.mcp.tools import TOOLS
from codecairn.prompts import PROMPTS


def test_each_prompt_is_a_command() -> None:
    assert set(PROMPTS) < set(COMMANDS)
    for name, prompt in PROMPTS.items():
        assert (ARGUMENTS in COMMANDS[name][1]) is bool(prompt.argument)


def test_tools_and_commands_that_they_name_exist() -> None:
    for text, said in COMMANDS.values():
        assert not re.search(r"[\n:]", text), "it stands in a line of YAML"
        for tool in re.findall(r"`([a-z]+_[a-z_]+)`", said):
            assert tool in TOOLS
        for command in re.findall(r"`codecairn ([a-z]+)", said):
            assert command in PROGRAM


def test_files_carry_the_name_of_the_program() -> None:
    names = [edit.path.name for edit in command_files(Path("commands"))]
    assert len(names) == len(set(names)) == len(COMMANDS)
    assert all(name.startswith("codecairn-") for name in names)
