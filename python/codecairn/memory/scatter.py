"""Whether what answers a question stands together in a text, or its words are scattered over it.

Recall weighs the share of a question's words that a memory has anywhere; in a long one they may be of several matters.
Hooks ask too, so this imports nothing: see `codecairn.hooks`.
"""

_WEIGHT = 2.0
"""By how much the logarithm of the odds falls where all words are there and none together; fitted on one half of
`benches.memory.devmembench`."""

_AROUND = "`'\"()[]{}<>,;:!?.*/\\|=+-_#"
_LETTERS = 6
_WORDS = """
a about across all an and are as at be being both by can could curren did do does each explai find for from full
get had has have how i if in into is it its last list me my of on or our please should show so tell that the their them
there these this those to us use used using was we were what when where which who why will with would you your
"""
_COMMON = frozenset(_WORDS.split())


def together(evidence: float, question: str, text: str) -> float:
    """How likely a text answers, from 0 to 1, if `evidence` is how likely its words alone make it; never more."""
    asked = _stems(question) - _COMMON
    if not asked or not 0.0 < evidence < 1.0:
        return evidence
    passages = [_stems(passage) & asked for passage in _passages(text)]
    whole = set[str]().union(*passages)
    best, before = 0, set[str]()
    for passage in passages:
        best = max(best, len(before | passage))
        before = passage
    scattered = (len(whole) - best) / len(asked)
    odds: float = evidence / (1.0 - evidence) * 2.718282 ** (-_WEIGHT * scattered)
    return odds / (1.0 + odds)


def _passages(text: str) -> list[str]:
    for end in ("\n", "? ", "! ", "。"):
        text = text.replace(end, ". ")
    return text.split(". ")


def _stems(text: str) -> set[str]:
    return {word.strip(_AROUND)[:_LETTERS] for word in text.casefold().split()} - {""}
