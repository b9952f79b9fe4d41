"""A question -> the period that it speaks of, and the question without the words for it."""

import re
from datetime import datetime
from functools import cache

from codecairn.core.light_dataclass import dataclass
from codecairn.memory.periods.calendar import Span
from codecairn.memory.periods.grammar import Bound, Found, Phrase, phrases
from codecairn.memory.periods.words import Language

_MAX_READ = 4_000
"""Characters of a question that are read: a longer one tells more than it asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A stretch of time that a question speaks of.

    Attributes:
        since: Its beginning, if it has one.
        until: Its end, if it has one.
        rest: The question without the words for it.
        is_named: It is named by a date, which may as well be what the question is about; otherwise counted from now.
        is_all: The question asks for nothing but what was done then.
    """

    since: datetime | None
    until: datetime | None
    rest: str
    is_named: bool = False
    is_all: bool = False


def read_period(text: str, *, now: datetime) -> Period | None:
    """The first stretch of time that a question speaks of; `now` has a zone, in which its days begin.

    `yesterday`, `last week`, `3 hours ago`, `in the last two months`, `on Monday`, `since Tuesday`, `before 2026-03-01`,
    `on January 25`, `in March 2025`; 昨天, 上周三, 最近三天, 两小时前, 从周一以来, 3月5日; and so in all of
    `codecairn.memory.periods.words`.
    """
    text, unread = text[:_MAX_READ], text[_MAX_READ:]
    for phrase in _phrases():
        found = phrase.pattern.search(text)
        span = _span(phrase, found, now) if found is not None else None
        if found is None or span is None or _is_foreign(phrase.language, text):
            continue
        start, end, bound = _bound(phrase, found)
        if bound is None and phrase.is_bare:
            continue
        since, until = span if bound is None else bound.cut(*span)
        rest = f"{text[:start]} {text[end:]}{unread}".strip()
        return Period(
            since=since,
            until=until,
            rest=rest,
            is_named=phrase.is_named and bound is None,
            is_all=_says_nothing(rest, phrase.language),
        )
    return None


@cache
def _phrases() -> tuple[Phrase, ...]:
    return phrases()


def _span(phrase: Phrase, found: Found, now: datetime) -> Span | None:
    """What a phrase means; `None` where that is no time, or beyond what a calendar holds: "9999-12-31"."""
    try:
        return phrase.read(found, now)
    except (OverflowError, ValueError):
        return None


def _bound(phrase: Phrase, found: Found) -> tuple[int, int, Bound | None]:
    """Where a phrase begins and ends with what makes it a beginning or an end, and that."""
    for bound in phrase.bounds:
        before = bound.before.search(found.string, 0, found.start())
        after = bound.after.match(found.string, found.end())
        if before is not None and after is not None:
            return before.start(), after.end(), bound
    return found.start(), found.end(), None


def _is_foreign(language: Language, text: str) -> bool:
    return bool(language.other) and re.search(language.other, text, re.IGNORECASE) is not None


def _says_nothing(rest: str, language: Language) -> bool:
    """Whether the rest of a question has only words that ask what was done."""
    fillers = language.fillers
    if language.has_spaces:
        fillers = rf"\b(?:{fillers})" + ("" if language.has_endings else r"\b")
    left = re.sub(fillers, " ", rest, flags=re.IGNORECASE)
    return not any(letter.isalnum() for letter in left)
