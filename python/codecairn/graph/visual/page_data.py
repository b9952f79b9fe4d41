"""The data of a page as JSON; long lists are rows of numbers, which keeps it small."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.graph import EDGE_KINDS, Link, Survey
from codecairn.graph.visual.communities import Community, communities_of
from codecairn.graph.visual.git_activity import WINDOW_DAYS, Activity, ActivityWindow
from codecairn.graph.visual.selection import Selection

NO_CYCLE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a page is about: the workspace's name, branch and commit, and the day, like 2026-01-31."""

    name: str
    branch: str
    commit: str
    day: str


def page_data(
    selection: Selection, activity: ActivityWindow | None, subject: Subject
) -> dict[str, object]:
    """Everything that a page shows; its places are in `symbols` and `files`."""
    survey = selection.survey
    paths = sorted({node.definition.path for node in survey.nodes})
    numbers = {path: number for number, path in enumerate(paths)}
    communities = communities_of(survey.nodes)
    kinds = sorted({node.definition.kind for node in survey.nodes})
    return {
        "name": subject.name,
        "branch": subject.branch,
        "commit": subject.commit[:12],
        "day": subject.day,
        "window_days": WINDOW_DAYS,
        "window_day": subject.day if activity is None else activity.last_day,
        "has_history": activity is not None,
        "kinds": kinds,
        "link_kinds": EDGE_KINDS,
        "communities": [
            {"place": community.place, "names": community.names} for community in communities
        ],
        "files": _files(paths, survey, communities, {} if activity is None else activity.files),
        "symbols": _symbols(survey, numbers, communities, kinds),
        "links": [
            number
            for link in survey.links
            for number in (link.source, link.target, _bits(link), link.uses)
        ],
        "cycles": survey.cycles,
        "file_cycles": _file_cycles(survey, numbers),
        "left_out": {
            "unlinked": selection.unlinked,
            "unimportant": selection.unimportant,
            "links": selection.links,
        },
    }


def _files(
    paths: list[str],
    survey: Survey,
    communities: list[Community],
    activity: Mapping[str, Activity],
) -> list[list[object]]:
    """Rows of path, community, commits, lines, authors, activity and the last day."""
    shares: dict[str, Counter[int]] = defaultdict(Counter)
    for number, community in enumerate(communities):
        for member in community.members:
            node = survey.nodes[member]
            # A symbol's own share separates files whose symbols are unused.
            shares[node.definition.path][number] += 1 + round(node.importance * 1e6)
    rows: list[list[object]] = []
    for path in paths:
        share = shares[path]
        home = min(share, key=lambda number: (-share[number], number))
        found = activity.get(path, Activity())
        weight = round(found.weight, 2)
        rows.append(
            [
                path,
                home,
                found.commits,
                found.lines,
                len(found.authors),
                weight,
                found.last_day,
            ]
        )
    return rows


def _symbols(
    survey: Survey,
    numbers: Mapping[str, int],
    communities: list[Community],
    kinds: list[str],
) -> list[list[object]]:
    """Rows of name, scope, file, line, last line, kind, community, importance in millionths, and cycle."""
    community_of = {
        member: number
        for number, community in enumerate(communities)
        for member in community.members
    }
    cycle_of = {member: number for number, cycle in enumerate(survey.cycles) for member in cycle}
    return [
        [
            node.definition.name,
            node.definition.qualified_name.removesuffix(node.definition.name),
            numbers[node.definition.path],
            node.definition.line,
            node.definition.end_line,
            kinds.index(node.definition.kind),
            community_of[place],
            round(node.importance * 1e6),
            cycle_of.get(place, NO_CYCLE),
        ]
        for place, node in enumerate(survey.nodes)
    ]


def _bits(link: Link) -> int:
    """A bit for each kind of use, in the order of `EDGE_KINDS`."""
    return sum(1 << EDGE_KINDS.index(kind) for kind in link.kinds)


def _file_cycles(survey: Survey, numbers: Mapping[str, int]) -> list[list[int]]:
    uses: dict[int, dict[int, None]] = defaultdict(dict)
    for link in survey.links:
        source, target = (
            numbers[survey.nodes[end].definition.path] for end in (link.source, link.target)
        )
        if source != target:
            uses[source][target] = None
    return strongly_connected({file: tuple(used) for file, used in uses.items()})


def strongly_connected(uses: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """The strongly connected components of more than one node, largest first, by Tarjan's algorithm in O(nodes + edges)."""
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    waiting: list[int] = []
    is_waiting: set[int] = set()
    found: list[list[int]] = []
    for start in sorted(uses):
        way = [] if start in order else [(start, iter(uses[start]))]
        while way:
            node, rest = way[-1]
            if node not in order:
                order[node] = lowest[node] = len(order)
                waiting.append(node)
                is_waiting.add(node)
            following = next((other for other in rest if other not in order), None)
            if following is not None:
                way.append((following, iter(uses.get(following, ()))))
                continue
            way.pop()
            for other in uses.get(node, ()):
                if other in is_waiting:
                    lowest[node] = min(lowest[node], lowest[other])
            if lowest[node] == order[node]:
                group = _popped(waiting, down_to=node)
                is_waiting.difference_update(group)
                found.append(group)
    return sorted(
        (group for group in found if len(group) > 1), key=lambda group: (-len(group), group)
    )


def _popped(waiting: list[int], *, down_to: int) -> list[int]:
    group = [waiting.pop()]
    while group[-1] != down_to:
        group.append(waiting.pop())
    return sorted(group)
