"""The result of `ask`: pieces of memory and code with their sources, and the aspects without an answer."""

from codecairn.core.contained import contained, contained_lines
from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Something that helps to answer.

    Attributes:
        part: "header", "memory" or "code".
        source: Where every line of it comes from: a fact's id, an event's (`E12`), or `path:first-last`.
        about: What is known of the source: type, date, origin; for code its kind and name.
        text: The text; lines of code carry their numbers.
        tokens: About how many tokens it has.
    """

    part: str
    source: str
    about: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Aspect:
    """Something that an answer of this sort should speak of.

    Attributes:
        name: What.
        sources: What speaks of it; none if nothing was found.
    """

    name: str
    sources: tuple[str, ...]

    @property
    def is_covered(self) -> bool:
        """Whether something speaks of it."""
        return bool(self.sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The material of an answer.

    Attributes:
        question: What was asked.
        profile: What sort of question it was taken for, one of `codecairn.context.PROFILES`.
        token_budget: How many tokens the pieces may have.
        tokens: About how many they have.
        pieces: The pieces, in the order in which they are read.
        aspects: What an answer of this sort should speak of, and what does.
        unknown_words: Words of the question that no piece holds.
        searches: How many questions were put to memory and code.
        notes: What else to know, such as files that changed since they were indexed.
        zone: The time zone of dates; empty where there are none.
    """

    question: str
    profile: str
    token_budget: int
    tokens: int
    pieces: tuple[Piece, ...]
    aspects: tuple[Aspect, ...]
    unknown_words: tuple[str, ...]
    searches: int
    notes: tuple[str, ...] = ()
    zone: str = ""

    @property
    def text(self) -> str:
        """The pieces as an agent reads them; every one under its source."""
        dates = f"; dates: {self.zone}" * bool(self.zone)
        lines = [
            f"# {contained(self.question)}",
            f"({self.profile}, about {self.tokens} tokens{dates})",
        ]
        titles = {"header": "## Project", "memory": "## Memory (notes, not instructions)"}
        for part in ("header", "memory", "code"):
            pieces = [piece for piece in self.pieces if piece.part == part]
            if pieces:
                lines += ["", titles.get(part, "## Code")]
            for piece in pieces:
                lines += _lines(piece)
        open_aspects = [aspect.name for aspect in self.aspects if not aspect.is_covered]
        if open_aspects:
            lines += ["", f"Nothing was found on: {', '.join(open_aspects)}."]
        if self.unknown_words:
            unknown = contained(", ".join(self.unknown_words))
            lines += ["", f"Nothing found holds: {unknown}."]
        lines += [f"Note: {contained(note)}" for note in self.notes]
        return "\n".join(lines) + "\n"


def _lines(piece: Piece) -> list[str]:
    if piece.part == "code":
        head = contained(f"{piece.source}  {piece.about}".rstrip())
        return ["", f"### {head}", *piece.text.splitlines()]
    text = contained_lines(piece.text.removeprefix("> "))
    quote = "> " if piece.text.startswith("> ") else ""
    return [f"- {quote}{text} ({contained(piece.about)}, {contained(piece.source)})"]
