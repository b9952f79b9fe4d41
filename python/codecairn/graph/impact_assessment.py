"""Resolves the subject of `impact` (a ref, a pull request, files, a symbol or the working tree) and assesses it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from codecairn.core.engine import Engine, git_head
from codecairn.core.graph_engine import GraphEngine
from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.graph import Definition
from codecairn.core.types.graph_analysis import Conflict, Impact
from codecairn.errors import DiskFull, IndexLocked, StoreReadOnly, UsageError
from codecairn.graph.changes import (
    Change,
    Prepare,
    Touched,
    by_ref,
    with_new_files,
    working_tree,
)
from codecairn.graph.co_changes import co_changes
from codecairn.graph.conflicts import conflicts
from codecairn.graph.impact import impact, reach_of
from codecairn.graph.likely_tests import likely_tests
from codecairn.graph.neighbours import with_code
from codecairn.graph.pull_requests import by_pull_request
from codecairn.graph.symbol_resolution import resolve_symbol
from codecairn.paths.relative import inner_name

IndexCommit: TypeAlias = Callable[[Engine, Path, str], str]
"""Indexes a commit that is not checked out; the name of its catalog, or nothing if that differs by too much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What the impact of is asked: one of them, or else the working tree's changes."""

    ref: str | None = None
    pr: int | None = None
    files: tuple[str, ...] = ()
    symbol: str | None = None


def assess(
    root: Path,
    ready: Callable[[], GraphEngine],
    index_commit: IndexCommit,
    subject: Subject,
    *,
    max_depth: int,
    hub_threshold: int,
    with_conflicts: bool,
) -> Impact:
    """The impact of a subject; `ready` gives an engine that has taken in what changed."""

    def prepare(commit: str) -> str:
        try:
            return index_commit(engine.engine, root, commit)
        except (IndexLocked, StoreReadOnly, DiskFull):
            return ""

    symbols: tuple[Definition, ...] = ()
    if subject.symbol is not None or subject.files:
        engine = ready()
        if subject.symbol is not None:
            symbols = resolve_symbol(engine, subject.symbol).symbols
        change = _named(root, engine, subject, symbols)
    elif subject.pr is not None or subject.ref is not None:
        engine = ready()
        change = _committed(root, subject, prepare)
    else:
        branch, head = git_head(root)
        # git and the index look at the same files, each in its own way and at the same time.
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="codecairn-git") as pool:
            here = copy_context()  # the time of git
            asked = pool.submit(here.run, partial(working_tree, root, branch=branch, head=head))
            engine = ready()
            change = asked.result()
    change = replace(change, touched=with_new_files(root, change, engine.engine.paths()))
    reach = reach_of(
        engine, change, symbols=symbols, max_depth=max_depth, hub_threshold=hub_threshold
    )
    if not change.branch:
        reach = replace(reach, unresolved=with_code(engine, reach.unresolved))
    clashes: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    if with_conflicts:
        clashes, notes = conflicts(
            root, engine, touched=change.touched, symbols=reach.touched, head=change.head
        )
    paths = {each.path for each in change.touched}
    history, unread = co_changes(root, paths, head=change.head)
    tests = likely_tests(engine, reach, paths, history)
    return impact(reach, change, test_files=tests, conflicts=clashes, notes=(*notes, *unread))


def _committed(root: Path, subject: Subject, prepare: Prepare) -> Change:
    branch, head = git_head(root)
    if subject.pr is not None:
        return by_pull_request(root, subject.pr, branch=branch, head=head, prepare=prepare)
    return by_ref(root, subject.ref or "", branch=branch, prepare=prepare)


def _named(
    root: Path, engine: GraphEngine, subject: Subject, symbols: tuple[Definition, ...]
) -> Change:
    if symbols:
        touched = tuple(
            Touched(path=each.path, lines=((each.start_line, each.end_line),)) for each in symbols
        )
        named = f"{symbols[0].kind} {symbols[0].title}"
        return Change(subject=named, compared="", index="", touched=touched)
    paths = sorted(inner_name(file, root=root) for file in subject.files)
    touched = _whole_files(engine, paths)
    return Change(subject=", ".join(paths), compared="", index="", touched=touched)


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
