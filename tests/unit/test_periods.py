"""Times that questions speak of."""

from datetime import datetime, timezone

import pytest

from codecairn.memory.periods import read_period

WEDNESDAY = datetime(2026, 3, 11, 15, 30, tzinfo=timezone.utc)


def _span(text: str) -> tuple[str, str]:
    period = read_period(text, now=WEDNESDAY)
    assert period is not None, text
    return tuple(
        "" if moment is None else moment.strftime("%Y-%m-%d %H:%M")
        for moment in (period.since, period.until)
    )


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what did we do yesterday", "2026-03-10 00:00", "2026-03-11 00:00"),
        ("the day before yesterday", "2026-03-09 00:00", "2026-03-10 00:00"),
        ("this morning", "2026-03-11 00:00", "2026-03-11 15:30"),
        ("what broke last week", "2026-03-02 00:00", "2026-03-09 00:00"),
        ("this week", "2026-03-09 00:00", "2026-03-11 15:30"),
        ("last month", "2026-02-01 00:00", "2026-03-01 00:00"),
        ("last year", "2025-01-01 00:00", "2026-01-01 00:00"),
        ("decisions in the last 3 days", "2026-03-08 00:00", "2026-03-11 15:30"),
        ("the past two months", "2026-01-10 00:00", "2026-03-11 15:30"),
        ("in the last hour", "2026-03-11 14:30", "2026-03-11 15:30"),
        ("what failed 2 hours ago", "2026-03-11 13:00", "2026-03-11 14:00"),
        ("an hour ago", "2026-03-11 14:00", "2026-03-11 15:00"),
        ("since Monday what changed", "2026-03-09 00:00", ""),
        ("since yesterday", "2026-03-10 00:00", ""),
        ("after 2026-03-01", "2026-03-02 00:00", ""),
        ("before March 5", "", "2026-03-05 00:00"),
        ("until Friday", "", "2026-03-06 00:00"),
        ("what happened on Tuesday", "2026-03-10 00:00", "2026-03-11 00:00"),
        ("on Wednesday", "2026-03-04 00:00", "2026-03-05 00:00"),
        ("last Friday", "2026-03-06 00:00", "2026-03-07 00:00"),
        ("in March 2025", "2025-03-01 00:00", "2025-04-01 00:00"),
        ("on January 25", "2026-01-25 00:00", "2026-01-26 00:00"),
        ("on 7 May 2023", "2023-05-07 00:00", "2023-05-08 00:00"),
        ("in 2024", "2024-01-01 00:00", "2025-01-01 00:00"),
        ("昨天做了什么", "2026-03-10 00:00", "2026-03-11 00:00"),
        ("前天", "2026-03-09 00:00", "2026-03-10 00:00"),
        ("上周三改了什么", "2026-03-04 00:00", "2026-03-05 00:00"),
        ("上周", "2026-03-02 00:00", "2026-03-09 00:00"),
        ("这个月的决定", "2026-03-01 00:00", "2026-03-11 15:30"),
        ("上个月的错误", "2026-02-01 00:00", "2026-03-01 00:00"),
        ("最近三天的决定", "2026-03-08 00:00", "2026-03-11 15:30"),
        ("两小时前", "2026-03-11 13:00", "2026-03-11 14:00"),
        ("从周一以来", "2026-03-09 00:00", ""),
        ("周五之前", "", "2026-03-06 00:00"),
        ("3月5日做了什么", "2026-03-05 00:00", "2026-03-06 00:00"),
    ],
)
def test_phrases_are_read_in_both_languages(text: str, since: str, until: str) -> None:
    assert _span(text) == (since, until)


@pytest.mark.parametrize(
    "text",
    ["when may we ship", "how long ago was it", "the weekly report", "on 2026-13-45", "缓存在哪里"],
)
def test_what_names_no_time_has_none(text: str) -> None:
    assert read_period(text, now=WEDNESDAY) is None


def test_words_for_the_time_are_taken_out_and_dates_are_told_apart() -> None:
    counted = read_period("what did we decide yesterday about caching", now=WEDNESDAY)
    assert counted is not None
    assert (counted.rest.split(), counted.is_named) == (
        ["what", "did", "we", "decide", "about", "caching"],
        False,
    )
    named = read_period("the status session on January 25", now=WEDNESDAY)
    assert named is not None
    assert named.is_named


def test_a_date_without_a_year_is_the_last_one() -> None:
    assert _span("on December 24")[0] == "2025-12-24 00:00"
    assert _span("in November")[0] == "2025-11-01 00:00"
