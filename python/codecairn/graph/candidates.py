"""Separates the candidates that are worth showing from uses that may mean too much.

A candidate is shown if it may mean one symbol alone, with at most `MAX_WIDTH` definitions, or as many symbols that override what is
called: each of more is too seldom the right one. Code outside of tests is not taken to use symbols of tests, and these do not count
towards the width. `docs/reference/graph.md` has how many are right.
"""

from collections.abc import Collection, Iterable

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.graph import Definition, Use
from codecairn.graph.test_detection import is_in_tests, is_test_path

MAX_WIDTH = 3
"""How many definitions a use may mean to be a candidate for any of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Unresolved uses with targets.

    Attributes:
        shown: The candidates.
        wide: Uses that may mean too many symbols.
        into_tests: How many uses outside of tests have only symbols of tests as targets.
    """

    shown: tuple[Use, ...]
    wide: tuple[Use, ...]
    into_tests: int


def candidates(uses: Iterable[Use], symbols: Collection[Definition] = ()) -> Candidates:
    """The uses that are no facts, separated; with `symbols`, as candidates for any of these."""
    asked = {symbol.place for symbol in symbols}
    shown, wide, into_tests = [], [], 0
    for use in uses:
        if use.is_resolved or not use.targets:
            continue
        targets = use.targets
        if not is_test_path(use.path) and (use.source is None or not is_in_tests(use.source)):
            targets = tuple(target for target in targets if not is_in_tests(target))
        if not targets or (asked and asked.isdisjoint(target.place for target in targets)):
            into_tests += 1
        elif len(targets) > MAX_WIDTH or (use.how != "override" and _are_several(targets)):
            wide.append(use)
        else:
            shown.append(use)
    return Candidates(shown=tuple(shown), wide=tuple(wide), into_tests=into_tests)


def _are_several(targets: Collection[Definition]) -> bool:
    """Whether definitions are of several symbols: overloads of one file are one."""
    return len({(target.path, target.qualified_name) for target in targets}) > 1
