"""What a change reaches, and how risky that makes it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from codecairn.graph.changes import Change
from codecairn.graph.shape import Shape
from codecairn.graph.testing import is_in_tests, is_test, is_test_path
from codecairn.graph.touching import symbols_of
from codecairn.graph_engine import GraphEngine
from codecairn.graph_shapes import Conflict, Hub, Impact, TouchedCommunity
from codecairn.graph_types import Definition, Reached, Use

MANY_DEPENDENTS = 20
SOME_DEPENDENTS = 5
_MOST_ASKED = 200
"""Touched symbols whose single uses are looked up; of more, resolved uses by other symbols alone are followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reach:
    """What is known of a change before it is judged."""

    touched: tuple[Definition, ...]
    dependents: tuple[Reached, ...]
    top_level: tuple[Use, ...]
    possible: tuple[Use, ...]
    tests: tuple[Definition, ...]
    hubs: tuple[Hub, ...]
    communities: tuple[TouchedCommunity, ...]


def impact(
    engine: GraphEngine,
    shape: Shape,
    change: Change,
    *,
    symbols: Sequence[Definition] = (),
    max_depth: int,
    hub_threshold: int,
    conflicts: tuple[Conflict, ...] = (),
    notes: tuple[str, ...] = (),
) -> Impact:
    """What depends on the touched symbols (`symbols`, or those of the change) over at most `max_depth` steps."""
    touched, missing = symbols_of(engine, change.touched)
    touched = tuple(symbols) or touched
    reach = _reach(engine, shape, touched, max_depth=max_depth, hub_threshold=hub_threshold)
    risk, reasons = _judged(reach)
    asked_of = len(touched)
    if asked_of > _MOST_ASKED:
        notes = (
            *notes,
            f"uses at the top of files, and candidates, were looked up for {_MOST_ASKED:,} of {asked_of:,} symbols",
        )
    if missing:
        notes = (*notes, "files that the index does not have are new there, deleted or left out")
    return Impact(
        subject=change.subject,
        compared=change.compared,
        index=change.index,
        files=tuple(sorted({each.path for each in change.touched})),
        not_indexed=missing,
        touched=touched,
        dependents=reach.dependents,
        top_level=reach.top_level,
        possible=reach.possible,
        tests=reach.tests,
        communities=reach.communities,
        hubs=reach.hubs,
        risk=risk,
        reasons=reasons,
        conflicts=conflicts,
        notes=notes,
    )


def _reach(
    engine: GraphEngine,
    shape: Shape,
    touched: tuple[Definition, ...],
    *,
    max_depth: int,
    hub_threshold: int,
) -> _Reach:
    dependents = engine.reached(touched, direction="callers", max_depth=max_depth)
    uses = engine.uses_of(touched[:_MOST_ASKED]) if touched else ()
    affected = [*touched, *(each.definition for each in dependents)]
    numbers = [shape.numbers[symbol.place] for symbol in touched if symbol.place in shape.numbers]
    hubs = [number for number in numbers if shape.users[number] >= hub_threshold]
    return _Reach(
        touched=touched,
        dependents=dependents,
        top_level=tuple(use for use in uses if use.is_resolved and use.source is None),
        possible=tuple(use for use in uses if not use.is_resolved),
        tests=tuple(symbol for symbol in affected if is_test(symbol)),
        hubs=tuple(shape.hub(number) for number in shape.by_importance(hubs)),
        communities=_communities(shape, affected),
    )


def _communities(shape: Shape, affected: Sequence[Definition]) -> tuple[TouchedCommunity, ...]:
    nodes = shape.survey.nodes
    numbers = (shape.numbers.get(symbol.place) for symbol in affected)
    counts = Counter(nodes[number].community for number in numbers if number is not None)
    members = {nodes[group[0]].community: group for group in shape.groups}
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        TouchedCommunity(label=shape.label(members[community]), symbols=count)
        for community, count in ordered
    )


def _judged(reach: _Reach) -> tuple[str, tuple[str, ...]]:
    """The risk and its reasons. Tests that depend on a change are no risk: they are what lowers it."""
    own = [symbol for symbol in reach.touched if not is_in_tests(symbol)]
    dependents = sum(not is_in_tests(each.definition) for each in reach.dependents)
    is_tested = bool(reach.tests) or any(is_test_path(use.path) for use in reach.top_level)
    reasons = [
        f"{dependents:,} symbols outside of tests depend on it"
        if dependents != 1
        else "1 symbol outside of tests depends on it"
    ]
    if reach.hubs:
        names = ", ".join(
            f"{hub.definition.qualified_name} ({hub.users:,} users)" for hub in reach.hubs[:3]
        )
        reasons.append(f"hubs touched: {names}")
    is_bare = bool(own) and not is_tested
    if is_bare:
        reasons.append("no test is known to reach it")
    elif reach.tests:
        count = len(reach.tests)
        reasons.append("1 test reaches it" if count == 1 else f"{count:,} tests reach it")
    if reach.possible:
        reasons.append(f"candidates, uses that may mean it: {len(reach.possible):,}")
    if dependents > MANY_DEPENDENTS or len(reach.hubs) > 1:
        return "HIGH", tuple(reasons)
    if dependents >= SOME_DEPENDENTS or reach.hubs or (is_bare and dependents):
        return "MEDIUM", tuple(reasons)
    return "LOW", tuple(reasons)
