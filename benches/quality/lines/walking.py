"""Walks through the questions of a set with a system whose index follows the tree that each is asked about."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from benches.quality.lines.checkouts import Checkout
from benches.quality.lines.listing import Repository
from benches.quality.lines.making import TREES, file_of, git_of, tree_of
from benches.quality.lines.questions import Question, Set, read
from benches.quality.lines.systems import System

_System = TypeVar("_System", bound=System)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[_System]):
    """A question, ready to be asked.

    Attributes:
        question: The question.
        system: The system, with the tree's present files indexed.
        tree: The folder of the tree.
        has_moved: Whether its files are others than those of the step before.
    """

    question: Question
    system: _System
    tree: Path
    has_moved: bool


def walk(
    data: Path, repository: Repository, which: Set, open_system: Callable[[Path], _System]
) -> Iterator[Step[_System]]:
    """A step for each question. Trees before commits are written to a temporary folder, in turn."""
    questions = read(file_of(data, repository, which))
    system: _System | None = None
    revision: str | None = None
    with tempfile.TemporaryDirectory(prefix="codecairn-tree-") as folder:
        tree = tree_of(data, repository, which) if which in TREES else Path(folder, "tree")
        try:
            for question in questions:
                has_moved = question.revision != revision
                if has_moved and question.revision:
                    Checkout(git_of(data, repository), tree).move(question.revision)
                if system is None:
                    system = open_system(tree)
                elif has_moved:
                    system.refresh()
                revision = question.revision
                yield Step(question=question, system=system, tree=tree, has_moved=has_moved)
        finally:
            if system is not None:
                system.close()
