"""Whether a memory that has a question's words has the answer, too: together in one passage, and of the kind that is asked for.

Recall weighs the share of a question's words that a memory has anywhere; in a long one they may be of several matters,
"which version" is not answered where no number stands, and what the question is about may be among the words that
are missing. Hooks ask too, so this imports nothing but its like: see `codecairn.hooks`.
"""

from codecairn.memory.unsaid import unsaid_shares

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SCATTERED = 2.0
"""By how much the logarithm of the odds falls where all words are there and none together; fitted on one half of
`benches.memory.devmembench`."""

_UNSAID = 2.6
"""The same where no word that the question is about stands in anything that was found,"""

_APART = 1.7
"""and where none of its pairs of neighbouring words stand together; both fitted by `benches.memory.answerable`."""

_SAID = 0.9
"""By how much it rises where all of it is said, so that the levels ask for as much as where none of it can be told."""

_AROUND = "`'\"()[]{}<>,;:!?.*/\\|=+-_#"
_LETTERS = 6
_WORDS = """
a about across all an and are as at be being both by can could curren did do does each explai find for from full
get had has have how i if in into is it its last list me my of on or our please should show so tell that the their them
there these this those to us use used using was we were what when where which who why will with would you your
"""
_COMMON = frozenset(_WORDS.split())
_VERSION = ("version", "versions")
_NUMBER = ("port", "ports")
_VERSION_DIGITS = 3
_COUNTS = frozenset(
    (
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "twelve",
        "dozen",
        "none",
        "no",
    )
)


def is_answered(question: str, found: "Sequence[tuple[float, str]]", *, least: float) -> bool:
    """Whether one of some texts is likely enough to answer; each comes with how likely its words alone make it.

    A question that was asked before, or is recorded already, does not answer itself.
    """
    others = [each for each in found if each[1].strip() != question.strip()]
    shares = unsaid_shares(question, (text for _, text in others))
    doubt = 0.0 if shares is None else _UNSAID * shares[0] + _APART * shares[1] - _SAID
    return any(likely(evidence, question, text, doubt=doubt) >= least for evidence, text in others)


def likely(evidence: float, question: str, text: str, *, doubt: float = 0.0) -> float:
    """How likely a text answers, from 0 to 1, if `evidence` is how likely its words alone make it.

    `doubt` is by how much the logarithm of the odds falls for what all texts together say of the question.
    """
    asked = _stems(question) - _COMMON
    if not asked or not 0.0 < evidence < 1.0:
        return evidence
    passages = _passages(text)
    kind = _kind(question)
    if kind is not None and not any(_answers(kind, asked, passage) for passage in passages):
        return 0.0
    held = [_stems(passage) & asked for passage in passages]
    best, before = 0, set[str]()
    for words in held:
        best = max(best, len(before | words))
        before = words
    scattered = (len(set[str]().union(*held)) - best) / len(asked)
    odds: float = evidence / (1.0 - evidence) * 2.718282 ** (-_SCATTERED * scattered - doubt)
    return odds / (1.0 + odds)


def _kind(question: str) -> "tuple[str, ...] | None":
    """The words that ask for a version, a port or a count; `None` if none of them is asked for."""
    words = [word.strip(_AROUND) for word in question.casefold().split()]
    if "how" in words:
        after = words[words.index("how") + 1 :][:1]
        return () if after in (["many"], ["much"]) else None
    is_which = "what" in words or "which" in words
    return next((kind for kind in (_VERSION, _NUMBER) if is_which and {*kind} & {*words}), None)


def _answers(kind: "tuple[str, ...]", asked: "set[str]", passage: str) -> bool:
    """Whether a passage speaks of what is asked for and gives a number: of a version, a short one or one with points."""
    if not (asked - {word[:_LETTERS] for word in (*kind, "many", "much")}) & _stems(passage):
        return False
    return any(_is_number(word.strip(_AROUND), kind) for word in passage.casefold().split())


def _is_number(word: str, kind: "tuple[str, ...]") -> bool:
    if not any(map(str.isdigit, word)):
        return not kind and word in _COUNTS
    return kind is not _VERSION or "." in word or len(word) <= _VERSION_DIGITS


def _passages(text: str) -> list[str]:
    for end in ("\n", "? ", "! ", "。"):
        text = text.replace(end, ". ")
    return text.split(". ")


def _stems(text: str) -> set[str]:
    return {word.strip(_AROUND)[:_LETTERS] for word in text.casefold().split()} - {""}
