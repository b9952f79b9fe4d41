"""Learns which English words a word stands for, from messages in both languages.

IBM model 1 (Brown et al. 1993) is fitted by expectation maximisation in both directions; a pair of words weighs the
geometric mean of how often each direction links them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benches.quality.translation.tokens import Pair, without_endings

ITERATIONS = 6
MIN_MESSAGES = 2
"""Words in fewer messages are not learnt."""
MIN_LINKS = 0.6
"""Pairs of words that are linked less often are chance."""
_MAX_ENGLISH = 5

Numbers = NDArray[np.int64]
Shares = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """What was learnt of a language.

    Attributes:
        code: Its code, `de`.
        counts: How often each of its words comes in the messages.
        english_counts: The same for the English side.
        words: By word the English words that it stands for, with their shares, the likeliest first.
    """

    code: str
    counts: Counter[str]
    english_counts: Counter[str]
    words: dict[str, list[tuple[str, float]]]


def learn(code: str, pairs: Sequence[Pair]) -> Language:
    """The language of some messages."""
    foreign = [pair.foreign for pair in pairs]
    if code == "ko":
        foreign = without_endings(foreign)
    english = [pair.english for pair in pairs]
    links = _links(foreign, english)
    weights = np.sqrt(
        _expected_links(links, of_foreign=False) * _expected_links(links, of_foreign=True)
    )
    totals = np.bincount(links.foreign, weights, len(links.foreign_words))
    found: dict[str, list[tuple[str, float]]] = {}
    for at in np.lexsort((-weights, links.foreign)):
        if weights[at] < MIN_LINKS:
            continue
        word = links.foreign_words[links.foreign[at]]
        share = float(weights[at] / totals[links.foreign[at]])
        found.setdefault(word, []).append((links.english_words[links.english[at]], share))
    return Language(
        code=code,
        counts=Counter(word for text in foreign for word in set(text)),
        english_counts=Counter(word for text in english for word in set(text)),
        words={word: english[:_MAX_ENGLISH] for word, english in found.items()},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Links:
    """All pairs of words that come in one message.

    Attributes:
        foreign_words: By number.
        english_words: By number.
        foreign: By distinct pair: the foreign word.
        english: By distinct pair: the English word.
        pair: By link: its distinct pair.
        foreign_place: By link: the foreign word in its message, counted through all messages.
        english_place: By link: the English word in its message, counted through all messages.
    """

    foreign_words: list[str]
    english_words: list[str]
    foreign: Numbers
    english: Numbers
    pair: Numbers
    foreign_place: Numbers
    english_place: Numbers


def _links(foreign: Sequence[list[str]], english: Sequence[list[str]]) -> _Links:
    of_foreign, foreign_words = _numbered(foreign)
    of_english, english_words = _numbered(english)
    keys, foreign_places, english_places = [], [], []
    first_foreign = first_english = 0
    for ours, theirs in zip(of_foreign, of_english, strict=True):
        keys.append(np.repeat(ours * len(english_words), len(theirs)) + np.tile(theirs, len(ours)))
        places = first_foreign + np.arange(len(ours))
        foreign_places.append(np.repeat(places, len(theirs)))
        english_places.append(np.tile(first_english + np.arange(len(theirs)), len(ours)))
        first_foreign += len(ours)
        first_english += len(theirs)
    distinct, pair = np.unique(np.concatenate(keys), return_inverse=True)
    return _Links(
        foreign_words=foreign_words,
        english_words=english_words,
        foreign=distinct // len(english_words),
        english=distinct % len(english_words),
        pair=pair,
        foreign_place=np.concatenate(foreign_places),
        english_place=np.concatenate(english_places),
    )


def _numbered(texts: Sequence[list[str]]) -> tuple[list[Numbers], list[str]]:
    """The distinct words of each text as numbers, less those of few texts; and the words by number."""
    counts = Counter(word for text in texts for word in set(text))
    numbers: dict[str, int] = {}
    found = [
        np.array(
            [
                numbers.setdefault(word, len(numbers))
                for word in sorted(set(text))
                if counts[word] >= MIN_MESSAGES
            ],
            dtype=np.int64,
        )
        for text in texts
    ]
    return found, list(numbers)


def _expected_links(links: _Links, *, of_foreign: bool) -> Shares:
    """By distinct pair: how often it is linked, where each word of one side is linked with one of the other."""
    place = links.foreign_place if of_foreign else links.english_place
    given = links.english if of_foreign else links.foreign
    probabilities: Shares = np.ones(len(given))
    expected = probabilities
    for _ in range(ITERATIONS):
        shares = probabilities[links.pair]
        shares /= np.bincount(place, shares)[place]
        expected = np.bincount(links.pair, shares, len(given)).astype(np.float64)
        probabilities = expected / np.bincount(given, expected)[given]
    return expected
