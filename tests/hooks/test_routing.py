"""A prompt that one of our tools serves best is accompanied by a line that says which, once a session for each."""

import pytest

from codecairn.mcp.tool_table import own_tools
from hooks.fixtures import claude_told, context_of
from support.repository import Repository


def test_tools_that_are_named_are_offered(project: Repository) -> None:
    for prompt in ("where is it", "who calls it", "rename it", "it is defined", "did we decide it"):
        line = context_of(claude_told(project, "UserPromptSubmit", prompt=prompt))
        assert own_tools()[line.split("`")[1]].is_compact


def test_each_hint_is_given_once_a_session(project: Repository) -> None:
    def told(prompt: str, session: str = "s-1") -> str:
        return context_of(claude_told(project, "UserPromptSubmit", session=session, prompt=prompt))

    assert "`codebase_search`" in told("where are tokens verified?")
    assert told("where are prices summed?") == ""
    assert "`call_graph`" in told("who calls sign?")
    assert "`codebase_search`" in told("where are tokens verified?", "s-2")


def test_settings_switch_hints_off(project: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODECAIRN_HOOKS_ROUTING", "false")
    answer = claude_told(project, "UserPromptSubmit", prompt="where are tokens verified?")
    assert context_of(answer) == ""


def test_nothing_is_hinted_at_where_nothing_is_shown(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODECAIRN_HOOKS_INJECT", "false")
    answer = claude_told(project, "UserPromptSubmit", prompt="where are tokens verified?")
    assert context_of(answer) == ""
