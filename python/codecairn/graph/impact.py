"""The symbols that a change reaches, and its risk."""

from collections.abc import Sequence
from dataclasses import replace

from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Definition
from codecairn.core.types.graph_analysis import Conflict, Impact, LikelyTest, Reach
from codecairn.graph.candidates import candidates
from codecairn.graph.changes import Change
from codecairn.graph.likely_tests import CODE_LABELS
from codecairn.graph.render import counted, unresolved_words
from codecairn.graph.test_detection import is_in_tests, is_test, is_test_path

MANY_DEPENDENTS = 20
SOME_DEPENDENTS = 5
_MAX_UNRESOLVED = 20
"""Unresolved uses that are listed; all are counted."""
_MAX_ASKED = 200
"""Touched symbols whose single uses are looked up; of more, resolved uses by other symbols alone are followed."""


def reach_of(
    engine: GraphEngine,
    change: Change,
    *,
    symbols: Sequence[Definition] = (),
    max_depth: int,
    hub_threshold: int,
) -> Reach:
    """What depends on the touched symbols (`symbols`, or those of the change) over at most `max_depth` steps."""
    return engine.reach(
        [(each.path, each.lines) for each in change.touched],
        symbols,
        branch=change.branch or None,
        max_depth=max_depth,
        hub_threshold=hub_threshold,
        most_looked_up=_MAX_ASKED,
    )


def impact(
    reach: Reach,
    change: Change,
    *,
    test_files: tuple[LikelyTest, ...] = (),
    conflicts: tuple[Conflict, ...] = (),
    notes: tuple[str, ...] = (),
) -> Impact:
    """What is known of a change, and how risky that makes it."""
    doubtful = candidates(reach.uses, reach.touched)
    reach = replace(
        reach,
        uses=(*(use for use in reach.uses if use.is_resolved), *doubtful.shown),
        unresolved=(*reach.unresolved, *doubtful.wide)[:_MAX_UNRESOLVED],
        unresolved_count=reach.unresolved_count + len(doubtful.wide),
    )
    affected = [*reach.touched, *(each.definition for each in reach.dependents)]
    tests = tuple(symbol for symbol in affected if is_test(symbol))
    risk, reasons = _judged(reach, tests, test_files)
    asked_of = len(reach.touched)
    if asked_of > _MAX_ASKED:
        notes = (
            *notes,
            f"uses at the top of files, and candidates, were looked up for {_MAX_ASKED:,} of {asked_of:,} symbols",
        )
    if reach.missing:
        notes = (*notes, "files that the index does not have are new there, deleted or left out")
    return Impact(
        subject=change.subject,
        compared=change.compared,
        index=change.index,
        files=tuple(sorted({each.path for each in change.touched})),
        not_indexed=reach.missing,
        touched=reach.touched,
        dependents=reach.dependents,
        top_level=tuple(use for use in reach.uses if use.is_resolved),
        possible=doubtful.shown,
        unresolved=reach.unresolved,
        unresolved_count=reach.unresolved_count,
        into_tests=doubtful.into_tests,
        tests=tests,
        test_files=test_files,
        communities=reach.communities,
        hubs=reach.hubs,
        risk=risk,
        reasons=reasons,
        conflicts=conflicts,
        notes=notes,
    )


def _judged(
    reach: Reach, tests: Sequence[Definition], test_files: Sequence[LikelyTest]
) -> tuple[str, tuple[str, ...]]:
    """The risk and its reasons. Tests that depend on a change are no risk: they are what lowers it.

    The risk of code that no test is known to cover, or whose name has unresolved uses, is never low.
    """
    own = [symbol for symbol in reach.touched if not is_in_tests(symbol)]
    dependents = sum(not is_in_tests(each.definition) for each in reach.dependents)
    is_tested = bool(tests) or any(use.is_resolved and is_test_path(use.path) for use in reach.uses)
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
    likely = sum(not CODE_LABELS.isdisjoint(each.labels) for each in test_files)
    is_bare = bool(own) and not is_tested and not likely
    if is_bare:
        reasons.append("no test is known to reach it")
    elif own and not is_tested:
        reasons.append(
            f"no call from a test is known, but {counted(likely, 'test file')} may cover it"
        )
    elif tests:
        count = len(tests)
        reasons.append("1 test reaches it" if count == 1 else f"{count:,} tests reach it")
    possible = sum(not use.is_resolved for use in reach.uses)
    if possible:
        reasons.append(f"candidates, uses that may mean it: {possible:,}")
    if own and reach.unresolved_count:
        reasons.append(unresolved_words(reach.unresolved_count, of=" of touched names"))
    if dependents > MANY_DEPENDENTS or len(reach.hubs) > 1:
        return "HIGH", tuple(reasons)
    is_uncertain = is_bare or (bool(own) and reach.unresolved_count > 0)
    if dependents >= SOME_DEPENDENTS or reach.hubs or is_uncertain:
        return "MEDIUM", tuple(reasons)
    return "LOW", tuple(reasons)
