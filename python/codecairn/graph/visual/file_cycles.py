"""Files that use one another in a circle."""

from collections.abc import Mapping, Sequence


def circles(uses: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """The groups of more than one node in which each reaches each other, largest first (Tarjan's algorithm)."""
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
                group = _taken(waiting, down_to=node)
                is_waiting.difference_update(group)
                found.append(group)
    return sorted(
        (group for group in found if len(group) > 1), key=lambda group: (-len(group), group)
    )


def _taken(waiting: list[int], *, down_to: int) -> list[int]:
    group = [waiting.pop()]
    while group[-1] != down_to:
        group.append(waiting.pop())
    return sorted(group)
