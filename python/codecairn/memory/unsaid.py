"""What a question asks about that nothing that was found speaks of.

"Which cloud provider is it deployed on?" finds what was said of deployments and of providers; if "cloud" stands nowhere
in it, it was hardly said. Nor was anything said of a "secrets manager" where secrets and managers stand in sentences
of their own. Words that one asks with ("remind", "used", "library") need not stand in an answer. Hooks ask too, so this
imports nothing: see `codecairn.hooks`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_WORDS = 16
"""A longer prompt tells a story; not all of its words are about what was said before."""

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


def unsaid_shares(question: str, texts: "Iterable[str]") -> "tuple[float, float] | None":
    """How much of what a question is about some texts do not say, by its words and by its pairs; from 0 to 1.

    By words: the share that stands in none of them. By pairs: the share of words that are neighbours in the question and
    stand in no sentence together. `None` where it can't be told: of a long question, and in a language whose words to ask with are not known here.
    """
    words = question.casefold().translate(_GAPS).split()
    about = dict.fromkeys(word for word in words if len(word) > 1 and word not in _ASKING)
    if len(about) > _MOST_WORDS or _ENGLISH.isdisjoint(words):
        return None
    sentences = [sentence for text in texts for sentence in _sentences(text)]
    held = {word: _holding(_beginning(word), sentences) for word in about}
    pairs = [
        (left, right)
        for left, right in zip(words, words[1:])  # noqa: B905, RUF007 - `itertools` is an import, `strict` has no use
        if left in about and right in about
    ]
    missing = sum(not places for places in held.values())
    apart = sum(held[left].isdisjoint(held[right]) for left, right in pairs)
    return missing / max(len(about), 1), apart / max(len(pairs), 1)


def _sentences(text: str) -> "list[str]":
    text = text.casefold()
    for end in _ENDS:
        text = text.replace(end, ". ")
    return [f" {sentence.translate(_GAPS)} " for sentence in text.split(". ")]


def _holding(beginning: str, sentences: "list[str]") -> "set[int]":
    """The places of the sentences that hold a word with this beginning."""
    return {place for place, sentence in enumerate(sentences) if beginning in sentence}


def _beginning(word: str) -> str:
    """What any form of a word begins with; of a short one, the whole word."""
    return f" {word} " if len(word) <= _SHORT else f" {word.rstrip('s')[:_STEM]}"
