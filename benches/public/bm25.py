"""BM25 over whole texts, as a peer: Lucene's formula with its defaults, k1 = 1.2 and b = 0.75, over lower-case words."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping

_WORD = re.compile(r"\w+")
_K1 = 1.2
_B = 0.75


def words(text: str) -> list[str]:
    """The words of a text, in lower case; letters, digits and `_` belong to them."""
    return _WORD.findall(text.lower())


class Bm25:
    """An index of texts by their keys."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        counts = {key: Counter(words(text)) for key, text in texts.items()}
        lengths = {key: found.total() for key, found in counts.items()}
        mean = sum(lengths.values()) / max(len(lengths), 1) or 1.0
        self._postings: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for key, found in counts.items():
            damped = _K1 * (1 - _B + _B * lengths[key] / mean)
            for word, count in found.items():
                self._postings[word].append((key, count / (count + damped)))
        self._size = len(texts)

    def ranked(self, query: str, limit: int) -> list[tuple[str, float]]:
        """The best texts with their scores, best first; of equals the smaller key comes first."""
        scores: dict[str, float] = defaultdict(float)
        for word, times in Counter(words(query)).items():
            postings = self._postings.get(word, ())
            weight = math.log(1 + (self._size - len(postings) + 0.5) / (len(postings) + 0.5))
            for key, share in postings:
                scores[key] += times * weight * share
        return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
