"""The status of memories against the current code and branch: each anchor is fresh, moved, changed, gone or not checked."""

import dataclasses
import difflib
import itertools
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Protocol

from codecairn.core.engine import git_excludes, git_head
from codecairn.core.git import git
from codecairn.core.memory_engine import MemoryEngine
from codecairn.core.types.memory import Anchor, AnchorStatus, Fact, Looked, Recalled
from codecairn.errors import HistoryUnavailable
from codecairn.memory.branches import branch_states
from codecairn.memory.repository_statements import PARENT

_UNMERGED = 0.15
"""The share of its score that a memory of an unmerged branch loses."""

_FILES_TIMEOUT_S = 2.0


class Definitions(Protocol):
    """The definitions that an index knows."""

    def paths(self, name: str) -> Sequence[str]:
        """The files that define a name; none without an index."""

    def refresh(self) -> bool:
        """Bring the index up to date; whether it is as new as the files."""


class NoDefinitions:
    """The definitions of a workspace without an index."""

    def paths(self, name: str) -> Sequence[str]:  # noqa: ARG002 - as `Definitions` takes it
        """No files."""
        return ()

    def refresh(self) -> bool:
        """There is nothing that could be as new as the files."""
        return False


NO_DEFINITIONS = NoDefinitions()


class AnchorChecker:
    """Looks at anchors. The index is refreshed at most once, and only if something is not where it was.

    A symbol is gone only if an index as new as the files knows no other place of it: straight after a checkout, most
    symbols that an older index does not know are in files that it has not seen.
    """

    def __init__(self, engine: MemoryEngine, root: Path, definitions: Definitions) -> None:
        self._engine = engine
        self._root = root
        self._definitions = definitions
        self._is_fresh: bool | None = None

    def look(self, anchor: Anchor) -> Looked:
        """What became of an anchor."""
        here = self._engine.look(anchor, [])
        if here.state != "orphan" or anchor.kind == "line":
            return here
        elsewhere, is_complete = self.elsewhere(anchor.kind, anchor.path, anchor.name)
        looked = self._engine.look(anchor, elsewhere)
        if is_complete or looked.state == "moved":
            return looked
        return dataclasses.replace(here, state="unchecked")

    def status(self, anchors: Sequence[Anchor]) -> tuple[Looked, ...]:
        """What became of the anchors of one fact."""
        return tuple(self.look(anchor) for anchor in anchors)

    def elsewhere(self, kind: str, path: str, name: str) -> tuple[Sequence[str], bool]:
        """The files that an anchor may be in now, and whether these are all."""
        if kind == "file":
            files = self._files_named(PurePosixPath(path).name)
            return files or (), files is not None
        if self._is_fresh is None:
            self._is_fresh = self._definitions.refresh()
        return self._definitions.paths(name.rpartition(".")[2]), self._is_fresh

    def _files_named(self, name: str) -> Sequence[str] | None:
        """The files of a name that git lists; absent without git."""
        excludes = git_excludes()
        is_there = excludes is not None and excludes.is_file()
        users = (f"--exclude-from={excludes}",) if is_there else ()
        listed = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", *users)
        try:
            output = git(self._root, *listed, "--", f":(glob)**/{name}", timeout_s=_FILES_TIMEOUT_S)
        except HistoryUnavailable:
            return None
        return [path for path in output.decode("utf-8", "replace").split("\0") if path]


def standings(
    engine: MemoryEngine, root: Path, facts: Sequence[Fact], definitions: Definitions
) -> tuple[AnchorStatus, ...]:
    """The status of each fact. A symbol that has moved is followed. Facts of a project around a submodule are of other files."""
    own = [fact for fact in facts if PARENT not in fact.meta]
    if len(own) < len(facts):
        stood = standings(engine, root, own, definitions)
        known = dict(zip((fact.id for fact in own), stood, strict=True))
        return tuple(known.get(fact.id, AnchorStatus()) for fact in facts)
    if not facts:
        return ()
    head = git_head(root)
    states = branch_states(root, [(fact.branch, fact.commit) for fact in facts], head=head)
    anchors = engine.anchors([fact.id for fact in facts])
    checker = AnchorChecker(engine, root, definitions)
    return tuple(
        AnchorStatus(
            looked=_followed(engine, fact.id, checker.status(of_fact)),
            branch=states[fact.branch, fact.commit],
        )
        for fact, of_fact in zip(facts, anchors, strict=True)
    )


def _followed(engine: MemoryEngine, id_: str, status: tuple[Looked, ...]) -> tuple[Looked, ...]:
    """Anchor a fact where its symbols have moved to."""
    for place, looked in enumerate(status):
        if looked.state == "moved" and looked.now is not None:
            engine.anchor(id_, [looked.now], place=place)
    return status


def labelled(
    engine: MemoryEngine, root: Path, found: Sequence[Recalled], definitions: Definitions
) -> tuple[Recalled, ...]:
    """The same with their statuses; memories of an unmerged branch rank lower."""
    is_ranked = all(left.score >= right.score for left, right in itertools.pairwise(found))
    # The facts of a complete list have no signals: they stay in the order of their time.
    is_ranked = is_ranked and any(each.signals for each in found)
    facts = [each.fact for each in found if each.fact is not None]
    by_id = dict(
        zip((fact.id for fact in facts), standings(engine, root, facts, definitions), strict=True)
    )
    told = []
    for each in found:
        standing = by_id.get(each.id, each.standing) if each.fact is not None else each.standing
        lost = abs(each.score) * _UNMERGED if standing.branch == "unmerged" else 0.0
        is_as_it_was = standing is each.standing and not lost
        told.append(
            each
            if is_as_it_was
            else dataclasses.replace(each, standing=standing, score=each.score - lost)
        )
    return tuple(sorted(told, key=lambda each: -each.score)) if is_ranked else tuple(told)


def difference(looked: Looked) -> str:
    """What changed in a symbol, as a unified diff; empty if it is the same or gone."""
    if looked.now is None or looked.state != "changed":
        return ""
    lines = difflib.unified_diff(
        looked.was.body.splitlines(),
        looked.now.body.splitlines(),
        f"{looked.was.path} then",
        f"{looked.now.path} now",
        lineterm="",
    )
    return "\n".join(lines)
