"""Selects the part of a graph that a page shows: unlinked and least important symbols are left out and counted."""

from collections.abc import Iterable
from dataclasses import replace

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.graph import Link, Survey

LINKS_A_NODE = 8
"""How many links a page has at most, for each symbol that it may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A part of a graph, and how much is not in it.

    Attributes:
        survey: The part.
        unlinked: Symbols that are left out because they use nothing and nothing uses them.
        unimportant: Symbols that are left out because there are too many.
        links: Links between shown symbols that are left out because there are too many.
    """

    survey: Survey
    unlinked: int
    unimportant: int
    links: int


def select(survey: Survey, *, max_nodes: int) -> Selection:
    """At most `max_nodes` symbols: up to half of them from cycles, largest first, then the most important."""
    linked = {end for link in survey.links for end in (link.source, link.target)}
    in_cycles = _first_whole(survey.cycles, room=max_nodes // 2)
    by_importance = sorted(
        linked - in_cycles, key=lambda node: (-survey.nodes[node].importance, node)
    )
    kept = sorted([*in_cycles, *by_importance[: max_nodes - len(in_cycles)]])
    numbers = {node: number for number, node in enumerate(kept)}
    inner = [
        replace(link, source=numbers[link.source], target=numbers[link.target])
        for link in survey.links
        if link.source in numbers and link.target in numbers
    ]
    shown = _most_used(inner, limit=max_nodes * LINKS_A_NODE)
    cycles = (tuple(numbers[node] for node in cycle if node in numbers) for cycle in survey.cycles)
    return Selection(
        survey=Survey(
            nodes=tuple(survey.nodes[node] for node in kept),
            links=tuple(shown),
            cycles=tuple(cycle for cycle in cycles if len(cycle) > 1),
        ),
        unlinked=len(survey.nodes) - len(linked),
        unimportant=len(linked) - len(kept),
        links=len(inner) - len(shown),
    )


def _first_whole(cycles: Iterable[tuple[int, ...]], *, room: int) -> set[int]:
    """The members of the first cycles that fit as a whole."""
    found: set[int] = set()
    for cycle in cycles:
        if len(found) + len(cycle) <= room:
            found.update(cycle)
    return found


def _most_used(links: list[Link], *, limit: int) -> list[Link]:
    if len(links) <= limit:
        return links
    kept = sorted(links, key=lambda link: (-link.uses, link.source, link.target))[:limit]
    return sorted(kept, key=lambda link: (link.source, link.target))
