"""What kind of thing a question asks for, and whether a passage has one.

"Which version", "how many workers" and "how long" are not answered where no number stands by what is asked about, nor is
"who" where nobody is named. Hooks ask too, so this imports nothing but its like: see `codecairn.hooks`.
"""

from codecairn.memory.said import AFTER_THING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

VERSION, COUNT, NUMBER, SPAN, DAY, PERSON = "version", "count", "number", "span", "day", "person"

_NAMED = {
    "version": VERSION,
    "versions": VERSION,
    "port": NUMBER,
    "ports": NUMBER,
    "date": DAY,
    "day": DAY,
}
_SIZES = ("much", "big", "fast", "far", "high", "large", "slow", "small")
_MEASURED = {"many": COUNT, "long": SPAN, "often": SPAN, **dict.fromkeys(_SIZES, NUMBER)}
_MAY = frozenset(("can", "could", "may", "might", "must", "should"))
_WORDS_OF_WHETHER = "are can could did do does has have is must should was were will would"
_WHETHER = frozenset(_WORDS_OF_WHETHER.split())
_WORDS_OF_COUNTS = "one two three four five six seven eight nine ten twelve dozen none no"
_COUNTS = frozenset(_WORDS_OF_COUNTS.split())
_EVERY = frozenset(("a", "an", "each", "every", "half", "per"))
_WORDS_OF_TIMES = "always daily hourly monthly never nightly once twice weekly yearly"
_TIMES = frozenset(_WORDS_OF_TIMES.split())
_WORDS_OF_UNITS = """
character day h hour m millisecond min minute month ms night quarter s sec second sprint week year
"""
_UNITS = frozenset(_WORDS_OF_UNITS.split())
_WORDS_OF_DAYS = """
january february march april may june july august september october november december monday tuesday wednesday
thursday friday saturday sunday today tomorrow yesterday
"""
_DAYS = frozenset(_WORDS_OF_DAYS.split())

_AROUND = "`'\"()[]{}<>,;:!?.*/\\|=+-_#"
_GAPS = {
    ord(character): " "
    for character in "`'\"()[]{}<>,;:!?*/\\|=+-_#@&%$^~\n\t\r\u2014\u2013\u2026\u201c\u201d\u2018\u2019"
}
_LETTERS = 6
_NOUN_LETTERS = 5
_NEAR = 3
_VERSION_DIGITS = 3
_DATE_PARTS = 3


def kind_of(question: str) -> "str | None":
    """The kind of thing that a question asks for; `None` if it is none of those that can be told."""
    words = [word.strip(_AROUND) for word in question.casefold().split()]
    if "how" in words:
        measured = words[words.index("how") + 1 :][:1]
        return _MEASURED.get(measured[0]) if measured else None
    if words[:1] == ["who"]:
        # Who may do something is told by a role.
        return None if _MAY.intersection(words[1:2]) else PERSON
    if words[:2] == ["when", "will"]:
        return DAY
    if "what" in words or "which" in words:
        # "Which version control" asks for no version: the name of what is asked for ends with the word.
        ending = (
            word
            for at, word in enumerate(words)
            if AFTER_THING.issuperset(words[at + 1 : at + 2]) and word in _NAMED
        )
        return _NAMED.get(next(ending, ""))
    return None


def asks_whether(question: str) -> bool:
    """Whether yes or no would answer; "can you tell me" asks for more."""
    words = question.casefold().split()[:2]
    return bool(words) and words[0] in _WHETHER and words[1:] != ["you"]


def about(question: str, stems: "Collection[str]") -> "set[str]":
    """The beginnings of words less those that ask for the kind itself."""
    words = {word.strip(_AROUND) for word in question.casefold().split()}
    return {*stems} - {word[:_LETTERS] for word in words if word in {**_NAMED, **_MEASURED}}


def is_of_kind(
    kind: str, question: str, asked: "Collection[str]", passage: str, small: "Collection[str]"
) -> bool:
    """Whether a passage has such a thing, near to what is asked about (`asked`, the beginnings of its words).

    `small` are words that are written small somewhere: they are no names of people.
    """
    if kind == PERSON:
        written = [word for word in passage.translate(_GAPS).split() if word.strip(".")]
        return any(_is_name(word.strip("."), asked, small) for word in written[1:])
    parts = (part.strip(".") for part in passage.casefold().translate(_GAPS).split())
    words = [part for part in parts if part]
    if kind == VERSION:
        anchors = {*asked, kind[:_LETTERS]}
        return any(_is_version(each) for each in _after(words, anchors, most=_NEAR))
    if kind == COUNT:
        return _has_count(words, _counted(question))
    if kind == SPAN:
        return any(_is_span(words, at) for at in range(len(words)))
    if kind == DAY:
        return not _DAYS.isdisjoint(words) or any(map(_is_date, passage.split()))
    return any(map(_has_number, words))


def written_small(texts: "Sequence[str]") -> "set[str]":
    """The words that stand in some texts without a capital."""
    words = (word for text in texts for word in text.translate(_GAPS).replace(".", " ").split())
    return {word for word in words if word.islower()}


def _after(words: "list[str]", anchors: "set[str]", *, most: int) -> "list[str]":
    """The words that begin as one of the anchors does, each with those that follow it, so many together at most."""
    places = [at for at, word in enumerate(words) if word[:_LETTERS] in anchors]
    return [each for at in places for each in words[at : at + most]]


def _counted(question: str) -> "tuple[str, ...]":
    """How the words for what is counted begin: of "how many uvicorn workers run", those of the first two."""
    words = [word.strip(_AROUND) for word in question.casefold().split()]
    after = words[words.index("how") + 2 :][:2]
    ends = [at for at, word in enumerate(after) if word in AFTER_THING]
    return tuple(word.rstrip("s")[:_NOUN_LETTERS] for word in after[: ends[0] if ends else None])


def _has_count(words: "list[str]", counted: "tuple[str, ...]") -> bool:
    """Whether a number stands by what is counted: "four of the workers", "workers: 4"."""
    return any(
        _is_number(each)
        for at, word in enumerate(words)
        if not counted or word.startswith(counted)
        for each in words[max(at - _NEAR, 0) : at + 2]
    )


def _is_number(word: str) -> bool:
    return word in _COUNTS or word.rstrip("kmx").replace(".", "").isdigit()


def _has_number(word: str) -> bool:
    return word in _COUNTS or any(map(str.isdigit, word))


def _is_version(word: str) -> bool:
    digits = word.removeprefix("v").replace(".", "")
    return digits.isdigit() and ("." in word or len(digits) <= _VERSION_DIGITS)


def _is_span(words: "list[str]", at: int) -> bool:
    """Whether a stretch of time, or a length, ends at a word: "7 days", "every hour", "30s", "daily"."""
    word, before = words[at], words[at - 1] if at else ""
    if word in _TIMES:
        return True
    if word[0].isdigit():
        return word.lstrip("0123456789.") in _UNITS
    return word.rstrip("s") in _UNITS and (_has_number(before) or before in _EVERY)


def _is_date(word: str) -> bool:
    parts = word.strip(_AROUND).split("-")
    return len(parts) == _DATE_PARTS and all(map(str.isdigit, parts))


def _is_name(word: str, asked: "Collection[str]", small: "Collection[str]") -> bool:
    written = word.casefold()
    is_asked = written[:_LETTERS] in asked
    return word.isalpha() and word.istitle() and written not in small and not is_asked
