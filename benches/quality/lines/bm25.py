"""Plain BM25 over windows of lines: words split by case and underscore, in lower case, no stems and no weights of fields."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

K1, B = 1.5, 0.75
WINDOW = 30

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def terms(text: str) -> list[str]:
    """The words of a text.

    terms("parseHTTPHeader(max_size)")  # ["parse", "http", "header", "max", "size"]
    """
    return [word.lower() for word in _WORD.findall(text)]


def windows(texts: Mapping[str, str], size: int) -> list[tuple[str, int, int]]:
    """Path, first and last line of each window of a tree; windows of a file don't overlap."""
    return [
        (path, first, min(first + size - 1, count))
        for path, text in texts.items()
        for count in (text.count("\n") + 1,)
        for first in range(1, count + 1, size)
    ]


class Bm25:
    """The statistics of a collection; scores a text of it or any other in O(words of the text)."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._count = len(documents)
        self._average = sum(map(len, documents)) / max(1, self._count) or 1.0
        self._frequency = Counter(term for document in documents for term in set(document))

    @classmethod
    def of_windows(cls, texts: Mapping[str, str]) -> "Bm25":
        """The statistics of all windows of a tree."""
        split = {path: text.split("\n") for path, text in texts.items()}
        return cls(
            [
                terms("\n".join(split[path][first - 1 : last]))
                for path, first, last in windows(texts, WINDOW)
            ]
        )

    def score(self, wanted: Sequence[str], text: str) -> float:
        """How well a text fits the words."""
        words = Counter(terms(text))
        norm = K1 * (1 - B + B * words.total() / self._average)
        return sum(
            self.idf(term) * words[term] * (K1 + 1) / (words[term] + norm)
            for term in set(wanted)
            if term in words
        )

    def idf(self, term: str) -> float:
        """The weight of a word: as Lucene has it, never negative."""
        frequency = self._frequency[term]
        return math.log(1 + (self._count - frequency + 0.5) / (frequency + 0.5))
