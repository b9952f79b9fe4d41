"""Set C: a message that a program raises or logs asks for the place that has its text."""

import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from benches.quality.lines.questions import SEED, Question, Target
from benches.quality.lines.syntax import Source, is_asked_about, language_of

COUNT = 30
PER_FILE = 4
MIN_WORDS = 4
MAX_PLACES = 3

_SINK = re.compile(
    r"error|exception|\berr(?:f|x)?\b|warn|fail|fatal|panic|abort|\blog|debug|bail|\bdie\b|raise|throw|deprecat|"
    r"unreachable|precondition|notice|\binfo\b",
    re.IGNORECASE,
)
_LITERAL = re.compile(r"^[A-Za-z@$]{0,3}(\"|'|`)([^\n]*)\1$")
_PLACEHOLDER = re.compile(
    r"%(?:\(\w+\))?[-+ #0-9.*]*(?:ll|z|l|h)?[a-zA-Z]|\$\{[^}]*\}|#\{[^}]*\}|\\\([^)]*\)|\{[^{}]*\}|\$\w+"
)
_FILLINGS = (
    "42",
    "users.json",
    "alpha",
    "0",
    "main",
    "true",
    "3.5",
    "/tmp/data",
    "None",
    "example.org",
)
_PREFIXES = (
    "ERROR: ",
    "2026-11-21 09:14:02,118 ",
    "[warn] ",
    "Uncaught exception: ",
    "E1121 09:14:02.118 ",
)


def ask_messages(folder: str, texts: Mapping[str, str], *, count: int = COUNT) -> list[Question]:
    """At most `count` questions on the files of a repository, always the same ones."""
    chance = random.Random(f"{SEED}/messages/{folder}")
    candidates = sorted(
        {
            (path, raw)
            for path, text in texts.items()
            if is_asked_about(path)
            for raw in literals(path, text)
        }
    )
    chance.shuffle(candidates)
    asked: Counter[str] = Counter()
    seen: set[str] = set()
    chosen: list[Question] = []
    for path, raw in candidates:
        if len(chosen) == count:
            break
        if asked[path] == PER_FILE or raw in seen:
            continue
        places = occurrences(raw, texts)
        if 1 <= len(places) <= MAX_PLACES:
            asked[path] += 1
            seen.add(raw)
            query, form = variant(filled(raw, chance), len(chosen), chance)
            targets = tuple(Target(path=place, ranges=((line, line),)) for place, line in places)
            number = f"messages/{folder}/{len(chosen)}"
            chosen.append(Question(id=number, query=query, targets=targets, form=form))
    return chosen


def literals(path: str, text: str) -> Iterator[str]:
    """The literals of a file that are raised or logged and have enough words, as they are written between the quotes."""
    language = language_of(path)
    if language is None:
        return
    source = Source(text.encode(), language)
    for span, openings in source.strings():
        found = _LITERAL.match(source.text(span))
        if found and is_message(found[2]) and any(is_sink(each) for each in openings):
            yield found[2]


def is_sink(opening: str) -> bool:
    """Whether a call or statement that begins like this raises or logs: only what is before its arguments counts."""
    return _SINK.search(opening.partition("(")[0]) is not None


def is_message(raw: str) -> bool:
    """Whether a literal has enough words of its own, with blanks around them."""
    return len(re.findall(r"(?<!\S)\W*[A-Za-z]{2}", _PLACEHOLDER.sub(" ", raw))) >= MIN_WORDS


def occurrences(raw: str, texts: Mapping[str, str]) -> list[tuple[str, int]]:
    """Path and line of every place that has the text; at most one more than may answer a question."""
    found: list[tuple[str, int]] = []
    for path, text in texts.items():
        at = text.find(raw)
        while at >= 0:
            found.append((path, text.count("\n", 0, at) + 1))
            if len(found) > MAX_PLACES:
                return found
            at = text.find(raw, at + len(raw))
    return found


def filled(raw: str, chance: random.Random) -> str:
    """The message with values in place of its placeholders, and its escapes resolved."""
    text = _PLACEHOLDER.sub(lambda _: chance.choice(_FILLINGS), raw)
    return " ".join(re.sub(r"\\([\"'`\\])", r"\1", re.sub(r"\\[nrt]", " ", text)).split())


def variant(message: str, number: int, chance: random.Random) -> tuple[str, str]:
    """The message as it is asked, and the name of that form: every other one as it is, the rest changed in turn."""
    if number % 2 == 0:
        return message, "as it is"
    form = ("cut", "lower", "prefix")[number // 2 % 3]
    if form == "cut":
        words = message.split()
        return " ".join(words[: math.ceil(0.6 * len(words))]), form
    if form == "lower":
        return message.lower(), form
    return chance.choice(_PREFIXES) + message, form
