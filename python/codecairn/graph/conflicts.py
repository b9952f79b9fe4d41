"""Local branches that are not merged and change the same files or symbols as a change."""

from collections.abc import Sequence
from pathlib import Path

from codecairn.core.git import git, text
from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import Definition, Place
from codecairn.core.types.graph_analysis import Conflict
from codecairn.graph.changes import Touched, between, merge_base

MAX_BRANCHES = 30
"""The most recent branches are checked; a note counts the older ones."""


def conflicts(
    root: Path,
    engine: GraphEngine,
    *,
    touched: Sequence[Touched],
    symbols: Sequence[Definition],
    head: str,
) -> tuple[tuple[Conflict, ...], tuple[str, ...]]:
    """The branches that are not merged and touch the same files; and what else to know."""
    own = head or "HEAD"
    tip = text(git(root, "rev-parse", "--verify", own))
    here = text(git(root, "rev-parse", "--verify", "HEAD"))
    listed = git(
        root, "for-each-ref", "--sort=-committerdate", "--format=%(objectname) %(refname:short)",
        f"--no-merged={own}", "refs/heads",
    )  # fmt: skip
    branches = [line.split(" ", 1) for line in text(listed).splitlines()]
    others = [(commit, name) for commit, name in branches if commit not in (tip, here)]
    found = []
    for commit, name in others[:MAX_BRANCHES]:
        conflict = _conflict(root, engine, name, commit, touched=touched, symbols=symbols, own=tip)
        if conflict is not None:
            found.append(conflict)
    left = len(others) - MAX_BRANCHES
    notes = (f"{left:,} older branches were not looked at for conflicts",) if left > 0 else ()
    return tuple(found), notes


def changed_symbols(
    engine: GraphEngine, touched: Sequence[Touched]
) -> tuple[tuple[Definition, ...], tuple[str, ...]]:
    """The symbols whose lines are touched, by path and line, and the files that the index does not have."""
    indexed = set(engine.engine.paths())
    symbols: dict[Place, Definition] = {}
    missing = []
    for each in touched:
        if each.path not in indexed:
            missing.append(each.path)
        elif each.lines is not None:
            for symbol in engine.symbols_in(each.path, each.lines):
                symbols[symbol.place] = symbol
    ordered = sorted(symbols.values(), key=lambda symbol: symbol.place)
    return tuple(ordered), tuple(sorted(missing))


def _conflict(
    root: Path,
    engine: GraphEngine,
    name: str,
    commit: str,
    *,
    touched: Sequence[Touched],
    symbols: Sequence[Definition],
    own: str,
) -> Conflict | None:
    base = merge_base(root, own, commit)
    theirs = between(root, base, commit, subject=name, branch="").touched
    files = {each.path for each in touched} & {each.path for each in theirs}
    if not files:
        return None
    both = [each for each in theirs if each.path in files]
    places = {symbol.place for symbol in symbols}
    shared = [symbol for symbol in changed_symbols(engine, both)[0] if symbol.place in places]
    return Conflict(branch=name, files=tuple(sorted(files)), symbols=tuple(shared))
