"""Stretches of time, counted from a moment: days, weeks that begin on Monday, months and years of the calendar."""

from calendar import isleap
from datetime import datetime, timedelta

Span = tuple[datetime | None, datetime | None]
"""From a moment on, and before another one; `None` where it is open."""

_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


def midnight(moment: datetime) -> datetime:
    """The beginning of a moment's day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def whole_day(moment: datetime) -> Span:
    """The day of a moment."""
    start = midnight(moment)
    return start, midnight(start + timedelta(days=1, hours=3))


def month_of(year: int, month: int, now: datetime) -> Span:
    """A month of the calendar, in the zone of `now`.

    Raises:
        ValueError: If there is no such month.
        OverflowError: If it is beyond what a calendar holds.
    """
    start = midnight(now).replace(year=year, month=month, day=1)
    return start, (start + timedelta(days=32)).replace(day=1)


def year_of(year: int, now: datetime) -> Span:
    """A year of the calendar, in the zone of `now`.

    Raises:
        ValueError: If it is beyond what a calendar holds.
    """
    start = midnight(now).replace(year=year, month=1, day=1)
    return start, start.replace(year=year + 1)


def length(unit: str, count: int) -> timedelta:
    """So many minutes, hours, days, weeks, months of 30 days or years of 365.

    Raises:
        OverflowError: If it is longer than a calendar.
    """
    if unit == "minute":
        return timedelta(minutes=count)
    return timedelta(hours=count) if unit == "hour" else timedelta(days=count * _DAYS[unit])


def is_short(unit: str) -> bool:
    """Whether a unit is shorter than a day."""
    return unit in ("minute", "hour")


def last_units(unit: str, count: int, now: datetime) -> Span:
    """The last so many units, up to now; of days and longer ones from the beginning of a day."""
    start = now - length(unit, count)
    return (start if is_short(unit) else midnight(start)), now


def units_ago(unit: str, count: int, now: datetime) -> Span:
    """Around the moment so many units ago: an hour of it, or its day, week, month or year."""
    moment = now - length(unit, count)
    if is_short(unit):
        slack = timedelta(minutes=30 if unit == "hour" else 5)
        return moment - slack, moment + slack
    around = {"week": (3, 4), "month": (15, 16), "year": (183, 183)}
    if unit not in around:
        return whole_day(moment)
    before, after = around[unit]
    return midnight(moment - timedelta(days=before)), midnight(moment + timedelta(days=after))


def unit_before(unit: str, before: int, now: datetime) -> Span:
    """The week, month or year so many before the current one, which ends now."""
    today = midnight(now)
    if unit == "week":
        monday = today - timedelta(days=today.weekday())
        start, end = monday - timedelta(days=7 * before), monday - timedelta(days=7 * before - 7)
    elif unit == "month":
        start = end = today.replace(day=1)
        for _ in range(before):
            start, end = (start - timedelta(days=1)).replace(day=1), start
    else:
        year = today.replace(month=1, day=1)
        start, end = (year.replace(year=year.year - each) for each in (before, before - 1))
    return start, end if before else now


def moment_named(name: str, now: datetime) -> Span:
    """Today up to now, yesterday, the day before yesterday, last night or the last weekend."""
    today = midnight(now)
    monday = today - timedelta(days=today.weekday())
    spans: dict[str, Span] = {
        "today": (today, now),
        "yesterday": whole_day(today - timedelta(hours=12)),
        "before yesterday": whole_day(today - timedelta(days=2)),
        "weekend": (monday - timedelta(days=2), monday),
    }
    return spans[name]


def last_weekday(day: int, now: datetime) -> Span:
    """The last such day before today; 0 is Monday."""
    today = midnight(now)
    return whole_day(today - timedelta(days=(today.weekday() - day - 1) % 7 + 1))


def weekday_of_week(day: int, before: int, now: datetime) -> Span:
    """A day of the week so many weeks before the current one."""
    today = midnight(now)
    return whole_day(today - timedelta(days=today.weekday() + 7 * before - day))


def date_before(month: int, date: int, now: datetime) -> datetime:
    """The last such date that is not ahead.

    Raises:
        ValueError: If there is no such date.
    """
    year = now.year - ((month, date) > (now.month, now.day))
    if (month, date) == (2, 29):
        year = next(each for each in range(year, 0, -1) if isleap(each))
    return midnight(now).replace(year=year, month=month, day=date)
