"""Splits messages into words: lower case, letters alone, without placeholders and markup.

Chinese and Japanese are segmented by jieba and janome, here alone: a question is segmented by the dictionary's own words.
Endings that Korean words take are cut off where what remains is a word of the messages, too.
"""

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from benches.quality.translation.sources import Message

MAX_WORDS = 60
"""Longer messages teach little, and cost the square of their length."""
MAX_WORD_CHARS = 24
_NOISE = re.compile(
    r"``[^`]*``|`[^`]*`|:\w+:`[^`]*`|https?://\S+|\{[^}]*\}|%\(?\w*\)?[sd]|<[^>]+>|&\w;?"
)
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = re.compile(r"[A-Za-z]+")
_MAX_ENDING, _MIN_STEM = 3, 2
_MIN_COUNT, _MIN_ENDINGS = 3, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The words of a message in both languages; empty lists for messages that are not used."""

    english: list[str]
    foreign: list[str]


def split_pair(code: str, message: Message) -> Pair:
    """The words of a message."""
    english = [
        word.lower()
        for word in _ENGLISH.findall(_plain(message.english))
        if len(word) <= MAX_WORD_CHARS
    ]
    foreign = words(code, _plain(message.foreign))
    is_used = len(english) <= MAX_WORDS and len(foreign) <= MAX_WORDS
    return Pair(english=english, foreign=foreign) if is_used else Pair(english=[], foreign=[])


def words(code: str, text: str) -> list[str]:
    """The words of a text in a language."""
    if code == "zh":
        found: list[str] = _chinese()(text)
    elif code == "ja":
        found = _japanese()(text)
    else:
        found = _WORD.findall(text)
    return [word.lower() for word in found if _WORD.fullmatch(word) and len(word) <= MAX_WORD_CHARS]


def without_endings(texts: Sequence[list[str]]) -> list[list[str]]:
    """The same texts with the endings of their words cut off, found by what words have in common."""
    counts = Counter(word for text in texts for word in text)
    endings: defaultdict[str, set[str]] = defaultdict(set)
    for word in counts:
        for at in range(1, len(word)):
            endings[word[:at]].add(word[at:])

    def stem(word: str) -> str:
        best = word
        for at in range(len(word) - 1, max(_MIN_STEM, len(word) - _MAX_ENDING) - 1, -1):
            start = word[:at]
            if counts[start] >= _MIN_COUNT or len(endings[start]) >= _MIN_ENDINGS:
                best = start
            elif best != word:
                break
        return best

    stems = {word: stem(word) for word in counts}
    return [[stems[word] for word in text] for text in texts]


@cache
def _chinese() -> Callable[[str], list[str]]:
    import jieba

    jieba.setLogLevel(logging.ERROR)
    return lambda text: list(jieba.cut(text))


@cache
def _japanese() -> Callable[[str], list[str]]:
    from janome.tokenizer import Tokenizer

    tokenizer = Tokenizer(wakati=True)
    return lambda text: list(map(str, tokenizer.tokenize(text)))


def _plain(text: str) -> str:
    return _NOISE.sub("  ", text)
