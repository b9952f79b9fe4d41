"""What is remembered of a time: from its first millisecond to its last, and no other."""

import os
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from codecairn import Workspace
from codecairn.memory.memory import Memory
from support.repository import Repository

DAY = datetime(2026, 3, 5, tzinfo=timezone.utc)
MOMENT = timedelta(milliseconds=1)
NIGHTS = (DAY - MOMENT, DAY, DAY + timedelta(days=1) - MOMENT, DAY + timedelta(days=1))
"""Around the beginning and the end of a day."""


@pytest.fixture
def memory(folder: Repository, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """An event and a fact of each of these moments, called a to d."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset() if hasattr(time, "tzset") else None
    with Workspace.open(folder.root) as workspace:
        for name, moment in zip("abcd", NIGHTS, strict=True):
            ms = round(moment.timestamp() * 1000)
            text = f"The harbour lamp is lit, {name}."
            workspace.memory.record(name, text, role="assistant", ts_ms=ms)
            workspace.memory.add(text, title=name, valid_from=moment.isoformat(), scope="session")
        yield workspace.memory
    monkeypatch.undo()
    time.tzset() if hasattr(time, "tzset") else None


@pytest.mark.skipif(os.name == "nt", reason="Windows has no time.tzset")
@pytest.mark.parametrize("kind", ["event", "fact"])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("harbour lamp before 2026-03-05", "a"),
        ("harbour lamp until 2026-03-05", "a"),
        ("harbour lamp since 2026-03-05", "bcd"),
        ("harbour lamp after 2026-03-05", "d"),
        ("harbour lamp before 2026-03-06", "abc"),
        ("harbour lamp after 2026-03-04", "bcd"),
        ("3月5日之前 harbour lamp", "a"),
        ("harbour lamp", "abcd"),
    ],
)
def test_a_stretch_begins_with_its_first_moment_and_ends_before_the_next(
    memory: Memory, kind: str, text: str, names: str
) -> None:
    found = memory.recall(text, kinds=[kind], evidence=0.0)
    assert sorted(each.text[-2] for each in found) == list(names)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no time.tzset")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what was done on March 5, 2026?", ["c", "b", "c", "b"]),
        ("what was done on March 4, 2026?", ["a", "a"]),
        ("what was done on March 7, 2026?", []),
        ("was haben wir am 6. März 2026 gemacht?", ["d", "d"]),
        ("what was done today?", []),
        ("harbour lamp, last week", []),
    ],
)
def test_all_of_a_period_is_listed_the_newest_first_and_nothing_of_another(
    memory: Memory, text: str, names: list[str]
) -> None:
    found = memory.recall(text)
    assert [each.text[-2] for each in found] == names


def test_what_was_recorded_late_is_of_its_own_time(memory: Memory) -> None:
    for at in range(300):
        memory.record("old", f"imported {at}", role="user", ts_ms=1_000_000_000_000 + at)
    assert [each.text[-2] for each in memory.recall("what was done on March 5, 2026?")] == [
        *("c", "b", "c", "b")
    ]


def test_what_cannot_be_judged_is_not_said_to_answer_nothing(memory: Memory) -> None:
    assert memory.search("lamp").remark == ""
    memory.record("t", "error[E0507]: cannot move out of `reader`", role="tool", tool="Bash")
    assert memory.search("E0507 reader").remark == ""


def test_a_list_of_an_empty_period_is_empty(memory: Memory) -> None:
    memory.add("We deploy on Mondays.", type="decision", valid_from="2026-03-05")
    assert memory.recall("list all decisions")
    assert not memory.recall("list the decisions of last week")


def test_a_list_about_a_topic_has_the_facts_about_it_the_newest_first(memory: Memory) -> None:
    for text, day in (
        ("We deploy on Mondays.", 1),
        ("We deploy with care.", 2),
        ("Tea is green.", 3),
    ):
        memory.add(text, type="decision", valid_from=f"2026-03-0{day}")
    found = memory.recall("list all decisions about how we deploy")
    assert [each.text for each in found] == ["We deploy with care.", "We deploy on Mondays."]
    assert len(memory.recall("list all decisions")) == 3
    assert memory.search("list all decisions about zebras").results == ()


@pytest.mark.parametrize(
    ("question", "period"),
    [
        ("the harbour lamp since 2026-03-05", "since 2026-03-05 00:00 UTC"),
        ("the harbour lamp before 2026-03-05", "before 2026-03-05 00:00 UTC"),
        (
            "what was done on March 5, 2026?",
            "between 2026-03-05 00:00 UTC and 2026-03-06 00:00 UTC",
        ),
        ("the harbour lamp", ""),
    ],
)
def test_period_of_a_question_is_written_as_people_write_it(
    memory: Memory, question: str, period: str
) -> None:
    assert memory.search(question).period == period


def test_what_belongs_to_the_matter_of_an_overview_comes_before_what_shares_its_words(
    memory: Memory,
) -> None:
    memory.record("y", "The deployment waits for the harbour master.", role="assistant")
    memory.record("x", "The deployment runs in Docker, by its image.", role="assistant")
    found = memory.recall("what is the complete deployment", kinds=["event"], evidence=0.0)
    sessions = [each.event.session for each in found if each.event is not None]
    assert sessions[:2] == ["x", "y"]
    memory.record("z", "The deployment waits for the harbour pilot.", role="assistant")
    plain = memory.recall("when does the deployment wait", kinds=["event"], evidence=0.0)
    assert [each.event.session for each in plain if each.event is not None][-1] == "x"


def test_a_search_tells_its_period_and_whether_anything_answers(memory: Memory) -> None:
    known = memory.search("is the harbour lamp lit?")
    assert (known.is_answered, known.period, known.remark) == (True, "", "")
    unknown = memory.search("who feeds the lighthouse cat before the harbour opens?", evidence=0.0)
    assert unknown.results
    assert unknown.remark == "nothing that is remembered seems to answer this"
    empty = memory.search("the harbour lamp since 2026-04-01")
    assert empty.remark == "nothing is remembered about this since 2026-04-01 00:00 UTC"


@pytest.mark.parametrize("kind", ["event", "fact"])
@pytest.mark.parametrize(
    ("limits", "names"),
    [
        ({"since": NIGHTS[1]}, "bcd"),
        ({"since": NIGHTS[1] + MOMENT}, "cd"),
        ({"until": NIGHTS[1]}, "ab"),
        ({"until": NIGHTS[1] - MOMENT}, "a"),
        ({"since": NIGHTS[1], "until": NIGHTS[2]}, "bc"),
        ({"since": NIGHTS[3] + MOMENT}, ""),
        ({"until": NIGHTS[0] - MOMENT}, ""),
    ],
    ids=["since", "since later", "until", "until earlier", "both", "after all", "before all"],
)
def test_limits_that_a_caller_sets_hold_to_the_millisecond(
    memory: Memory, kind: str, limits: dict[str, datetime], names: str
) -> None:
    told = {name: moment.isoformat() for name, moment in limits.items()}
    found = memory.recall("harbour lamp", kinds=[kind], evidence=0.0, **told)  # type: ignore[arg-type]
    assert sorted(each.text[-2] for each in found) == list(names)


@pytest.mark.parametrize(
    "text",
    [
        *("harbour lamp 9999 years ago", "harbour lamp on 9999-12-31", "过去9999年 harbour lamp"),
        *("harbour lamp in December 9999", "harbour lamp since 0001-01-01"),
    ],
)
def test_a_time_beyond_the_calendar_is_no_error(memory: Memory, text: str) -> None:
    assert len(memory.recall(text, kinds=["event"], evidence=0.0)) == 4


def test_a_fact_is_shown_until_it_expires(folder: Repository) -> None:
    now = datetime.now(timezone.utc)
    with Workspace.open(folder.root) as workspace:
        memory = workspace.memory
        memory.add("The lamp was lit", expires=(now - timedelta(seconds=1)).isoformat())
        memory.add("The lamp is out", expires=(now + timedelta(hours=1)).isoformat())
        memory.add("The lamp is there")
        expected = {"The lamp is out", "The lamp is there"}
        assert {fact.text for fact in memory.list()} == expected
        found = memory.recall("lamp", kinds=["fact"], evidence=0.0)
        assert {each.text for each in found} == expected
        later = (now + timedelta(hours=2)).isoformat()
        assert {fact.text for fact in memory.list(as_of=later)} == {"The lamp is there"}
        assert len(memory.list(with_history=True)) == 3
