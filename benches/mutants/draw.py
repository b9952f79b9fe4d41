"""Which mutants are tried: all areas in turn, every line of an area as likely as any other."""

import random
from collections.abc import Iterable, Iterator

from benches.mutants.mutant import Mutant


def draw(mutants: Iterable[Mutant], seed: int) -> Iterator[Mutant]:
    """Every mutant once, in an order that the seed decides.

    Each round takes one mutant of every area. Within an area the lines are shuffled, and no line gives a second mutant
    before every other line has given one: a table of many strings weighs no more than its lines.
    """
    areas: dict[str, dict[tuple[str, int], list[Mutant]]] = {}
    for mutant in sorted(mutants):
        lines = areas.setdefault(mutant.area, {})
        lines.setdefault((mutant.path, mutant.line), []).append(mutant)
    queues = [
        _by_lines(list(lines.values()), random.Random(f"{seed} {area}"))
        for area, lines in sorted(areas.items())
    ]
    while queues:
        rest = []
        for queue in queues:
            mutant_or_none = next(queue, None)
            if mutant_or_none is not None:
                yield mutant_or_none
                rest.append(queue)
        queues = rest


def _by_lines(lines: list[list[Mutant]], generator: random.Random) -> Iterator[Mutant]:
    generator.shuffle(lines)
    for line in lines:
        generator.shuffle(line)
    depth = 0
    while lines:
        lines = [line for line in lines if len(line) > depth]
        for line in lines:
            yield line[depth]
        depth += 1
