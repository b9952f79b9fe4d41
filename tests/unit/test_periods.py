"""Times that questions speak of."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn.memory.periods.reading import read_period

WEDNESDAY = datetime(2026, 3, 11, 15, 30, tzinfo=timezone.utc)


def _span(text: str, now: datetime = WEDNESDAY) -> tuple[str, str]:
    period = read_period(text, now=now)
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
        ("today", "2026-03-11 00:00", "2026-03-11 15:30"),
        ("tonight", "2026-03-11 00:00", "2026-03-11 15:30"),
        ("last night", "2026-03-10 00:00", "2026-03-11 00:00"),
        ("last weekend", "2026-03-07 00:00", "2026-03-09 00:00"),
        ("this month", "2026-03-01 00:00", "2026-03-11 15:30"),
        ("this year", "2026-01-01 00:00", "2026-03-11 15:30"),
        ("previous week", "2026-03-02 00:00", "2026-03-09 00:00"),
        ("previous month", "2026-02-01 00:00", "2026-03-01 00:00"),
        ("previous year", "2025-01-01 00:00", "2026-01-01 00:00"),
        ("since today", "2026-03-11 00:00", ""),
        ("after today", "2026-03-11 15:30", ""),
        ("before today", "", "2026-03-11 00:00"),
        ("since this month", "2026-03-01 00:00", ""),
        ("since last month", "2026-02-01 00:00", ""),
        ("after last month", "2026-03-01 00:00", ""),
        ("until last month", "", "2026-02-01 00:00"),
        ("decisions in the last 3 days", "2026-03-08 00:00", "2026-03-11 15:30"),
        ("the past two months", "2026-01-10 00:00", "2026-03-11 15:30"),
        ("in the last day", "2026-03-10 15:30", "2026-03-11 15:30"),
        ("over the past week", "2026-03-04 15:30", "2026-03-11 15:30"),
        ("within the last month", "2026-02-09 15:30", "2026-03-11 15:30"),
        ("in the last 90 minutes", "2026-03-11 14:00", "2026-03-11 15:30"),
        ("in the last 0 days", "2026-03-11 00:00", "2026-03-11 15:30"),
        ("in the last 1 day", "2026-03-10 00:00", "2026-03-11 15:30"),
        ("in the last couple of weeks", "2026-02-25 00:00", "2026-03-11 15:30"),
        ("in the last few days", "2026-03-08 00:00", "2026-03-11 15:30"),
        ("in the last twelve hours", "2026-03-11 03:30", "2026-03-11 15:30"),
        ("10 minutes ago", "2026-03-11 15:15", "2026-03-11 15:25"),
        ("3 days ago", "2026-03-08 00:00", "2026-03-09 00:00"),
        ("a week ago", "2026-03-01 00:00", "2026-03-08 00:00"),
        ("two months ago", "2025-12-26 00:00", "2026-01-26 00:00"),
        ("a year ago", "2024-09-09 00:00", "2025-09-10 00:00"),
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
        ("in May", "2025-05-01 00:00", "2025-06-01 00:00"),
        ("in March", "2026-03-01 00:00", "2026-04-01 00:00"),
        ("on March 11", "2026-03-11 00:00", "2026-03-12 00:00"),
        ("on March 12", "2025-03-12 00:00", "2025-03-13 00:00"),
        ("the 3rd of May", "2025-05-03 00:00", "2025-05-04 00:00"),
        ("on 2024-02-29", "2024-02-29 00:00", "2024-03-01 00:00"),
        ("in 1900", "1900-01-01 00:00", "1901-01-01 00:00"),
        ("in 2099", "2099-01-01 00:00", "2100-01-01 00:00"),
        ("今天", "2026-03-11 00:00", "2026-03-11 15:30"),
        ("今年", "2026-01-01 00:00", "2026-03-11 15:30"),
        ("去年", "2025-01-01 00:00", "2026-01-01 00:00"),
        ("本月", "2026-03-01 00:00", "2026-03-11 15:30"),
        ("本周", "2026-03-09 00:00", "2026-03-11 15:30"),
        ("上周末", "2026-03-07 00:00", "2026-03-09 00:00"),
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
def test_phrases_are_read_in_english_and_chinese(text: str, since: str, until: str) -> None:
    assert _span(text) == (since, until)


YESTERDAY = ("2026-03-10 00:00", "2026-03-11 00:00")
LAST_WEEK = ("2026-03-02 00:00", "2026-03-09 00:00")
THREE_DAYS_AGO = ("2026-03-08 00:00", "2026-03-09 00:00")
LAST_TWO_HOURS = ("2026-03-11 13:30", "2026-03-11 15:30")
PIECES = (
    *(
        "since",
        "before",
        "last",
        "s\u0131x",
        "\u017fix",
        "99",
        "9999",
        "0",
        "days",
        "ago",
        "week",
        "monday",
        "march",
    ),
    *(
        "hace",
        "vor",
        "drei",
        "tagen",
        "il y a",
        "hier",
        "\u0130l",
        "le",
        "5",
        "31",
        "de",
        "mars",
        "ieri",
        "fa",
        "ontem",
    ),
    *(
        "3月",
        "31日",
        "前",
        "上周",
        "先週",
        "の",
        "月曜",
        "지난",
        "3일",
        "전",
        "три",
        "дня",
        "назад",
        "2026-02-30",
    ),
)
SINCE_MONDAY = ("2026-03-09 00:00", "")
TUESDAY_OF_LAST_WEEK = ("2026-03-03 00:00", "2026-03-04 00:00")
MARCH_5 = ("2026-03-05 00:00", "2026-03-06 00:00")


@pytest.mark.parametrize(
    ("text", "span"),
    [
        *(("¿qué hicimos ayer?", YESTERDAY), ("la semana pasada", LAST_WEEK)),
        *(("hace tres días", THREE_DAYS_AGO), ("en las últimas dos horas", LAST_TWO_HOURS)),
        *(("qué cambió desde el lunes", SINCE_MONDAY), ("el 5 de marzo", MARCH_5)),
        *(("el martes de la semana pasada", TUESDAY_OF_LAST_WEEK),),
        *(("qu'est-ce qu'on a fait hier ?", YESTERDAY), ("la semaine dernière", LAST_WEEK)),
        *(("il y a trois jours", THREE_DAYS_AGO), ("ces deux dernières heures", LAST_TWO_HOURS)),
        *(("depuis lundi", SINCE_MONDAY), ("le 5 mars", MARCH_5)),
        *(("mardi de la semaine dernière", TUESDAY_OF_LAST_WEEK),),
        *(("was haben wir gestern gemacht?", YESTERDAY), ("letzte Woche", LAST_WEEK)),
        *(("vor drei Tagen", THREE_DAYS_AGO), ("in den letzten zwei Stunden", LAST_TWO_HOURS)),
        *(("was ist seit Montag anders", SINCE_MONDAY), ("am 5. März", MARCH_5)),
        *(("am Dienstag letzter Woche", TUESDAY_OF_LAST_WEEK),),
        *(("cosa abbiamo fatto ieri?", YESTERDAY), ("la settimana scorsa", LAST_WEEK)),
        *(("tre giorni fa", THREE_DAYS_AGO), ("nelle ultime due ore", LAST_TWO_HOURS)),
        *(("da lunedì", SINCE_MONDAY), ("il 5 marzo", MARCH_5)),
        *(("martedì della settimana scorsa", TUESDAY_OF_LAST_WEEK),),
        *(("o que fizemos ontem?", YESTERDAY), ("na semana passada", LAST_WEEK)),
        *(("há três dias", THREE_DAYS_AGO), ("nas últimas duas horas", LAST_TWO_HOURS)),
        *(("desde segunda-feira", SINCE_MONDAY), ("em 5 de março", MARCH_5)),
        *(("terça da semana passada", TUESDAY_OF_LAST_WEEK),),
        *(("что мы делали вчера?", YESTERDAY), ("на прошлой неделе", LAST_WEEK)),
        *(("три дня назад", THREE_DAYS_AGO), ("за последние 2 часа", LAST_TWO_HOURS)),
        *(("с понедельника", SINCE_MONDAY), ("5 марта", MARCH_5)),
        *(("во вторник на прошлой неделе", TUESDAY_OF_LAST_WEEK),),
        *(("昨日何をした？", YESTERDAY), ("先週の決定", LAST_WEEK), ("三日前", THREE_DAYS_AGO)),
        *(("過去2時間の変更", LAST_TWO_HOURS), ("月曜日から", SINCE_MONDAY), ("3月5日", MARCH_5)),
        *(("先週の火曜日", TUESDAY_OF_LAST_WEEK),),
        *(("어제 뭐 했어요?", YESTERDAY), ("지난주에", LAST_WEEK), ("3일 전", THREE_DAYS_AGO)),
        *(("최근 2시간 동안", LAST_TWO_HOURS), ("월요일부터", SINCE_MONDAY), ("3월 5일", MARCH_5)),
        *(("지난주 화요일", TUESDAY_OF_LAST_WEEK),),
        *(("上周二", TUESDAY_OF_LAST_WEEK), ("Tuesday last week", TUESDAY_OF_LAST_WEEK)),
        *(("3月5日之前", ("", MARCH_5[0])), ("3月5日以前", ("", MARCH_5[0]))),
        ("3월 5일 전", ("", MARCH_5[0])),
        ("the Tuesday of the week before last", ("2026-02-24 00:00", "2026-02-25 00:00")),
    ],
)
def test_each_language_has_its_words(text: str, span: tuple[str, str]) -> None:
    assert _span(text) == span


@pytest.mark.parametrize(
    ("text", "is_all"),
    [
        *(("what was done today?", True), ("what was done on the server today?", False)),
        *(("¿qué hicimos ayer?", True), ("¿qué decidimos ayer sobre la caché?", False)),
        *(("qu'est-ce qu'on a fait hier ?", True), ("l'erreur d'hier", False)),
        *(("was haben wir gestern gemacht?", True), ("was war gestern mit dem Login?", False)),
        *(("cosa abbiamo fatto ieri?", True), ("o que fizemos ontem?", True)),
        *(("что мы делали вчера?", True), ("что вчера с базой", False)),
        *(("昨日何をした？", True), ("昨日のキャッシュの件", False), ("어제 뭐 했어요?", True)),
        *(("昨天做了什么", True), ("昨天缓存改了什么", False)),
    ],
)
def test_a_question_may_ask_for_nothing_but_the_period(text: str, is_all: bool) -> None:
    period = read_period(text, now=WEDNESDAY)
    assert period is not None
    assert period.is_all is is_all


@given(st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join) | st.text(max_size=60))
def test_nothing_that_is_written_fails(text: str) -> None:
    period = read_period(text, now=WEDNESDAY)
    assert period is None or period.since is not None or period.until is not None


def test_without_a_number_it_is_one() -> None:
    assert _span("что мы делали неделю назад") == _span("что мы делали 1 неделю назад")
    assert _span("день назад")[0] == "2026-03-10 00:00"


def test_letters_that_are_alike_but_for_case_are_read() -> None:
    assert _span("s\u0131x days ago")[0] == "2026-03-05 00:00"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "was haben wir hier gemacht?",
            "what is in the hier file",
            "segunda opção da lista",
            "martes en la configuración",
        ),
        *("die Tabelle hat 3 Tage", "日本語の月日", "一年生", "el puerto", "le mot de passe"),
        *("when may we ship", "how long ago was it", "the weekly report", "缓存在哪里", "in 3000"),
        *("on 2026-13-45", "on 2026-02-29", "on 31 April", "on June 0", "before 0000-01-01"),
        *("it expires on 9999-12-31", "in December 9999", "in March 0000", "after 9999-12-31"),
        *("9999 years ago", "in the last 9999 years", "过去9999年", "9999年12月31日"),
        *("toothday", "todays", "yesterdays"),
    ],
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


FIRST = datetime(2026, 3, 1, tzinfo=timezone.utc)  # a Sunday
NEW_YEAR = datetime(2026, 1, 1, tzinfo=timezone.utc)  # a Thursday
LEAP_DAY = datetime(2028, 2, 29, 23, 59, 59, 999_999, tzinfo=timezone.utc)  # a Tuesday
AFTER_LEAP_DAY = datetime(2028, 3, 1, tzinfo=timezone.utc)
MONDAY = datetime(2026, 3, 2, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("now", "text", "since", "until"),
    [
        (FIRST, "today", "2026-03-01", "2026-03-01"),
        (FIRST, "yesterday", "2026-02-28", "2026-03-01"),
        (FIRST, "this month", "2026-03-01", "2026-03-01"),
        (FIRST, "last month", "2026-02-01", "2026-03-01"),
        (FIRST, "this week", "2026-02-23", "2026-03-01"),
        (FIRST, "last week", "2026-02-16", "2026-02-23"),
        (FIRST, "last weekend", "2026-02-21", "2026-02-23"),
        (FIRST, "on Sunday", "2026-02-22", "2026-02-23"),
        (FIRST, "on Monday", "2026-02-23", "2026-02-24"),
        (FIRST, "on Saturday", "2026-02-28", "2026-03-01"),
        (FIRST, "in March", "2026-03-01", "2026-04-01"),
        (FIRST, "in February", "2026-02-01", "2026-03-01"),
        (FIRST, "in April", "2025-04-01", "2025-05-01"),
        (FIRST, "on March 1", "2026-03-01", "2026-03-02"),
        (FIRST, "on March 2", "2025-03-02", "2025-03-03"),
        (FIRST, "on February 28", "2026-02-28", "2026-03-01"),
        (FIRST, "on February 29", "2024-02-29", "2024-03-01"),
        (MONDAY, "this week", "2026-03-02", "2026-03-02"),
        (MONDAY, "last week", "2026-02-23", "2026-03-02"),
        (MONDAY, "on Monday", "2026-02-23", "2026-02-24"),
        (MONDAY, "上周一", "2026-02-23", "2026-02-24"),
        (MONDAY, "上周日", "2026-03-01", "2026-03-02"),
        (NEW_YEAR, "today", "2026-01-01", "2026-01-01"),
        (NEW_YEAR, "yesterday", "2025-12-31", "2026-01-01"),
        (NEW_YEAR, "last night", "2025-12-31", "2026-01-01"),
        (NEW_YEAR, "this week", "2025-12-29", "2026-01-01"),
        (NEW_YEAR, "this month", "2026-01-01", "2026-01-01"),
        (NEW_YEAR, "last month", "2025-12-01", "2026-01-01"),
        (NEW_YEAR, "this year", "2026-01-01", "2026-01-01"),
        (NEW_YEAR, "last year", "2025-01-01", "2026-01-01"),
        (NEW_YEAR, "in January", "2026-01-01", "2026-02-01"),
        (NEW_YEAR, "in December", "2025-12-01", "2026-01-01"),
        (NEW_YEAR, "on January 1", "2026-01-01", "2026-01-02"),
        (NEW_YEAR, "on January 2", "2025-01-02", "2025-01-03"),
        (NEW_YEAR, "12月31日", "2025-12-31", "2026-01-01"),
        (LEAP_DAY, "today", "2028-02-29", "2028-02-29"),
        (LEAP_DAY, "this month", "2028-02-01", "2028-02-29"),
        (LEAP_DAY, "last month", "2028-01-01", "2028-02-01"),
        (LEAP_DAY, "last year", "2027-01-01", "2028-01-01"),
        (LEAP_DAY, "in February", "2028-02-01", "2028-03-01"),
        (LEAP_DAY, "on February 29", "2028-02-29", "2028-03-01"),
        (LEAP_DAY, "on March 1", "2027-03-01", "2027-03-02"),
        (AFTER_LEAP_DAY, "yesterday", "2028-02-29", "2028-03-01"),
        (AFTER_LEAP_DAY, "last month", "2028-02-01", "2028-03-01"),
        (AFTER_LEAP_DAY, "on February 29", "2028-02-29", "2028-03-01"),
    ],
)
def test_days_months_and_years_begin_and_end_where_the_calendar_says(
    now: datetime, text: str, since: str, until: str
) -> None:
    found = _span(text, now)
    assert (found[0].removesuffix(" 00:00"), found[1].partition(" ")[0]) == (since, until)
    is_up_to_now = text in {"today", "this week", "this month", "this year"}
    assert found[1].endswith(now.strftime("%H:%M") if is_up_to_now else "00:00")


@pytest.mark.parametrize("hours", [-11, 0, 5.5, 14])
def test_days_begin_at_midnight_of_the_zone(hours: float) -> None:
    zone = timezone(timedelta(hours=hours))
    period = read_period("today", now=datetime(2026, 3, 11, 0, 30, tzinfo=zone))
    assert period is not None
    assert period.since == datetime(2026, 3, 11, tzinfo=zone)
