"""`ask` queries memory and code with one question, and queries again for the aspects that its profile expects."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from codecairn.context import PROFILES
from codecairn.context.answer import Answer, Aspect, Piece
from codecairn.context.answer_packing import code_piece, fitting, header_pieces, memory_piece
from codecairn.context.ask_request import AskRequest
from codecairn.context.question_profiles import BY_NAME, Profile, Wish
from codecairn.core.types.hits import Hit, SearchResult
from codecairn.core.types.memory import Recalled
from codecairn.errors import UsageError
from codecairn.memory.conflicts import shown_together
from codecairn.memory.excerpts import words
from codecairn.memory.memory import Memory
from codecairn.memory.question_analysis import profile_of
from codecairn.memory.timestamps import zone_now

_MIN_BUDGET = 200
_FURTHER_SEARCHES = 6
_HEADER_TYPES = ("project-brief", "project-config", "tech-context", "rule")
_COMMON = frozenset(
    words(
        "a about all an and are as at be by can did do does for from had has have how i if in into is it its me my of on or "
        "our should so that the their them there these this those to us was we were what when where which who why will "
        "with would you your get use used using please tell show explain list find"
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where answers come from: the memory, and a search of the code that takes a query and a `limit`."""

    memory: Memory
    search: Callable[..., SearchResult]


@dataclass(slots=True)
class _Found:
    """What was found so far, the best first, and how many questions were put."""

    memories: list[Recalled]
    hits: list[Hit]
    notes: list[str]
    searches: int = 0


def ask(request: AskRequest, sources: Sources) -> Answer:
    """The material of an answer; see `Workspace.ask`."""
    question, profile, token_budget = request.question, request.profile, request.token_budget
    if not words(question):
        raise UsageError("nothing is asked", hint="give some words")
    if token_budget < _MIN_BUDGET:
        raise UsageError(f"the token budget is {token_budget}", hint=f"give {_MIN_BUDGET} or more")
    if profile not in ("auto", *PROFILES):
        raise UsageError(f"unknown profile `{profile}`", hint=f"one of auto, {', '.join(PROFILES)}")
    chosen = BY_NAME[profile_of(question) if profile == "auto" else profile]
    found = _Found(memories=[], hits=[], notes=[])
    _look(question, found, sources, memories=chosen.memories, hits=chosen.hits)
    remembered = sources.memory.search(question, limit=1)
    found.notes += [note for note in remembered.notes if note not in found.notes]
    if remembered.remark and (remembered.results or remembered.period):
        found.notes.append(remembered.remark)
    for wish in chosen.wishes:
        if found.searches < _FURTHER_SEARCHES and not _sources(wish, _evidence(found)):
            subject = question if wish.query.endswith((" of", " for")) else ""
            _look(f"{wish.query} {subject}".strip(), found, sources, memories=2, hits=3)
    pieces = _packed(question, chosen, found, sources.memory, token_budget)
    return _answer(question, chosen, found, pieces, token_budget)


def _look(
    query: str,
    found: _Found,
    sources: Sources,
    *,
    memories: int,
    hits: int,
) -> None:
    known = {each.id for each in found.memories}
    places = {(hit.path, hit.start_line) for hit in found.hits}
    found.searches += 1
    for each in sources.memory.recall(query, limit=memories):
        if each.id not in known:
            found.memories.append(each)
    result = sources.search(query, limit=hits)
    found.hits += [hit for hit in result.hits if (hit.path, hit.start_line) not in places]
    for path in result.stale:
        note = f"`{path}` changed since it was indexed"
        if note not in found.notes:
            found.notes.append(note)
    found.notes += [note for note in result.notes if note not in found.notes]


def _evidence(found: _Found) -> list[tuple[str, str]]:
    """What was found, as (source, what a wish is looked for in)."""
    memories = [
        (each.id, f"{each.fact.type if each.fact else each.event and each.event.path} {each.text}")
        for each in found.memories
    ]
    return memories + [
        (f"{hit.path}:{hit.start_line}", f"{hit.path} {hit.text}") for hit in found.hits
    ]


def _sources(wish: Wish, evidence: Iterable[tuple[str, str]]) -> list[str]:
    return [source for source, text in evidence if re.search(wish.found_by, text, re.IGNORECASE)]


def _packed(
    question: str, profile: Profile, found: _Found, memory: Memory, budget: int
) -> list[Piece]:
    """Each part in its share of the budget; what one leaves, the next may use."""
    head, remembered, code = (int(budget * share) for share in profile.shares)
    facts = [fact for name in _HEADER_TYPES for fact in memory.list(types=[name], limit=4)]
    recalled = [each.fact for each in found.memories if each.fact is not None]
    current, marks = shown_together([*facts, *recalled])
    held = {fact.id for fact in current}
    facts = [fact for fact in facts if fact.id in held]
    stood = zip(facts, memory.standings(*facts), strict=True)
    headers = header_pieces(stood, max_tokens=head, marks=marks)
    shown = {piece.source for piece in headers}
    room = head - _cost(headers) + remembered
    pieces = [
        memory_piece(each, question, differs=marks.get(each.id, ""))
        for each in found.memories
        if each.id not in shown and (each.fact is None or each.id in held)
    ]
    # Those that fill an open wish come after the best ones.
    memories = fitting(pieces[: profile.memories_shown + len(profile.wishes)], room)
    room += code - _cost(memories)
    places = fitting((code_piece(hit, question) for hit in found.hits), room)
    left = room - _cost(places)
    if left > budget // 10:
        taken = {piece.source for piece in memories}
        memories += fitting((piece for piece in pieces if piece.source not in taken), left)
    return [*headers, *memories, *places]


def _answer(
    question: str, profile: Profile, found: _Found, pieces: Sequence[Piece], budget: int
) -> Answer:
    shown = [(piece.source, f"{piece.about} {piece.source} {piece.text}") for piece in pieces]
    aspects = [
        Aspect(name=wish.name, sources=tuple(_sources(wish, shown))) for wish in profile.wishes
    ]
    for part in ("memory", "code"):
        sources = tuple(piece.source for piece in pieces if piece.part == part)
        aspects.append(Aspect(name=part, sources=sources))
    held = set().union(*(words(text) for _, text in shown))
    asked = re.findall(r"[^\W_]+", question)
    unknown = [word for word in asked if words(word) - _COMMON and not words(word) & held]
    return Answer(
        question=question,
        profile=profile.name,
        token_budget=budget,
        tokens=_cost(pieces),
        pieces=tuple(pieces),
        aspects=tuple(aspects),
        unknown_words=tuple(dict.fromkeys(unknown)),
        searches=found.searches,
        notes=tuple(found.notes),
        zone=zone_now() if any(piece.part != "code" for piece in pieces) else "",
    )


def _cost(pieces: Iterable[Piece]) -> int:
    return sum(piece.tokens for piece in pieces)
