"""Slash commands say what the prompts say, name what exists, and look as each host reads them."""

import re
from pathlib import Path

from codecairn.cli.app import COMMANDS as PROGRAM
from codecairn.hosts.edits import Edit, OwnFile
from codecairn.hosts.slash_commands import COMMANDS, CURSOR_WORDS, OPENCODE_WORDS, command_files
from codecairn.mcp.tool_table import own_tools
from codecairn.operations.prompts import PROMPTS


def test_each_prompt_is_a_command() -> None:
    assert set(PROMPTS) < set(COMMANDS)
    for name, prompt in PROMPTS.items():
        assert ("{value}" in COMMANDS[name][1]) is bool(prompt.argument)


def test_tools_and_commands_that_they_name_exist() -> None:
    for text, said in COMMANDS.values():
        assert not re.search(r"[\n:]", text), "it stands in a line of YAML"
        for tool in re.findall(r"`([a-z]+_[a-z_]+)`", said):
            assert tool in own_tools()
        for command in re.findall(r"`codecairn ([a-z]+)", said):
            assert command in PROGRAM


def test_files_carry_the_name_of_the_program() -> None:
    names = [edit.path.name for edit in _files(words="x", has_head=True)]
    assert len(names) == len(set(names)) == len(COMMANDS)
    assert all(name.startswith("codecairn-") for name in names)


def test_opencode_fills_words_in_and_reads_a_head() -> None:
    (search,) = (
        edit for edit in _files(words=OPENCODE_WORDS, has_head=True) if "search" in edit.path.name
    )
    assert isinstance(search, OwnFile)
    assert search.content.startswith("---\ndescription: Find code by what it does\n---\n\nUse")
    assert "$ARGUMENTS" in search.content


def test_cursor_gets_plain_text() -> None:
    for edit in _files(words=CURSOR_WORDS, has_head=False):
        assert isinstance(edit, OwnFile)
        assert not edit.content.startswith("---")
        assert "$ARGUMENTS" not in edit.content


def _files(*, words: str, has_head: bool) -> list[Edit]:
    return command_files(Path("commands"), words=words, has_head=has_head)
