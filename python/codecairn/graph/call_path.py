"""A shortest path of uses from one symbol to another."""

from collections.abc import Sequence
from itertools import pairwise

from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import CallPath, Definition, Hop, Use
from codecairn.graph.neighbours import leads_to
from codecairn.graph.symbol_resolution import named


def find_call_path(
    engine: GraphEngine,
    source: str,
    target: str,
    *,
    source_path: str | None,
    target_path: str | None,
    max_depth: int,
) -> CallPath:
    """A shortest way from any definition of the one name to any of the other.

    Where there is none, one in the other direction is looked for, and then uses that may lead there directly.

    Raises:
        SymbolNotFound: If nothing has one of the names.
    """
    sources = named(engine, source, path=source_path)
    targets = named(engine, target, path=target_path)
    passed = engine.way(sources, targets, max_depth=max_depth)
    is_reversed = False
    if not passed:
        passed = engine.way(targets, sources, max_depth=max_depth)
        is_reversed = bool(passed)
    possible = () if passed and not is_reversed else _direct(engine, sources, targets)
    return CallPath(
        source=source,
        target=target,
        hops=_hops(engine, passed),
        is_reversed=is_reversed,
        possible=possible,
    )


def _hops(engine: GraphEngine, passed: Sequence[Definition]) -> tuple[Hop, ...]:
    """Each definition with the first use in the one before that leads to it."""
    hops = [Hop(definition=each, use=None) for each in passed[:1]]
    for before, after in pairwise(passed):
        uses = (use for use in engine.uses_by([before]) if use.is_resolved)
        hops.append(
            Hop(definition=after, use=next((use for use in uses if leads_to(use, [after])), None))
        )
    return tuple(hops)


def _direct(
    engine: GraphEngine, sources: Sequence[Definition], targets: Sequence[Definition]
) -> tuple[Use, ...]:
    return tuple(use for use in engine.uses_by(sources) if leads_to(use, targets))
