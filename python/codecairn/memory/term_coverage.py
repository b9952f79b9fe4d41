"""The share of a question's content words that each recalled text covers.

"Which cloud provider is it deployed on?" recalls texts about deployments and providers. If "cloud" occurs in none of them, the
question is hardly covered. A phrase such as "secrets manager" is covered by a sentence that contains both words, not by two that
contain one each. Words of the question form ("remind", "used", "library") need not occur. Hooks use this module, so it imports
nothing: see `codecairn.hooks`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_WORDS = 16
"""A longer prompt is a narrative; not all of its words concern the memory."""

_THING = 3.0
"""What kind of thing is asked for ("which cloud provider") counts so much more than what else is said of it: a text that
speaks of all the rest is of the same matter and answers another question."""

_ALONE = 0.7
"""So much of a word is added as never said: one word's absence is weaker evidence than that of four."""

_SHORT = 3
_STEM = 5
_ENDS = ("\n", "? ", "! ", "\u3002")
_GAPS = {
    ord(character): " "
    for character in "`'\"()[]{}<>,;:!?.*/\\|=+-_#@&%$^~\n\t\r\u2014\u2013\u2026\u201c\u201d\u2018\u2019"
}
_ENGLISH = frozenset(
    ("the", "is", "are", "does", "did", "how", "what", "which", "where", "when", "who", "why")
)
_WORDS_AFTER = """
a an and are at by can could did do does for from had has have i if in is it may must of on our per shall should that the
they this to was we were when will with would you your
"""
AFTER_THING = frozenset(_WORDS_AFTER.split())
"""Words that end the name of what is asked for: "which version of", "what day do"."""
_WORDS_TO_ASK_WITH = """
about accomplish accomplished achieve achieved across add added adds affect affected affects after again against ago
all allow allowed allows along already also although always am among an and any anymore app appear appeared appears
application applied apply approach approaches are aren around as ask at available away back be became because become
been before began begin being between both build built but by call called calls came can cannot case cases cause
caused causes causing certain change changed changes changing choice choices choose chose chosen code come command
commands compare compared complete completed component components configuration configure configured consist contain
contains convention conventions correct correctly could create created creates current currently decide decided
decision decisions define defined defines describe detail details developer developers did didn differ different
directly do does doesn doing don done down during each easy eg either end ended ensure entire error errors establish
established etc even ever every evolve evolved exact exactly example exist existed exists expect expected explain
expose exposed fail failed fails feature features few final finally find finish finished first fix fixed flow follow
followed follows for format formats framework frameworks from full fully function functions general get gets getting
give go goes going got had handle handled handles happen happened happens hard has have having he here hold holds how
ie if implement implemented implements important in include included includes including incorrectly infrastructure
initial initially into involve involved is isn issue issues it its just keep kept key kind kinds know last latest
layer layers lead leads led left let libraries library list lists ll long longer look made main maintain maintained
make making manage managed many may me mean mechanism message messages method methods might module modules more most
much must my name names necessary need neither never new newest next no none nor not now number numbers occur occurred
of off often old older on once one only onto option options or organise organised organize organized original
originally other others our out over overall own package packages part particular parts pattern patterns per perform
performed performs pick picked plan planned platform platforms possible prefer preferred prefers previous previously
primary problem problems process project projects properly provide provided provider providers provides purpose put re
reason reasons recall recent recently relate related remember remind remove removed replace replaced replaces repo
repository require required requires resolve resolved restrict restricted result results return returned returns right
rule rules run running runs said same say scratch see select selected sequence serve serves service services session
sessions set sets setting settings setup several shall she should show so solution solve solved some soon sort
specific stack stand stands start started starts state states status stay stays step steps still stop stopped store
stored stores strategies strategy structure structured such summarise summarize support supported supports switch
switched system systems take taken team tech technologies technology tell than that the their them then there these
they thing things think this those though through to today too took tool tools total toward towards track tracked type
types under unless until up update updated updates us use used user users uses using usually value values various ve
version versions versus very via vs walk want was way ways we were what when where whether which while who whole whom
whose why will with within without won work worked working works would yes yet you your
"""
_ASKING = frozenset(_WORDS_TO_ASK_WITH.split())

