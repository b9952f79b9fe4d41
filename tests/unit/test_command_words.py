"""Other words for commands: a hint names the command that is meant, and never one that takes something away."""

from collections.abc import Iterator

import click
import pytest

from codecairn.cli.app import app
from codecairn.cli.usage_errors import meant_command

MEMORY = {
    "delete": "forget", "remove": "forget", "rm": "forget", "del": "forget", "show": "get", "view": "get", "cat": "get",
    "ls": "list", "find": "search", "query": "search", "grep": "search", "recall": "search", "remember": "add",
    "create": "add", "save": "add", "edit": "update", "undelete": "restore", "explain": "why", "info": "status",
    "check": "doctor", "projects": "project", "serach": "search", "forgt": "forget", "purg": "purge", "demot": "demote",
}  # fmt: skip

TOP = {
    "find": "search", "grep": "search", "query": "search", "remember": "memory add", "forget": "memory forget",
    "delete": "memory forget", "rm": "memory forget", "stats": "status", "reindex": "index", "setup": "install", "serach": "search",
}  # fmt: skip

DANGEROUS = frozenset({"demote", "purge", "uninstall", "gc", "revoke", "part", "drop"})


def _groups(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Group]]:
    if isinstance(command, click.Group):
        yield name, command
        for each in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), each)
            if found is not None:
                yield from _groups(found, f"{name} {each}".strip())


GROUPS = dict(_groups(app))


def _meant(group: str, word: str) -> str:
    return meant_command(group, word, GROUPS[group].list_commands(click.Context(GROUPS[group])))


@pytest.mark.parametrize("word", list(MEMORY))
def test_another_word_for_a_command_of_the_memory_is_known(word: str) -> None:
    assert _meant("memory", word) == f"memory {MEMORY[word]}"


@pytest.mark.parametrize("word", list(TOP))
def test_another_word_for_a_command_is_known(word: str) -> None:
    assert _meant("", word) == TOP[word]


@pytest.mark.parametrize("group", list(GROUPS))
def test_no_other_word_leads_to_what_takes_something_away(group: str) -> None:
    for word in {*MEMORY, *TOP} - {"purg", "demot"}:
        assert DANGEROUS.isdisjoint(_meant(group, word).split())


@pytest.mark.parametrize("group", list(GROUPS))
def test_what_is_meant_is_a_command(group: str) -> None:
    for word in {*MEMORY, *TOP}:
        meant = _meant(group, word)
        lead, _, name = meant.rpartition(" ")
        assert not meant or name in GROUPS[lead].list_commands(click.Context(GROUPS[lead]))
