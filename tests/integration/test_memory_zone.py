"""All dates that the memory shows are of one time zone, which is named: the user's."""

import os
import re
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.mcp.memory_answers import recalled_answer, sessions_answer
from support.command import run
from support.repository import Repository

LATE = datetime(2026, 3, 2, 4, 30, tzinfo=timezone.utc)
"""Still the evening of the first of March in Los Angeles, and ten in the morning of the second in Kathmandu."""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no time.tzset")

ZONES = {
    "America/Los_Angeles": ("2026-03-01", "20:30 PST", "PST"),
    "Asia/Kathmandu": ("2026-03-02", "10:15 +0545", "+0545"),
    "UTC": ("2026-03-02", "04:30 UTC", "UTC"),
}


@pytest.fixture(params=list(ZONES))
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def here(folder: Repository, zone: str) -> Iterator[Workspace]:
    with Workspace.open(folder.root) as workspace:
        ms = round(LATE.timestamp() * 1000)
        workspace.memory.record("s", "The heron is fed at noon.", role="user", ts_ms=ms)
        workspace.memory.add("The heron is grey", type="rule", valid_from=LATE.isoformat())
        yield workspace


DAYS: dict[str, Callable[[Workspace], str]] = {
    "what opens a session": lambda here: here.memory.context("new", part="static").text,
    "the same in XML": lambda here: here.memory.context("x", part="static", form="xml").text,
    "the same in JSON": lambda here: here.memory.context("j", part="static", form="json").text,
    "ask": lambda here: here.ask("which colour is the heron?").text,
    "an export in Markdown": lambda here: here.memory.export(format="markdown"),
}


@pytest.mark.parametrize("surface", list(DAYS))
def test_a_day_is_that_of_the_user_and_its_zone_is_named(
    here: Workspace, zone: str, surface: str
) -> None:
    day, _, name = ZONES[zone]
    here.index()
    shown = DAYS[surface](here)
    assert day in shown
    assert name in shown
    other = {"2026-03-01", "2026-03-02"} - {day}
    assert not any(each in shown for each in other)


def test_a_moment_names_its_zone(here: Workspace, zone: str) -> None:
    day, moment, _ = ZONES[zone]
    found = here.memory.search("heron", evidence=0.0)
    assert f"{day} {moment}" in recalled_answer(found).text
    assert re.search(r"\d\d:\d\d \S+", sessions_answer(here.memory.sessions()).text)


def test_a_period_and_what_is_found_in_it_are_of_one_zone(here: Workspace, zone: str) -> None:
    day, _, name = ZONES[zone]
    found = here.memory.search(f"what was done on March {int(day[-2:])}, 2026?")
    assert f"{day} 00:00 {name}" in found.period
    assert any("heron" in str(each) for each in found.results)


def test_the_command_line_does_the_same(here: Workspace, zone: str, tmp_path: Path) -> None:
    day, moment, _ = ZONES[zone]
    shown = run("memory", "list", cwd=here.root, environment={"TZ": zone})
    assert f"{day} {moment}" in shown.out
    document = run("memory", "list", "--json", cwd=here.root, environment={"TZ": zone}).document
    assert document["results"][0]["valid_from_ms"] == round(LATE.timestamp() * 1000)
