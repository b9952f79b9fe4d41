"""What the page of hooks says is what the code does."""

import re
from pathlib import Path

from codecairn.config.settings import SETTINGS
from codecairn.hooks.call import DEADLINE_S
from codecairn.hosts import hook_events
from codecairn.hosts.host_table import HOSTS
from hooks.fixtures import AGENTS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "hooks.md").read_text(encoding="utf-8")


def _section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_host_with_hooks_has_its_section() -> None:
    for agent in AGENTS:
        title = HOSTS[agent].title.removesuffix(" CLI") if agent == "codex" else HOSTS[agent].title
        assert _section(title), title
        assert f"`{agent}`" in PAGE


def test_events_that_are_entered_are_named() -> None:
    for title, events in (("Claude Code", hook_events.CLAUDE), ("Gemini CLI", hook_events.GEMINI)):
        named = set(re.findall(r"`([A-Z][a-z]+[A-Z]\w+|Stop)`", _section(title)))
        assert named == set(events)


def test_words_settings_and_times_are_the_codes() -> None:
    for word in ("skip", "off", "on"):
        assert f"`codecairn:{word}`" in PAGE
    named = set(re.findall(r"`((?:hooks|memory)\.[a-z_]+)`", PAGE)) - {"hooks.json"}
    assert named <= set(SETTINGS)
    assert f"not done within {DEADLINE_S * 1000:.0f} ms" in PAGE
