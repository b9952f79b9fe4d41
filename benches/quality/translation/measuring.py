"""How well a dictionary does on messages that it was not made from."""

from collections.abc import Sequence

from benches.quality.translation.alignment import Language
from benches.quality.translation.tokens import Pair
from benches.quality.translation.writing import meanings


def measure(language: Language, pairs: Sequence[Pair]) -> str:
    """The share of English words that are given, and the share of given words that are right, by whole words."""
    wanted = given = right = 0
    for pair in pairs:
        english = set(pair.english)
        found = {
            meaning for word in pair.foreign for meaning in meanings(language.words.get(word, []))
        }
        wanted += len(english)
        given += len(found)
        right += len(english & found)
    return f"  recall {right / max(wanted, 1):.3f}, precision {right / max(given, 1):.3f}"