_WORDS_OF_MONTHS = (
    "january february march april june july august september october november december"
)
_MONTHS = frozenset(_WORDS_OF_MONTHS.split())


def term_coverage(question: str, texts: "Sequence[str]") -> "tuple[list[float], float] | None":
    """The share of a question's content that each text covers, and the share that is covered only apart; from 0 to 1.

    A text covers the question's words that it contains, each weighted by 1 / (1 + texts with the word): the project's name is
    in every text, and a word that is in none may be the one that matters. The share apart is that of the neighbouring words of
    the question that share no sentence of any text. `None` for a long question, for one of question words alone, and for a
    language whose question words are not listed here.
    """
    words = question.casefold().translate(_GAPS).split()
    dates = _dates(words)
    about = dict.fromkeys(
        word
        for at, word in enumerate(words)
        if len(word) > 1 and word not in _ASKING and at not in dates
    )
    if not 0 < len(about) <= _MAX_WORDS or _ENGLISH.isdisjoint(words):
        return None
    sentences = [
        (place, sentence) for place, text in enumerate(texts) for sentence in _sentences(text)
    ]
    held = {word: _holding(_beginning(word), sentences) for word in about}
    things = _things(words)
    weights = {
        word: (_THING if word in things else 1.0) / (1 + len(texts_of))
        for word, (texts_of, _) in held.items()
    }
    total = sum(weights.values()) * (1 + _ALONE / len(about))
    shares = [
        sum(weights[word] for word, (texts_of, _) in held.items() if place in texts_of) / total
        for place in range(len(texts))
    ]
    pairs = [
        (left, right)
        for left, right in zip(words, words[1:])  # noqa: B905, RUF007 - `itertools` is an import, `strict` has no use
        if left in about and right in about
    ]
    apart = sum(held[left][1].isdisjoint(held[right][1]) for left, right in pairs)
    return shares, apart / max(len(pairs), 1)


def _dates(words: "list[str]") -> "set[int]":
    """The positions of months and of the numbers next to them: a memory's date answers them, not its words."""
    months = [at for at, word in enumerate(words) if word in _MONTHS]
    beside = {place for at in months for place in (at - 1, at + 1, at + 2)}
    numbers = (at for at, word in enumerate(words) if word.rstrip("dhnrst").isdigit())
    return {*months, *beside.intersection(numbers)}


def _things(words: "list[str]") -> "list[str]":
    """What kind of thing is asked for: what follows "which" or "how many", up to a word that can't be part of it."""
    for at, word in enumerate(words):
        if word in ("which", "what") or (
            word == "how" and words[at + 1 : at + 2] in (["many"], ["much"])
        ):
            first = at + 1 if word != "how" else at + 2
            ends = (place for place in range(first, len(words)) if words[place] in AFTER_THING)
            return words[first : next(ends, len(words))]
    return []


def _sentences(text: str) -> "list[str]":
    text = text.casefold()
    for end in _ENDS:
        text = text.replace(end, ". ")
    return [f" {sentence.translate(_GAPS)} " for sentence in text.split(". ")]


def _holding(beginning: str, sentences: "list[tuple[int, str]]") -> "tuple[set[int], set[int]]":
    """The places of the texts, and of the sentences, that hold a word with this beginning."""
    found = [
        (text, place) for place, (text, sentence) in enumerate(sentences) if beginning in sentence
    ]
    return {text for text, _ in found}, {place for _, place in found}


def _beginning(word: str) -> str:
    """What any form of a word begins with; of a short one, the whole word."""
    return f" {word} " if len(word) <= _SHORT else f" {word.rstrip('s')[:_STEM]}"
