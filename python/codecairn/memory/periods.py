"""Parses periods in a question ("last week", "in March"), in English and Chinese."""

import re
from calendar import isleap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_NUMBERS |= {"seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "couple of": 2, "few": 3}
_NUMBERS |= {
    "一": 1,
    "两": 2,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_NUMBERS |= {"十": 10, "几": 3}
_CHINESE_DAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}

_NUMBER = r"(?P<count>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|(?:a )?couple of|(?:a )?few)"
_UNIT = r"(?P<unit>minute|hour|day|week|month|year)s?"
_DAY = r"(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS)
_CHINESE_NUMBER = r"(?P<count>\d{1,4}|[一两二三四五六七八九十几])"
_CHINESE_UNIT = r"(?P<unit>分钟|小时|天|日|周|星期|个月|月|年)"
_DATE = (
    r"(?P<iso>\d{4}-\d{1,2}-\d{1,2})"
    rf"|(?:(?P<month>{_MONTH})\.? (?P<date>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>\d{{4}}))?)"
    rf"|(?:(?P<date2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month2>{_MONTH})\.?(?:,? (?P<year2>\d{{4}}))?)"
)
_CHINESE_DATE = r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<date>\d{1,2})[日号]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A stretch of time that a question speaks of.

    Attributes:
        since: Its beginning, if it has one.
        until: Its end, if it has one.
        rest: The question without the words for it.
        is_named: It is named by a date, which may as well be what the question is about; otherwise counted from now.
    """

    since: datetime | None
    until: datetime | None
    rest: str
    is_named: bool = False


_Span = tuple[datetime | None, datetime | None]
_Reader = Callable[["re.Match[str]", datetime], "_Span | None"]


def read_period(text: str, *, now: datetime) -> Period | None:
    """The first stretch of time that a question speaks of; `now` has a zone, in which its days begin.

    `yesterday`, `last week`, `3 hours ago`, `in the last two months`, `on Monday`, `since Tuesday`, `before 2026-03-01`,
    `on January 25`, `in March 2025`; 昨天, 上周三, 最近三天, 两小时前, 从周一以来, 3月5日.
    """
    for pattern, reader, is_named in _READERS:
        found = re.search(pattern, text, re.IGNORECASE)
        span = _span(reader, found, now) if found is not None else None
        if found is not None and span is not None:
            rest = f"{text[: found.start()]} {text[found.end() :]}".strip()
            return Period(since=span[0], until=span[1], rest=rest, is_named=is_named)
    return None


def _span(reader: _Reader, found: "re.Match[str]", now: datetime) -> _Span | None:
    """What a reader makes of a phrase; `None` where that is no time, or beyond what a calendar holds: "9999-12-31"."""
    try:
        return reader(found, now)
    except (OverflowError, ValueError):
        return None


def _day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _whole_day(moment: datetime) -> _Span:
    start = _day(moment)
    return start, _day(start + timedelta(days=1, hours=3))


def _month(year: int, month: int, now: datetime) -> _Span:
    start = _day(now).replace(year=year, month=month, day=1)
    return start, (start + timedelta(days=32)).replace(day=1)


def _count(text: str) -> int:
    plain = text.lower().removeprefix("a ") if len(text) > 2 else text.lower()
    return int(plain) if plain.isdigit() else _NUMBERS[plain]


def _length(unit: str, count: int) -> timedelta:
    plain = unit.lower()
    if plain in ("minute", "分钟"):
        return timedelta(minutes=count)
    if plain in ("hour", "小时"):
        return timedelta(hours=count)
    days = {"day": 1, "天": 1, "日": 1, "week": 7, "周": 7, "星期": 7, "year": 365, "年": 365}
    return timedelta(days=count * days.get(plain, 30))


def _is_short(unit: str) -> bool:
    return unit.lower() in ("minute", "分钟", "hour", "小时")


def _recent(found: "re.Match[str]", now: datetime) -> _Span:
    """The last N units, up to now; of days and longer ones from the beginning of a day."""
    start = now - _length(found["unit"], _count(found["count"]))
    return (start if _is_short(found["unit"]) else _day(start)), now


def _ago(found: "re.Match[str]", now: datetime) -> _Span:
    """Around the moment N units ago: an hour of it, or its day, week or month."""
    unit = found["unit"].lower()
    moment = now - _length(unit, _count(found["count"]))
    if _is_short(unit):
        slack = timedelta(minutes=30 if unit in ("hour", "小时") else 5)
        return moment - slack, moment + slack
    if unit in ("week", "周", "星期"):
        return _day(moment - timedelta(days=3)), _day(moment + timedelta(days=4))
    if unit in ("month", "个月", "月"):
        return _day(moment - timedelta(days=15)), _day(moment + timedelta(days=16))
    if unit in ("year", "年"):
        return _day(moment - timedelta(days=183)), _day(moment + timedelta(days=183))
    return _whole_day(moment)


def _named(found: "re.Match[str]", now: datetime) -> _Span:
    """Today, yesterday, this and last week, month and year."""
    word = " ".join(found[0].lower().split())
    today = _day(now)
    monday = today - timedelta(days=today.weekday())
    month, year = today.replace(day=1), today.replace(month=1, day=1)
    is_this = word.startswith(("this ", "本", "这", "今年"))
    spans: dict[str, _Span] = {
        "day before yesterday|前天": _whole_day(today - timedelta(days=2)),
        "yesterday|last night|昨": _whole_day(today - timedelta(hours=12)),
        "this morning|tonight|today|今天|今早|今晚": (today, now),
        "weekend|周末": (monday - timedelta(days=2), monday),
        "week|周|星期": (monday, now) if is_this else (monday - timedelta(days=7), monday),
        "month|月": (month, now) if is_this else _month_before(month),
        "year|年": (year, now) if is_this else (year.replace(year=year.year - 1), year),
    }
    return next(span for words, span in spans.items() if re.search(words, word))


def _month_before(month: datetime) -> _Span:
    return (month - timedelta(days=1)).replace(day=1), month


def _weekday(found: "re.Match[str]", now: datetime) -> datetime:
    """The last such day before today; with `last`, 上, the one of the week before."""
    name = found["day"].lower()
    index = _DAYS.index(name) if name in _DAYS else _CHINESE_DAYS[name]
    today = _day(now)
    which = (found["which"] or "").lower()
    if which.startswith("上"):
        return today - timedelta(days=today.weekday() + 7 - index)
    return today - timedelta(days=(today.weekday() - index - 1) % 7 + 1)


def _date(found: "re.Match[str]", now: datetime) -> datetime:
    """A date; without a year, the last one that is not ahead.

    Raises:
        ValueError: If there is no such date.
    """
    parts = found.groupdict()
    if parts.get("iso"):
        year, month, date = (int(part) for part in parts["iso"].split("-"))
    else:
        name = parts.get("month") or parts.get("month2") or ""
        month = int(name) if name.isdigit() else _month_number(name)
        date = int(parts.get("date") or parts.get("date2") or 1)
        written = parts.get("year") or parts.get("year2")
        year = int(written) if written else now.year
        if not written and (month, date) > (now.month, now.day):
            year -= 1
        if not written and (month, date) == (2, 29):
            year = next(each for each in range(year, 0, -1) if isleap(each))
    return _day(now).replace(year=year, month=month, day=date)


def _month_number(name: str) -> int:
    return next(at for at, month in enumerate(_MONTHS, 1) if month.startswith(name.lower()[:3]))


def _on_date(found: "re.Match[str]", now: datetime) -> _Span:
    return _whole_day(_date(found, now))


def _in_month(found: "re.Match[str]", now: datetime) -> _Span:
    month = _month_number(found["month"])
    year = int(found["year"]) if found["year"] else now.year - (month > now.month)
    return _month(year, month, now)


def _in_year(found: "re.Match[str]", now: datetime) -> _Span:
    start = _day(now).replace(year=int(found["year"]), month=1, day=1)
    return start, start.replace(year=start.year + 1)


def _bounded(reader: _Reader) -> _Reader:
    """From `since` or `before` and a moment: all after it, or all before it."""

    def read(found: "re.Match[str]", now: datetime) -> _Span | None:
        span = reader(found, now)
        if span is None or span[0] is None:
            return None
        word = (found["bound"] or "").lower() + (found.groupdict().get("tail") or "")
        is_open = word.startswith(("since", "after")) or word.endswith(("以来", "之后"))
        if is_open:
            start = span[1] if word.startswith("after") or "之后" in word else span[0]
            return start, None
        return None, span[0]

    return read


def _on_weekday(found: "re.Match[str]", now: datetime) -> _Span:
    return _whole_day(_weekday(found, now))


_RELATIVE = (
    r"(?:the )?day before yesterday|yesterday|last night|today|this morning|tonight|last weekend|"
    r"(?:this|last|previous) (?:week|month|year)"
)
_CHINESE_RELATIVE = (
    r"前天|昨天|昨晚|昨日|今天|今早|今晚|上周末|上个?周(?![一二三四五六日天末])|上个?星期(?![一二三四五六日天])|"
    r"本周(?![一二三四五六日天])|这周(?![一二三四五六日天])|这个?星期(?![一二三四五六日天])|上个?月|本月|这个月|今年|去年"
)


def _inner(found: "re.Match[str]", now: datetime) -> _Span | None:
    """The span of the relative word inside a bounded phrase."""
    inner = re.search(rf"{_RELATIVE}|{_CHINESE_RELATIVE}", found[0], re.IGNORECASE)
    return None if inner is None else _named(inner, now)


_EN_BOUND = r"(?<!\bday )\b(?P<bound>since|after|before|until|till) (?:the )?"
_ZH_BOUND = r"(?P<bound>从|自)?(?:{0})(?P<tail>以来|之后|之前|以前)"


_READERS: tuple[tuple[str, _Reader, bool], ...] = (
    ((rf"{_EN_BOUND}(?P<which>last |this )?{_DAY}\b"), _bounded(_on_weekday), False),
    ((rf"{_EN_BOUND}(?:{_DATE})\b"), _bounded(_on_date), False),
    ((rf"{_EN_BOUND}(?:{_RELATIVE})\b"), _bounded(_inner), False),
    (
        (_ZH_BOUND.format(r"(?P<which>上|这|本)?个?(?:周|星期)(?P<day>[一二三四五六日天])")),
        _bounded(_on_weekday),
        False,
    ),
    ((_ZH_BOUND.format(_CHINESE_DATE)), _bounded(_on_date), False),
    (
        (_ZH_BOUND.format(_CHINESE_RELATIVE)),
        _bounded(_inner),
        False,
    ),
    (
        (rf"\b(?:in |over |within |during )?(?:the )?(?:last|past) {_NUMBER} {_UNIT}\b"),
        _recent,
        False,
    ),
    (
        (
            r"\b(?:in |over |within |during )?the (?:last|past) (?P<count>)(?P<unit>hour|day|week|month|year)\b"
        ),
        lambda found, now: (now - _length(found["unit"], 1), now),
        False,
    ),
    ((rf"\b(?:about |around )?{_NUMBER} {_UNIT} ago\b"), _ago, False),
    ((rf"\b(?:on )?(?P<which>last |this |on ){_DAY}\b"), _on_weekday, False),
    ((rf"\b(?:{_RELATIVE})\b"), _named, False),
    ((rf"(?:最近|过去|近){_CHINESE_NUMBER}个?{_CHINESE_UNIT}(?:内|里|中|来)?"), _recent, False),
    ((rf"{_CHINESE_NUMBER}个?{_CHINESE_UNIT}(?:之前|以前|前)"), _ago, False),
    (
        (r"(?P<which>上|这|本)?个?(?:周|星期)(?P<day>[一二三四五六日天])"),
        _on_weekday,
        False,
    ),
    ((_CHINESE_RELATIVE), _named, False),
    ((rf"\b(?:on )?(?:{_DATE})\b"), _on_date, True),
    ((_CHINESE_DATE), _on_date, True),
    (
        (rf"\b(?:in|during) (?P<month>{_MONTH})(?:,? (?:of )?(?P<year>\d{{4}}))?\b"),
        _in_month,
        True,
    ),
    ((r"\b(?:in|during) (?P<year>(?:19|20)\d\d)\b"), _in_year, True),
)
