"""Writes the dictionary as the core reads it (`native/crates/lexical/src/translation/format.rs`)."""

import math
import struct
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from benches.quality.translation.alignment import Language

MAGIC, VERSION = b"CAIRNDIC", 1
MEANINGS = 2
MIN_SHARE = 0.25
"""A second meaning is kept from this share on."""
MIN_COUNT = 2
"""Words in fewer messages are left out, meanings excepted."""
LEVELS_PER_NAT = 12
"""The rarity of a word is minus the natural logarithm of its share, in so many steps, up to 255."""
NO_MEANING = 0xFFFF
_SHARED, _REST = 3, 4


def meanings(english: Sequence[tuple[str, float]]) -> list[str]:
    """The meanings of a word that are kept, the likeliest first; forms of one English word count together."""
    groups: list[tuple[str, float]] = []
    for word, share in english:
        for at, (known, so_far) in enumerate(groups):
            if are_forms(known, word):
                groups[at] = (known, so_far + share)
                break
        else:
            groups.append((word, share))
    groups.sort(key=lambda group: -group[1])
    return [
        word for at, (word, share) in enumerate(groups[:MEANINGS]) if at == 0 or share >= MIN_SHARE
    ]


def are_forms(one: str, other: str) -> bool:
    """Whether two English words look like forms of one: they begin alike, and little follows."""
    shared = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    longest, shortest = max(len(one), len(other)), min(len(one), len(other))
    return shared >= _SHARED and longest - shared <= _REST and 2 * shared >= shortest


def dictionary(languages: Sequence[Language]) -> bytes:
    """The file of all languages."""
    english_counts: Counter[str] = Counter()
    kept: list[tuple[Language, dict[str, list[str]]]] = []
    for language in languages:
        english_counts.update(language.english_counts)
        words = {
            word: meanings(language.words.get(word, []))
            for word, count in language.counts.items()
            if count >= MIN_COUNT
        }
        kept.append((language, words))
    wanted = {meaning for _, words in kept for found in words.values() for meaning in found}
    wanted.update(word for word, count in english_counts.items() if count >= 2 * len(languages))
    english = sorted(wanted, key=str.encode)
    numbers = {word: number for number, word in enumerate(english)}
    parts = [_words("en", english, english_counts)]
    for language, words in kept:
        ordered = sorted(words, key=str.encode)
        parts.append(_words(language.code, ordered, language.counts))
        for word in ordered:
            found = [numbers[meaning] for meaning in words[word]]
            parts.append(struct.pack("<2H", *(found + [NO_MEANING] * MEANINGS)[:MEANINGS]))
    body = b"".join(parts)
    return struct.pack("<8sII", MAGIC, VERSION, len(kept)) + body


def _words(code: str, words: Sequence[str], counts: Counter[str]) -> bytes:
    """Code, number of words and length of their text; where each word ends; the text; the rarity of each."""
    texts = [word.encode() for word in words]
    ends = list(accumulate(map(len, texts)))
    total = sum(counts.values())
    rarities = [
        min(255, round(-math.log(max(counts[word], 1) / total) * LEVELS_PER_NAT)) for word in words
    ]
    head = struct.pack("<8sII", code.encode(), len(words), ends[-1])
    return head + struct.pack(f"<{len(ends)}I", *ends) + b"".join(texts) + bytes(rarities)
