"""The help of every command: a summary of one line, sections, defaults, ranges, choices and examples."""

import re
from collections.abc import Iterator

import click
import pytest

from codecairn.cli.app import COMMANDS, SECTIONS, app
from codecairn.cli.examples import EXAMPLES
from codecairn.cli.help_text import summary
from codecairn.config.settings import SETTINGS

MAX_SUMMARY = 64
"""How many characters of a summary fit beside the longest name on a terminal of 80 columns."""


def _walk(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command by its words, the program itself among them."""
    yield name, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for inner in command.list_commands(ctx):
            found = command.get_command(ctx, inner)
            assert found is not None
            yield from _walk(found, f"{name} {inner}".strip())


ALL = dict(_walk(app))


def _help(name: str) -> str:
    ctx = click.Context(ALL[name], info_name=f"codecairn {name}".strip(), terminal_width=80)
    return ALL[name].get_help(ctx)


@pytest.mark.parametrize("name", [name for name in ALL if name])
def test_summary_is_one_short_sentence(name: str) -> None:
    text = summary(ALL[name])
    assert text.endswith(".")
    assert len(text) <= MAX_SUMMARY, text


@pytest.mark.parametrize("name", ALL)
def test_help_shows_examples_of_the_command_itself(name: str) -> None:
    shown = _help(name).partition("\nExamples:\n")[2].splitlines()
    assert shown == [f"  {line}" for line in EXAMPLES[name]]
    assert all(re.search(rf"\bcodecairn {name}".rstrip(), line) for line in shown)


def test_examples_are_of_commands_that_exist() -> None:
    assert set(EXAMPLES) == set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_help_has_no_ranges_in_symbols(name: str) -> None:
    assert "<=" not in _help(name)
    assert "2147483647" not in _help(name)


def test_commands_are_in_sections_each_once() -> None:
    listed = [name for names in SECTIONS.values() for name in names]
    assert listed == list(COMMANDS)
    text = _help("")
    for title in SECTIONS:
        assert f"\n{title}:\n" in text
    memory = ALL["memory"]
    assert isinstance(memory, click.Group)
    inner = [name for names in memory.sections.values() for name in names]  # type: ignore[attr-defined]
    assert sorted(inner) == sorted(memory.list_commands(click.Context(memory)))


def test_notes_show_default_range_and_choices() -> None:
    text = " ".join(_help("search").split())
    assert "How many results at most. [1 or more; default: 5 (search.screen_limit)]" in text
    assert "default: 10 (search.limit)" in " ".join(_help("peek").split())
    assert "default: yes (search.refresh)" in text
    text = " ".join(_help("logs").split())
    assert "[one of debug, info, warn, error; default: debug]" in text
    assert "0 to 65,535" in _help("mcp")
    assert "[1 or more; default: 5000]" in " ".join(_help("visualize").split())


@pytest.mark.parametrize("name", ALL)
def test_settings_that_decide_exist(name: str) -> None:
    for param in ALL[name].params:
        setting = getattr(param, "setting", "")
        assert not setting or setting in SETTINGS


@pytest.mark.parametrize("name", ALL)
def test_every_option_of_every_command_has_help(name: str) -> None:
    for param in ALL[name].params:
        if isinstance(param, click.Option):
            assert (param.help or "").endswith((".", "]")), param.name


@pytest.mark.parametrize("name", ["search", "ask", "context", "edit-context", "memory context"])
def test_token_budget_has_one_name_everywhere(name: str) -> None:
    assert any("--tokens" in param.opts for param in ALL[name].params)


@pytest.mark.parametrize("name", ALL)
def test_an_option_is_called_required_once(name: str) -> None:
    assert not re.search(r"\[required\]\s+\[required\]", _help(name))
