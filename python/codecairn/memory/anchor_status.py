"""The status of memories against the current code and branch: each anchored symbol is fresh, moved, changed or orphaned."""

import dataclasses
import difflib
import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from codecairn.core.engine import git_head
from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.types.memory import Anchor, AnchorStatus, Fact, Looked, Recalled
from codecairn.errors import UsageError
from codecairn.memory.branches import branch_states

Definitions = Callable[[str], Sequence[str]]
"""Files that define a name, by the index; none without an index."""

_NAME = re.compile(r"`([A-Za-z_][\w]*(?:(?:\.|::|#)[A-Za-z_]\w*)*)(?:\(\))?`")
_MAX_ANCHORS = 5
_UNMERGED = 0.15
"""The share of its score that a memory of an unmerged branch loses."""


def named_symbols(engine: MemoryEngine, text: str, defined_in: Definitions) -> list[Anchor]:
    """The symbols that a text names between backticks, as they are now; only those that one place alone defines."""
    found: list[Anchor] = []
    for written in dict.fromkeys(_NAME.findall(text)):
        name = re.sub(r"::|#", ".", written)
        paths = defined_in(name.rpartition(".")[2])
        symbols = [
            symbol
            for path in dict.fromkeys(paths)
            for symbol in engine.anchors_in(path)
            if symbol.name == name or symbol.name.endswith("." + name)
        ]
        if len(symbols) == 1:
            found.append(symbols[0])
    return found[:_MAX_ANCHORS]


def symbol_at(engine: MemoryEngine, place: str) -> Anchor | None:
    """The symbol that "path::name" (or "path#name") names, as it is now."""
    path, _, name = place.replace("#", "::", 1).partition("::")
    name = name.replace("::", ".")
    matches = [each for each in engine.anchors_in(path) if each.name == name]
    matches = matches or [
        each for each in engine.anchors_in(path) if each.name.endswith("." + name)
    ]
    return matches[0] if matches else None


def anchors_of(
    engine: MemoryEngine, text: str, symbols: Sequence[str], defined_in: Definitions
) -> list[dict[str, str]]:
    """The anchors of a statement: the given symbols, or else those that it names.

    Raises:
        UsageError: If there is no such symbol.
    """
    if not symbols:
        return [dataclasses.asdict(each) for each in named_symbols(engine, text, defined_in)]
    found = []
    for place in symbols:
        symbol = symbol_at(engine, place)
        if symbol is None:
            raise UsageError(
                f"there is no symbol `{place}`", hint='for example "src/app.py::Session.get"'
            )
        found.append(dataclasses.asdict(symbol))
    return found


def standings(
    engine: MemoryEngine, root: Path, facts: Sequence[Fact], defined_in: Definitions
) -> tuple[AnchorStatus, ...]:
    """The status of each fact. A symbol that has moved is followed."""
    if not facts:
        return ()
    head = git_head(root)
    states = branch_states(root, [(fact.branch, fact.commit) for fact in facts], head=head)
    anchors = engine.anchors([fact.id for fact in facts])
    return tuple(
        AnchorStatus(
            looked=tuple(
                _looked(engine, fact.id, place, anchor, defined_in)
                for place, anchor in enumerate(of_fact)
            ),
            branch=states[fact.branch, fact.commit],
        )
        for fact, of_fact in zip(facts, anchors, strict=True)
    )


def _look(engine: MemoryEngine, anchor: Anchor, defined_in: Definitions) -> Looked:
    looked = engine.look(anchor, [])
    if looked.state == "orphan":
        places = dict.fromkeys(defined_in(anchor.name.rpartition(".")[2]))
        looked = engine.look(anchor, list(places))
    return looked


def _looked(
    engine: MemoryEngine, id_: str, place: int, anchor: Anchor, defined_in: Definitions
) -> Looked:
    looked = _look(engine, anchor, defined_in)
    if looked.state == "moved" and looked.now is not None:
        engine.anchor(id_, [looked.now], place=place)
    return looked


def labelled(
    engine: MemoryEngine, root: Path, found: Sequence[Recalled], defined_in: Definitions
) -> tuple[Recalled, ...]:
    """The same with their statuses; memories of an unmerged branch rank lower."""
    is_ranked = all(left.score >= right.score for left, right in itertools.pairwise(found))
    # The facts of a complete list have no signals: they stay in the order of their time.
    is_ranked = is_ranked and any(each.signals for each in found)
    facts = [each.fact for each in found if each.fact is not None]
    by_id = dict(
        zip((fact.id for fact in facts), standings(engine, root, facts, defined_in), strict=True)
    )
    told = []
    for each in found:
        standing = by_id.get(each.id, each.standing) if each.fact is not None else each.standing
        lost = abs(each.score) * _UNMERGED if standing.branch == "unmerged" else 0.0
        is_as_it_was = standing is each.standing and not lost
        told.append(
            each
            if is_as_it_was
            else dataclasses.replace(each, standing=standing, score=each.score - lost)
        )
    return tuple(sorted(told, key=lambda each: -each.score)) if is_ranked else tuple(told)


def stale_standings(
    engine: MemoryEngine, ids: Sequence[str], defined_in: Definitions
) -> dict[str, AnchorStatus]:
    """The statuses of those facts whose code has changed since they were recorded; nothing is written."""
    anchors = engine.anchors(ids) if ids else []
    stood = {
        id_: AnchorStatus(looked=tuple(_look(engine, anchor, defined_in) for anchor in of_fact))
        for id_, of_fact in zip(ids, anchors, strict=True)
        if of_fact
    }
    return {id_: standing for id_, standing in stood.items() if standing.is_stale}


def relied_on(
    engine: MemoryEngine, facts: Sequence[Fact], defined_in: Definitions
) -> tuple[Fact, ...]:
    """The facts whose code is unchanged since they were recorded; nothing is written."""
    stale = stale_standings(engine, [fact.id for fact in facts], defined_in)
    return tuple(fact for fact in facts if fact.id not in stale)


def difference(looked: Looked) -> str:
    """What changed in a symbol, as a unified diff; empty if it is the same or gone."""
    if looked.now is None or looked.state != "changed":
        return ""
    lines = difflib.unified_diff(
        looked.was.body.splitlines(),
        looked.now.body.splitlines(),
        f"{looked.was.path} then",
        f"{looked.now.path} now",
        lineterm="",
    )
    return "\n".join(lines)
