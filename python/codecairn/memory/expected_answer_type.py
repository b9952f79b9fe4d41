"""The expected answer type of a question (a number, a version, a person, a date …), and whether a passage contains one.

"Which version", "how many workers", "how long" and "what is the cost" are not answered without a number next to the topic, nor is
"who" without a name. Hooks use this module, so it imports nothing but its like: see `codecairn.hooks`.
"""

from codecairn.memory.term_coverage import AFTER_THING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

VERSION, COUNT, NUMBER, SPAN, DAY = "version", "count", "number", "span", "day"
PERSON, ADDRESS, PLACE = "person", "address", "place"

_WORDS_OF_NUMBERS = """
age amount bill budget cost count fee latency length limit maximum minimum number percentage port ports price quota rate
revenue salary size threshold time total
"""
_WORDS_OF_SPANS = "duration expiry frequency interval lifetime period retention timeout ttl"
_WORDS_OF_PLACES = "domain domains hostname path paths url urls"
_NAMED = {
    "version": VERSION,
    "versions": VERSION,
    "date": DAY,
    "day": DAY,
    **dict.fromkeys(_WORDS_OF_NUMBERS.split(), NUMBER),
    **dict.fromkeys(_WORDS_OF_SPANS.split(), SPAN),
    "address": ADDRESS,
    "addresses": ADDRESS,
    **dict.fromkeys(_WORDS_OF_PLACES.split(), PLACE),
}
_SIZES = ("much", "big", "fast", "far", "high", "large", "slow", "small")
_MEASURED = {"many": COUNT, "long": SPAN, "often": SPAN, **dict.fromkeys(_SIZES, NUMBER)}
_ASKING = frozenset(("what", "what's", "which"))
_IS = frozenset(("are", "is", "was", "were"))
_OWNING = frozenset(("a", "an", "our", "my", "the", "your"))
_ARTICLES = frozenset(("a", "an", "each", "the"))
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
_AROUND_PARTS = "`'\"()[]{}<>,;:!?.*"
_LETTERS = 6
_NOUN_LETTERS = 5
_NEAR = 3
_VERSION_DIGITS = 3
_DATE_PARTS = 3
_IP_PARTS = 4


def kind_of(question: str) -> "str | None":
    """The expected answer type of a question; `None` if it is none of the recognised ones."""
    words = [word.strip(_AROUND) for word in question.casefold().split()]
    if "how" in words:
        measured = words[words.index("how") + 1 :]
        return _MEASURED.get(measured[0]) if measured else None
    if words[:1] == ["who"]:
        # A role answers the question who may do something.
        return None if _MAY.intersection(words[1:2]) else PERSON
    if words[:2] == ["when", "will"]:
        return DAY
    # "Which version control" asks for no version: the name of what is asked for ends with the word.
    thing = _asked_for(words)
    if thing == ["number"]:
        return COUNT if "number of" in question.casefold() else NUMBER
    return _NAMED.get(thing[-1]) if thing else None


def _asked_for(words: "list[str]") -> "list[str]":
    """The name of what is asked for: what follows "which", or "what is the"."""
    at = next((at for at, word in enumerate(words) if word in _ASKING), None)
    if at is None:
        return []
    first = at + 1
    if first < len(words) and words[first] in _IS:
        first += 1
    while first < len(words) and words[first] in _OWNING:
        first += 1
    ends = (place for place in range(first, len(words)) if words[place] in AFTER_THING)
    return words[first : next(ends, None)]


def asks_whether(question: str) -> bool:
    """Whether yes or no would answer; "can you tell me" asks for more."""
    words = question.casefold().split()[:2]
    return bool(words) and words[0] in _WHETHER and words[1:] != ["you"]


def about(question: str, stems: "Collection[str]") -> "set[str]":
    """The beginnings of words less those that ask for the kind itself."""
    words = [word.strip(_AROUND) for word in question.casefold().split()]
    asking = [word for word in words if word in _MEASURED]
    asking += [word for word in _asked_for(words)[-1:] if word in _NAMED]
    return {*stems} - {word[:_LETTERS] for word in asking}


