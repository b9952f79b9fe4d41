"""Turns recalled memories and hits into pieces and keeps those that fit the token budget."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from codecairn.context.answer import Piece
from codecairn.core.types.hits import Hit
from codecairn.core.types.memory import AnchorStatus, Event, Fact, Recalled
from codecairn.memory.anchor_marks import what_became
from codecairn.memory.excerpts import excerpt, one_line, shortened, tokens, words
from codecairn.memory.repository_statements import NOT_OURS, of_parent
from codecairn.memory.timestamps import day

_MEMORY_TOKENS = 140
_CODE_TOKENS = 220
_MIN_TOKENS = 40
_HEADER_TYPES = ("project-brief", "project-config", "tech-context", "rule")


def header_pieces(
    facts: Iterable[tuple[Fact, AnchorStatus]],
    *,
    max_tokens: int,
    marks: Mapping[str, str] = MappingProxyType({}),
) -> list[Piece]:
    """What the project is, and its rules, each by its fact; `marks` says by id what they differ from."""
    found = []
    for fact, standing in sorted(facts, key=lambda pair: _HEADER_TYPES.index(pair[0].type)):
        text = shortened(one_line(fact.text), 80)
        found.append(
            _said(
                "header", fact.id, _about(fact, standing, marks.get(fact.id, "")), fact.origin, text
            )
        )
    return fitting(found, max_tokens)


def memory_piece(found: Recalled, question: str, *, differs: str = "") -> Piece:
    """A memory by its id, with what it `differs` from; external text is quoted, and a change of the anchored code is noted."""
    item = found.fact or found.event
    if item is None:
        raise ValueError(f"{found.id} is neither a fact nor an event")
    about = _about(item, found.standing, differs) if isinstance(item, Fact) else _about_event(item)
    text = excerpt(found.text, question, _MEMORY_TOKENS)
    return _said("memory", found.id, about, item.origin, text)


def _about_event(event: Event) -> str:
    about = [event.role, day(event.ts_ms), f"session {event.session}", *of_parent(event)]
    return ", ".join(about)


def _about(fact: Fact, standing: AnchorStatus, differs: str) -> str:
    about = [fact.type, day(fact.valid_from_ms), fact.origin, *of_parent(fact)]
    about += [differs] if differs else []
    about += [became] if (became := what_became(standing)) else []
    about += [f"branch {fact.branch} not merged yet"] if standing.branch == "unmerged" else []
    return ", ".join(about)


def _said(part: str, source: str, about: str, origin: str, text: str) -> Piece:
    if origin in NOT_OURS:
        text, about = f"> {text}", f"{about}, quoted from {NOT_OURS[origin]}"
    return _piece(part, source, about, text)


def code_piece(hit: Hit, question: str) -> Piece:
    """The lines of a place in the code that have most to do with the question, with their numbers."""
    lines = hit.text.splitlines()
    first, last = _window(lines, words(question))
    numbered = [
        f"{hit.context_start_line + at:>5} {lines[at]}"
        for at in range(first, min(last, len(lines)))
    ]
    start = hit.context_start_line + first
    source = f"{hit.path}:{start}-{max(start, hit.context_start_line + last - 1)}"
    return _piece("code", source, f"{hit.kind} {hit.name}".strip(), "\n".join(numbered))


def _window(lines: Sequence[str], asked: set[str]) -> tuple[int, int]:
    """The run of lines that fits and has most to do with the question; the beginning if nothing has."""
    costs = [tokens(line) + 2 for line in lines]
    worths = [len(words(line) & asked) for line in lines]
    best, best_worth = (0, 0), -1
    first = cost = worth = 0
    for last in range(len(lines)):
        cost += costs[last]
        worth += worths[last]
        while cost > _CODE_TOKENS and first < last:
            cost -= costs[first]
            worth -= worths[first]
            first += 1
        if worth > best_worth or (best[0] == first and worth == best_worth):
            best, best_worth = (first, last + 1), worth
    return best


def fitting(pieces: Iterable[Piece], max_tokens: int) -> list[Piece]:
    """The pieces that fit, in order; one that does not is passed over."""
    taken: list[Piece] = []
    left = max_tokens
    for piece in pieces:
        if piece.tokens <= left:
            taken.append(piece)
            left -= piece.tokens
        elif left < _MIN_TOKENS:
            break
    return taken


def _piece(part: str, source: str, about: str, text: str) -> Piece:
    cost = tokens(text) + tokens(source) + tokens(about) + 2
    return Piece(part=part, source=source, about=about, text=text, tokens=cost)
