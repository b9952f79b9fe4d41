"""From what was asked about to its impact."""

from dataclasses import dataclass
from pathlib import Path

from codecairn.engine import git_head
from codecairn.errors import UsageError
from codecairn.graph.changes import Change, Touched, by_ref, working_tree
from codecairn.graph.conflicts import conflicts
from codecairn.graph.impact import impact
from codecairn.graph.naming import chosen
from codecairn.graph.pull_requests import by_pull_request
from codecairn.graph.shape import Shape
from codecairn.graph.touching import symbols_of
from codecairn.graph_engine import GraphEngine
from codecairn.graph_shapes import Conflict, Impact
from codecairn.graph_types import Definition
from codecairn.paths.relative import inner_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What the impact of is asked: one of them, or else the working tree's changes."""

    ref: str | None = None
    pr: int | None = None
    files: tuple[str, ...] = ()
    symbol: str | None = None


def assess(
    root: Path,
    engine: GraphEngine,
    shape: Shape,
    subject: Subject,
    *,
    max_depth: int,
    hub_threshold: int,
    with_conflicts: bool,
) -> Impact:
    """The impact of a subject."""
    symbols: tuple[Definition, ...] = ()
    if subject.symbol is not None:
        symbols = chosen(engine, subject.symbol).symbols
    change = _change(root, engine, subject, symbols)
    clashes: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    if with_conflicts:
        own = symbols or symbols_of(engine, change.touched)[0]
        clashes, notes = conflicts(
            root, engine, touched=change.touched, symbols=own, head=change.head
        )
    return impact(
        engine,
        shape,
        change,
        symbols=symbols,
        max_depth=max_depth,
        hub_threshold=hub_threshold,
        conflicts=clashes,
        notes=notes,
    )


def _change(
    root: Path, engine: GraphEngine, subject: Subject, symbols: tuple[Definition, ...]
) -> Change:
    branch, head = git_head(root)
    if symbols:
        touched = tuple(
            Touched(path=each.path, lines=((each.start_line, each.end_line),)) for each in symbols
        )
        named = f"{symbols[0].kind} {symbols[0].title}"
        return Change(subject=named, compared="", index="", touched=touched)
    if subject.files:
        paths = sorted(inner_name(file, root=root) for file in subject.files)
        touched = _whole_files(engine, paths)
        return Change(subject=", ".join(paths), compared="", index="", touched=touched)
    if subject.pr is not None:
        return by_pull_request(root, subject.pr, branch=branch, head=head)
    if subject.ref is not None:
        return by_ref(root, subject.ref, branch=branch)
    return working_tree(root, branch=branch)


def _whole_files(engine: GraphEngine, paths: list[str]) -> tuple[Touched, ...]:
    """Files, and those of folders, as touched in every line.

    Raises:
        UsageError: If one of them is not in the index.
    """
    found: dict[str, Touched] = {}
    for path in paths:
        inside = [
            each
            for each in engine.engine.paths()
            if each == path or not path or each.startswith(f"{path}/")
        ]
        if not inside:
            raise UsageError(
                f"`{path}` is not in the index", hint="`codecairn status --verbose` says why"
            )
        found.update((each, Touched(path=each, lines=())) for each in inside)
    return tuple(found.values())
