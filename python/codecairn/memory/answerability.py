"""Decides whether memories that contain a question's words also answer it: in one text, and with the expected type of answer.

Recall scores the share of a question's words that a memory contains anywhere. In a long memory they may belong to different
topics, "which version" is not answered without a number, and the topic of the question may be among the words that are missing.
Hooks use this module, so it imports nothing but its like: see `codecairn.hooks`.
"""

from codecairn.memory.expected_answer_type import (
    PERSON,
    about,
    asks_whether,
    is_of_kind,
    kind_of,
    written_small,
)
from codecairn.memory.term_coverage import term_coverage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SAID = 4.0
"""The logarithm of the odds rises by this from a text with none of the question's topic words to one with all of them.

`benches.memory.answerable` fits it with the next two: most unanswerable questions are held back while as many answered ones pass.
"""

_WHETHER = 1.4
"""The logarithm of the odds falls by this for a yes-or-no question, which contains all the words of its answer."""

_APART = 0.5
"""The logarithm of the odds falls by up to this if neighbouring words of the question share no sentence of any text."""

_EXPECTED = 0.4
"""The share of topic words at which the odds stay the same; it is assumed if the share can't be computed."""

_AROUND = "`'\"()[]{}<>,;:!?.*/\\|=+-_#"
_LETTERS = 6
_WORDS = """
a about across all an and are as at be being both by can could curren did do does each explai find for from full
get had has have how i if in into is it its last list me my of on or our please should show so tell that the their them
there these this those to us use used using was we were what when where which who why will with would you your
"""
_COMMON = frozenset(_WORDS.split())


def is_answered(question: str, found: "Sequence[tuple[float, str]]", *, least: float) -> bool:
    """Whether one of some texts is likely enough to answer; each comes with how likely its words alone make it."""
    return any(chance >= least for chance in likelihoods(question, found))


def likelihoods(question: str, found: "Sequence[tuple[float, str]]") -> list[float]:
    """How likely each of some texts answers, from 0 to 1; each comes with how likely its words alone make it."""
    return [
        _raised(evidence, _SAID * (share - _EXPECTED) - _APART * apart - _WHETHER * whether)
        for evidence, share, apart, whether in spoken_for(question, found)
    ]


def spoken_for(
    question: str, found: "Sequence[tuple[float, str]]"
) -> "list[tuple[float, float, float, float]]":
    """What speaks for and against each of some texts.

    How likely its words alone make it, the share of the question that it says, how much of the question stands together
    nowhere, and whether yes or no is asked for. A text without the kind of thing that is asked for is not likely at all. A question that was asked before, or is
    recorded already, does not answer itself.
    """
    others = [(evidence, text) for evidence, text in found if text.strip() != question.strip()]
    texts = [text for _, text in others]
    covered = term_coverage(question, texts)
    if covered is None:
        shares, apart, whether = [_EXPECTED] * len(texts), 0.0, 0.0
    else:
        shares, apart = covered
        whether = float(asks_whether(question))
    are_of_kind = _are_of_kind(question, texts)
    return [
        (evidence if is_of_it or evidence >= 1.0 else 0.0, share, apart, whether)
        for (evidence, _), share, is_of_it in zip(others, shares, are_of_kind, strict=True)
    ]


def _raised(chance: float, by: float) -> float:
    """A chance whose odds' logarithm is raised; certainty stays."""
    if not 0.0 < chance < 1.0:
        return chance
    odds: float = chance / (1.0 - chance) * 2.718282**by
    return odds / (1.0 + odds)


def _are_of_kind(question: str, texts: "Sequence[str]") -> list[bool]:
    """Whether each text has the kind of thing that is asked for in a passage that speaks of what is asked about."""
    kind = kind_of(question)
    asked = about(question, _stems(question) - _COMMON)
    if kind is None or not asked:
        return [True] * len(texts)
    small = written_small(texts) if kind == PERSON else set[str]()
    return [
        any(
            not asked.isdisjoint(_stems(passage))
            and is_of_kind(kind, question, asked, passage, small)
            for passage in _passages(text)
        )
        for text in texts
    ]


def _passages(text: str) -> list[str]:
    for end in ("\n", "? ", "! ", "\u3002"):
        text = text.replace(end, ". ")
    return text.split(". ")


def _stems(text: str) -> set[str]:
    return {word.strip(_AROUND)[:_LETTERS] for word in text.casefold().split()} - {""}
