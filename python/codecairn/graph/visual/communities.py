"""Communities that are large enough for a name, and their names."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.graph import Node

SMALLEST = 6
"""The symbols of smaller communities lie with the most of their file, if it has symbols in a larger one."""

SMALL_GROUPS = "small groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """Symbols that belong together.

    Attributes:
        place: The file or folder that most of them lie in.
        names: The names of the most important ones.
        members: Their places in the list of nodes.
    """

    place: str
    names: tuple[str, ...]
    members: tuple[int, ...]


def communities_of(nodes: Sequence[Node]) -> list[Community]:
    """Every community, largest first; what belongs to none makes one together, which comes last."""
    groups: dict[int, list[int]] = defaultdict(list)
    for number, node in enumerate(nodes):
        groups[node.community].append(number)
    large = {name: group for name, group in groups.items() if len(group) >= SMALLEST}
    small = [number for name, group in groups.items() if name not in large for number in group]
    homes = _homes(nodes, large)
    rest: list[int] = []
    for number in sorted(small):
        home = homes.get(nodes[number].definition.path)
        (rest if home is None else large[home]).append(number)
    found = [
        _community(nodes, sorted(group))
        for group in sorted(large.values(), key=lambda group: (-len(group), min(group)))
    ]
    if rest:
        found.append(Community(place=SMALL_GROUPS, names=(), members=tuple(rest)))
    return found


def _homes(nodes: Sequence[Node], large: Mapping[int, list[int]]) -> dict[str, int]:
    """The community that most symbols of a file belong to."""
    shares: dict[str, Counter[int]] = defaultdict(Counter)
    for name, group in large.items():
        for number in group:
            shares[nodes[number].definition.path][name] += 1
    return {
        path: min(share, key=lambda name: (-share[name], name)) for path, share in shares.items()
    }


def _community(nodes: Sequence[Node], group: list[int]) -> Community:
    names = _names(nodes, group, limit=3)
    return Community(place=_place(nodes, group), names=names, members=tuple(group))


def _names(nodes: Sequence[Node], group: list[int], *, limit: int) -> tuple[str, ...]:
    ranked = sorted(group, key=lambda number: (-nodes[number].importance, number))
    return tuple(dict.fromkeys(nodes[number].definition.name for number in ranked[: 4 * limit]))[
        :limit
    ]


def _place(nodes: Sequence[Node], group: list[int]) -> str:
    """The deepest file or folder that holds two members in five; of several the one that holds more."""
    counts: Counter[PurePosixPath] = Counter()
    for number in group:
        path = PurePosixPath(nodes[number].definition.path)
        counts.update([path, *path.parents])
    many = [path for path, count in counts.items() if 5 * count >= 2 * len(group)]
    return str(min(many, key=lambda path: (-len(path.parts), -counts[path], path)))
