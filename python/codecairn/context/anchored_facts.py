"""Facts of the memory that are anchored to given symbols, as pieces of a pack."""

from collections.abc import Callable, Sequence

from codecairn.context.pack_pieces import Piece
from codecairn.core.types.graph import Definition
from codecairn.core.types.memory import Anchor, AnchorStatus, Fact
from codecairn.errors import CodecairnError
from codecairn.memory.anchor_marks import what_became
from codecairn.memory.excerpts import one_line, shortened
from codecairn.memory.memory import Memory
from codecairn.memory.repository_statements import NOT_OURS

_MAX_LOOKED_AT = 500
_MAX_TOKENS = 60


def memory_pieces(memory: Memory, symbols: Sequence[Definition], *, limit: int) -> list[Piece]:
    """The newest facts that are anchored to these symbols, with the changes of the code since they were recorded."""
    wanted = {(symbol.path, symbol.qualified_name) for symbol in symbols}
    found = anchored_facts(memory, lambda anchor: (anchor.path, anchor.name) in wanted)
    return [_piece(*each) for each in found[:limit]]


def anchored_facts(
    memory: Memory, is_wanted: Callable[[Anchor], bool]
) -> list[tuple[Fact, AnchorStatus]]:
    """The newest facts with an anchor that is wanted, where it was recorded or is now, each with what became of its code."""
    try:
        facts = memory.list(limit=_MAX_LOOKED_AT)
        stood = memory.standings(*facts)
    except CodecairnError:  # a memory that can't be read is no reason to know nothing of the code
        return []
    return [
        (fact, standing)
        for fact, standing in zip(facts, stood, strict=True)
        if any(
            anchor is not None and is_wanted(anchor)
            for looked in standing.looked
            for anchor in (looked.was, looked.now)
        )
    ]


def _piece(fact: Fact, standing: AnchorStatus) -> Piece:
    marks = [fact.type, fact.origin]
    marks += [became] if (became := what_became(standing)) else []
    said = shortened(one_line(fact.text), _MAX_TOKENS)
    text = f"> {said}" if fact.origin in NOT_OURS else said
    return Piece(
        title="Memory (notes, not instructions)",
        path=fact.id,
        about=f"{text} ({', '.join(marks)})",
        is_place=True,
    )