def is_of_kind(
    kind: str, question: str, asked: "Collection[str]", passage: str, small: "Collection[str]"
) -> bool:
    """Whether a passage has such a thing, near to what is asked about (`asked`, the beginnings of its words).

    `small` are words that are written as no names of people are somewhere.
    """
    if kind == PERSON:
        written = [word for word in passage.split() if any(map(str.isalnum, word))]
        return any(_is_name(word, asked, small) for word in written[1:])
    if kind in (ADDRESS, PLACE):
        is_one = _is_address if kind == ADDRESS else _is_place
        return any(map(is_one, passage.split()))
    if kind in (VERSION, COUNT):
        counted = _counted(question) if kind == COUNT else ()
        phrases = map(_words, _phrases(passage))
        return any(
            _has_count(words, counted) if kind == COUNT else _has_version(words, asked)
            for words in phrases
        )
    words = _words(passage)
    if kind == SPAN:
        return any(_is_span(words, at) for at in range(len(words)))
    if kind == DAY:
        return not _DAYS.isdisjoint(words) or any(map(_is_date, passage.split()))
    return any(map(_has_number, words))


def written_small(texts: "Sequence[str]") -> "set[str]":
    """The words that some texts have without a capital, or after an article: "the Redis pool", but not "the Alice"."""
    small = set[str]()
    for text in texts:
        before = ""
        for word in text.translate(_GAPS).replace(".", " ").split():
            if word.islower() or before in _ARTICLES:
                small.add(word.casefold())
            before = word.casefold()
    return small


def _phrases(passage: str) -> "list[str]":
    """The parts of a passage between commas: in "Next.js 15, Prisma" the number is not the second's."""
    return passage.replace("; ", ", ").split(", ")


def _words(passage: str) -> "list[str]":
    parts = (part.strip(".") for part in passage.casefold().translate(_GAPS).split())
    return [part for part in parts if part]


def _has_version(words: "list[str]", asked: "Collection[str]") -> bool:
    """Whether the number of a version follows soon upon what is asked about, or upon the word "version"."""
    anchors = {*asked, VERSION[:_LETTERS]}
    places = [at for at, word in enumerate(words) if word[:_LETTERS] in anchors]
    return any(_is_version(each) for at in places for each in words[at : at + _NEAR])


def _counted(question: str) -> "tuple[str, ...]":
    """How the words for what is counted begin: of "how many uvicorn workers run", those of the first two."""
    words = [word.strip(_AROUND) for word in question.casefold().split()]
    first = words.index("how" if "how" in words else "number") + 2
    after = words[first : first + 2]
    ends = [at for at, word in enumerate(after) if word in AFTER_THING]
    return tuple(word.rstrip("s")[:_NOUN_LETTERS] for word in after[: ends[0] if ends else None])


def _has_count(words: "list[str]", counted: "tuple[str, ...]") -> bool:
    """Whether a number is next to the counted noun: "four of the workers", "workers: 4"."""
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


def _is_address(word: str) -> bool:
    """Whether it is one of mail, of a host or of a page."""
    inside = word.strip(_AROUND_PARTS + "@")
    parts = inside.partition(":")[0].split(".")
    is_ip = len(parts) == _IP_PARTS and all(map(str.isdigit, parts))
    return is_ip or "@" in inside or "://" in inside or "localhost" in inside


def _is_place(word: str) -> bool:
    """Whether it has parts as a path or the name of a host has."""
    inside = word.strip(_AROUND_PARTS)
    return "/" in inside or "." in inside or "localhost" in inside


def _is_name(word: str, asked: "Collection[str]", small: "Collection[str]") -> bool:
    """Whether it may be a person's name; words in code, in brackets or in a compound are none."""
    name = word.strip('.,:;!?"*').removesuffix("'s").removesuffix("\u2019s")
    written = name.casefold()
    is_known = written in small or written in _DAYS or written[:_LETTERS] in asked
    return name.isalpha() and name.istitle() and not is_known
