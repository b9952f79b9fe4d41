"""The words of a language -> patterns, each with what it reads."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain

from codecairn.core.light_dataclass import dataclass
from codecairn.memory.periods import calendar
from codecairn.memory.periods.calendar import Span
from codecairn.memory.periods.words import LANGUAGES, Language

Found = re.Match[str]

_ISO = r"(?P<iso>\d{4}-\d{1,2}-\d{1,2})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Words around a moment that make it a beginning or an end: "since" Monday.

    Attributes:
        before: What the text before the moment ends with.
        after: What the text after it begins with.
        cut: The period, of the moment's beginning and end.
    """

    before: re.Pattern[str]
    after: re.Pattern[str]
    cut: Callable[[datetime | None, datetime | None], Span]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A sort of phrase in a language.

    Attributes:
        language: Whose it is.
        pattern: How it is written.
        read: What it means at a moment; `None` if nothing. Raises `ValueError` and `OverflowError` for what no calendar has.
        is_named: A date, which a question may as well be about; otherwise counted from now.
        bounds: What may stand around it.
        is_bare: Nothing but a weekday, which is a time only with one of the bounds.
    """

    language: Language
    pattern: re.Pattern[str]
    read: Callable[[Found, datetime], Span | None]
    is_named: bool = False
    bounds: tuple[Bound, ...] = ()
    is_bare: bool = False


def phrases() -> tuple[Phrase, ...]:
    """The phrases of all languages, the longer sorts first: "Monday last week" before "last week"."""
    sorts = [_Grammar(language).sorts() for language in LANGUAGES]
    return tuple(chain.from_iterable(chain.from_iterable(zip(*sorts, strict=True))))


class _Grammar:
    """The phrases of one language."""

    def __init__(self, language: Language) -> None:
        self._of = language
        weeks = {str(at): each.get("week", "") for at, each in enumerate(language.units_before)}
        self._weeks = {at: words for at, words in weeks.items() if words}
        self._days = {str(at): day for at, day in enumerate(language.days)}
        self._months = {str(at): month for at, month in enumerate(language.months, 1)}
        self._parts = {
            "{n}": rf"(?P<n>\d{{1,4}}|{_any(language.numbers)})",
            "{unit}": f"(?P<unit>{_any(language.units.values())})",
            "{day}": f"(?P<day>{_any(self._days.values())})",
            "{week}": f"(?P<week>{_any(self._weeks.values())})",
            "{month}": f"(?P<month>{_any(self._months.values()) or r'[0-9]{1,2}'})",
            "{date}": r"(?P<date>\d{1,2})",
            "{year}": r"(?P<year>\d{4})",
        }
        self._bounds = tuple(self._bounded())

    def sorts(self) -> tuple[tuple[Phrase, ...], ...]:
        """By sort, from the longest to the shortest."""
        of = self._of
        # A syllable of Chinese is also much else.
        bare = ("{day}",) if of.has_spaces else ()
        in_year = (each.replace("{year}", r"(?P<year>(?:19|20)\d\d)") for each in of.in_year)
        return (
            self._each(of.recent, self._recent),
            self._each(of.recent_one, self._recent_one),
            self._each(of.ago, self._ago),
            self._each(of.of_week, self._of_week, bounds=self._bounds),
            self._each(of.weekday, self._weekday, bounds=self._bounds),
            tuple(self._relative()),
            self._each(bare, self._weekday, bounds=self._bounds, is_bare=True),
            self._each((*of.dates, _ISO), self._date, bounds=self._bounds, is_named=True),
            self._each(of.in_month, self._month, is_named=True),
            self._each(in_year, self._year, is_named=True),
        )

    def _each(
        self,
        templates: Iterable[str],
        read: Callable[[Found, datetime], Span | None],
        *,
        bounds: tuple[Bound, ...] = (),
        is_named: bool = False,
        is_bare: bool = False,
    ) -> tuple[Phrase, ...]:
        return tuple(
            Phrase(
                language=self._of,
                pattern=self._compiled(self._filled(template)),
                read=read,
                bounds=bounds,
                is_named=is_named,
                is_bare=is_bare,
            )
            for template in templates
        )

    def _filled(self, template: str) -> str:
        for part, pattern in self._parts.items():
            template = template.replace(part, pattern)
        return template

    def _compiled(self, pattern: str) -> re.Pattern[str]:
        if self._of.has_endings:
            pattern = rf"(?<!\w)(?:{pattern})"
        elif self._of.has_spaces:
            pattern = rf"\b(?:{pattern})\b"
        return re.compile(pattern, re.IGNORECASE)

    def _relative(self) -> Iterator[Phrase]:
        def each(words: str, read: Callable[..., Span], *arguments: object) -> tuple[Phrase, ...]:
            return self._each(
                (words,), lambda _found, now: read(*arguments, now), bounds=self._bounds
            )

        for name in ("before yesterday", "weekend", "yesterday", "today"):
            yield from each(self._of.moments[name], calendar.moment_named, name)
        for before in reversed(range(len(self._of.units_before))):
            for unit, words in self._of.units_before[before].items():
                yield from each(words, calendar.unit_before, unit, before)

    def _bounded(self) -> Iterator[Bound]:
        of = self._of
        for templates, cut in (
            (of.since, lambda since, _until: (since, None)),
            (of.after, lambda _since, until: (until, None)),
            (of.before, lambda since, _until: (None, since)),
        ):
            for template in templates:
                before, _, after = template.partition("{when}")
                edge = r"\b" if of.has_spaces and before else ""
                yield Bound(
                    before=re.compile(rf"{edge}(?:{before})$", re.IGNORECASE),
                    after=re.compile(after, re.IGNORECASE),
                    cut=cut,
                )

    def _recent(self, found: Found, now: datetime) -> Span | None:
        return calendar.last_units(self._unit(found), self._count(found), now)

    def _recent_one(self, found: Found, now: datetime) -> Span | None:
        return now - calendar.length(self._unit(found), 1), now

    def _ago(self, found: Found, now: datetime) -> Span | None:
        return calendar.units_ago(self._unit(found), self._count(found), now)

    def _of_week(self, found: Found, now: datetime) -> Span | None:
        before, day = _key(self._weeks, found["week"]), self._day(found)
        return None if before is None else calendar.weekday_of_week(day, int(before), now)

    def _weekday(self, found: Found, now: datetime) -> Span | None:
        return calendar.last_weekday(self._day(found), now)

    def _date(self, found: Found, now: datetime) -> Span | None:
        parts = found.groupdict()
        if parts.get("iso"):
            year, month, date = map(int, parts["iso"].split("-"))
        else:
            month, date = self._month_number(found), int(found["date"])
            year = int(parts["year"] or 0)
            if not parts["year"]:
                return calendar.whole_day(calendar.date_before(month, date, now))
        day = calendar.midnight(now).replace(year=year, month=month, day=date)
        return calendar.whole_day(day)

    def _month(self, found: Found, now: datetime) -> Span | None:
        month = self._month_number(found)
        year = int(found["year"]) if found["year"] else now.year - (month > now.month)
        return calendar.month_of(year, month, now)

    def _year(self, found: Found, now: datetime) -> Span | None:
        return calendar.year_of(int(found["year"]), now)

    def _unit(self, found: Found) -> str:
        return _key(self._of.units, found["unit"]) or ""

    def _day(self, found: Found) -> int:
        return int(_key(self._days, found["day"]) or 0)

    def _month_number(self, found: Found) -> int:
        written = found["month"]
        return int(written if written.isdecimal() else _key(self._months, written) or 0)

    def _count(self, found: Found) -> int:
        """How many units; one where a language leaves the number out."""
        if "n" not in found.re.groupindex:
            return 1
        written = " ".join(found["n"].split()).casefold()
        if written.isdecimal():
            return int(written)
        numbers = self._of.numbers
        return next(count for word, count in numbers.items() if _is(word, written))


def _any(alternatives: Iterable[str]) -> str:
    return "|".join(alternatives)


def _key(words: Mapping[str, str], written: str) -> str | None:
    """Which of some expressions a text is."""
    is_written = (key for key, word in words.items() if _is(word, written))
    return next(is_written, None)


def _is(word: str, written: str) -> bool:
    return re.fullmatch(word, written, re.IGNORECASE) is not None
