"""The structure of the whole graph: communities, hubs, cycles."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.graph import Place, Survey
from codecairn.core.types.graph_analysis import Communities, Community, Coupling, Cycles, Hub, Hubs
from codecairn.graph.test_detection import is_in_tests

MAX_MEMBERS = 8
"""Of a community, that are shown."""


@dataclass(frozen=True, kw_only=True)
class GraphStructure:
    """The whole graph, counted. `numbers` are places in the survey's nodes."""

    survey: Survey

    @cached_property
    def users(self) -> Counter[int]:
        """How many symbols use each."""
        return Counter(link.target for link in self.survey.links)

    @cached_property
    def used(self) -> Counter[int]:
        """How many symbols each uses."""
        return Counter(link.source for link in self.survey.links)

    @cached_property
    def groups(self) -> list[list[int]]:
        """The numbers of each community's symbols, the largest community first."""
        found: dict[int, list[int]] = {}
        for number, node in enumerate(self.survey.nodes):
            found.setdefault(node.community, []).append(number)
        return sorted(found.values(), key=lambda group: (-len(group), group[0]))

    @cached_property
    def numbers(self) -> dict[Place, int]:
        """The number of the symbol at each place."""
        return {node.definition.place: number for number, node in enumerate(self.survey.nodes)}

    def hub(self, number: int) -> Hub:
        """A symbol with how much it is used."""
        node = self.survey.nodes[number]
        return Hub(
            definition=node.definition,
            users=self.users[number],
            used=self.used[number],
            importance=round(node.importance, 6),
        )

    def by_importance(self, numbers: Sequence[int]) -> list[int]:
        """The most important first, symbols of tests after all others."""
        nodes = self.survey.nodes
        return sorted(
            numbers,
            key=lambda number: (
                is_in_tests(nodes[number].definition),
                -nodes[number].importance,
                number,
            ),
        )

    def outside_tests(self, group: Sequence[int]) -> list[int]:
        """The symbols of a group that are not part of tests."""
        return [number for number in group if not is_in_tests(self.survey.nodes[number].definition)]

    def label(self, group: Sequence[int]) -> str:
        """The file or folder where most of a community lies, and its most important symbol."""
        return self.survey.labels[self.survey.nodes[group[0]].community]


def communities(
    shape: GraphStructure,
    *,
    min_size: int,
    limit: int,
    hub_threshold: int,
    min_coupling: int,
    coupling_limit: int,
) -> Communities:
    """The communities with most symbols outside of tests, and how they use one another."""
    by_size = sorted(shape.groups, key=lambda group: (-len(shape.outside_tests(group)), group[0]))
    large = [group for group in by_size if len(group) >= min_size]
    shown = [
        _community(shape, place, group, hub_threshold=hub_threshold)
        for place, group in enumerate(large[:limit])
    ]
    couplings = _couplings(shape, large[:limit], least=min_coupling)
    return Communities(
        symbols=len(shape.survey.nodes),
        total=len(shape.groups),
        communities=tuple(shown),
        couplings=tuple(couplings[:coupling_limit]),
        couplings_left_out=len(couplings[coupling_limit:]),
    )


def _community(
    shape: GraphStructure, place: int, group: Sequence[int], *, hub_threshold: int
) -> Community:
    own = shape.outside_tests(group)
    members = shape.by_importance(own or group)
    hubs = [number for number in members if shape.users[number] >= hub_threshold]
    return Community(
        number=place,
        label=shape.label(group),
        size=len(group),
        tests=len(group) - len(own),
        members=tuple(shape.survey.nodes[number].definition for number in members[:MAX_MEMBERS]),
        hubs=tuple(shape.hub(number) for number in hubs[:MAX_MEMBERS]),
    )


def _couplings(
    shape: GraphStructure, groups: Sequence[Sequence[int]], *, least: int
) -> list[Coupling]:
    place_of = {number: place for place, group in enumerate(groups) for number in group}
    uses = Counter[tuple[int, int]]()
    for link in shape.survey.links:
        source, target = place_of.get(link.source), place_of.get(link.target)
        if source is not None and target is not None and source != target:
            uses[source, target] += link.uses
    found = [
        Coupling(source=source, target=target, uses=count)
        for (source, target), count in uses.items()
        if count >= least
    ]
    return sorted(found, key=lambda each: (-each.uses, each.source, each.target))


def cycles(shape: GraphStructure, *, limit: int) -> Cycles:
    """The largest groups of symbols that use one another in a circle."""
    nodes = shape.survey.nodes
    groups = (tuple(nodes[number].definition for number in group) for group in shape.survey.cycles)
    return Cycles(total=len(shape.survey.cycles), groups=tuple(groups)[:limit])


def hubs(shape: GraphStructure, *, limit: int) -> Hubs:
    """The most important symbols."""
    order = shape.by_importance(range(len(shape.survey.nodes)))
    used = [number for number in order if shape.users[number]]
    return Hubs(symbols=len(order), hubs=tuple(shape.hub(number) for number in used[:limit]))
