"""A prompt that one of our tools serves best is accompanied by a line that says which, once a session for each."""

import pytest

from codecairn.hooks.routing import hint_for
from codecairn.mcp.tool_table import own_tools
from hooks.fixtures import claude_told, context_of
from support.repository import Repository


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("Where are session tokens verified?", "search"),
        ("how does the basket sum prices", "search"),
        ("who calls verify_token?", "graph"),
        ("Rename Basket to Cart everywhere", "edit"),
        ("where is Basket defined?", "definition"),
        ("what would break if I drop sign()?", "impact"),
        ("which currency did we decide to use?", "memory"),
        ("find every occurrence of TODO in src", ""),
        ("grep for where is", ""),
        ("say hello", ""),
        ("/search where is it", ""),
        ("use call_graph: who calls sign?", ""),
        ("Use codecairn: where is the basket?", ""),
        ("", ""),
        ("x" * 700 + " where is it", ""),
    ],
)
def test_kind_of_a_prompt_is_told_by_its_words(prompt: str, kind: str) -> None:
    assert hint_for(prompt)[0] == kind


def test_tools_that_are_named_are_offered() -> None:
    prompts = ["where is", "who calls", "rename", "defined", "did we decide"]
    for prompt in prompts:
        tool = hint_for(prompt)[1].split("`")[1]
        assert own_tools()[tool].is_compact


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
