"""The typed face of the engine in the Rust core.

Plain data goes in and comes out; every failure is raised as one of `codecairn.errors`. This module makes no decisions.
"""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from codecairn import _native
from codecairn.core.options import EngineOptions
from codecairn.core.results import (
    freshness_of,
    garbage_of,
    hits_of,
    languages_of,
    outside_state_of,
    preview_of,
    problems_of,
    report_of,
    skips_of,
    spending_of,
    status_of,
)
from codecairn.errors import InternalError, UsageError, from_native

if TYPE_CHECKING:
    from codecairn.core.requests import DefineRequest, SearchRequest, SimilarRequest
    from codecairn.core.types.embedding import Delivery, OutsideState, Spending
    from codecairn.core.types.freshness import Freshness
    from codecairn.core.types.hits import Hit
    from codecairn.core.types.indexing import IndexPreview, IndexReport, Skip
    from codecairn.core.types.maintenance import GarbageReport, Problem
    from codecairn.core.types.status import Language, Status

ProgressCallback: TypeAlias = Callable[[str, int, int], None]
"""Called with a phase's name, how much of it is done, and how much there is."""


class Engine:
    """One opened store of one workspace."""

    def __init__(self, options: EngineOptions) -> None:
        self.options = options
        with translated():
            self._native = _native.Engine(
                options.root,
                options.store,
                embedder=options.embedder,
                include=options.include,
                exclude=options.exclude,
                read_only=options.read_only,
                writer=options.writer,
                user_ignore=options.user_ignore,
                outside=options.outside,
                scip=options.scip,
                vector_method=options.vector_method,
            )

    @property
    def native(self) -> "_native.Engine":
        """The core's engine, for the other typed faces."""
        return self._native

    def is_indexed(self) -> bool:
        """Whether the current branch has a catalog."""
        with translated():
            return self._native.is_indexed()

    def index(
        self,
        *,
        force: bool,
        progress: ProgressCallback | None,
        paths: Sequence[str] | None = None,
    ) -> "IndexReport":
        """Bring the current branch up to date; of `paths` alone where that is enough."""
        with translated():
            report = self._native.index(force=force, progress=progress, paths=paths)
        return report_of(report)

    def index_tree(
        self,
        branch: str,
        head: str,
        *,
        base: str,
        files: Sequence[tuple[str, bytes]],
        removed: Sequence[str],
    ) -> "IndexReport":
        """Make an index of a branch that is not checked out: `base`, an indexed one, with other files."""
        with translated():
            report = self._native.index_tree(branch, head, base, list(files), list(removed))
        return report_of(report)

    def indexed_head(self, branch: str) -> str:
        """The commit that a branch was indexed at; empty if it was not."""
        with translated():
            return self._native.indexed_head(branch) or ""

    def writer(self) -> str:
        """The owner of the store's write lock, in words; empty if it is free."""
        with translated():
            return self._native.writer() or ""

    def folders(self, folder: str = "") -> list[str]:
        """`folder` (empty for the root) and those below it whose changes matter, sorted."""
        with translated():
            return self._native.folders(folder)

    def is_walked(self, path: str, *, is_dir: bool) -> bool:
        """Whether a change of this entry may matter to the index."""
        with translated():
            return self._native.is_walked(path, is_dir=is_dir)

    def preview(self) -> "IndexPreview":
        """What `index` would do, without writing."""
        with translated():
            preview = self._native.preview()
        return preview_of(preview)

    def refresh(self, *, budget_ms: int | None) -> "Freshness":
        """Take in what changed as far as the budget allows; a locked store is a state, no failure."""
        with translated():
            freshness = self._native.refresh(budget_ms=budget_ms)
        return freshness_of(freshness)

    def stem_counts(self) -> list[tuple[str, int]]:
        """Each stem of the index with the number of texts that have its terms, summed over the terms."""
        with translated():
            return self._native.stem_counts()

    def search(
        self,
        request: "SearchRequest",
        *,
        ranking: str,
        fusion: str,
        text: bool,
        vector: bytes | None = None,
    ) -> "tuple[Hit, ...]":
        """Ranked places, best first; `vector` is the query's in the outside space."""
        with translated():
            hits = self._native.search(
                request, ranking=ranking, fusion=fusion, text=text, vector=vector
            )
        return hits_of(hits)

    def similar(
        self,
        request: "SimilarRequest",
        *,
        own_place: tuple[str, int, int] | None,
        vector: bytes | None = None,
    ) -> "tuple[Hit, ...]":
        """Places that look like the request's text, without `own_place`, its own (path, first line, last line)."""
        with translated():
            hits = self._native.similar(request, own_place=own_place, vector=vector)
        return hits_of(hits)

    def text_at(self, path: str, line: int) -> tuple[str, int, int]:
        """Text, first and last line of the chunk at this place."""
        with translated():
            return self._native.text_at(path, line)

    def symbol_lines(self, path: str) -> tuple[tuple[str, int, int], ...]:
        """The qualified name, the line and the last line of each symbol that a file defines, by position."""
        with translated():
            found = _native.Graph(self._native).symbols_in(path, [])
        return tuple((each.qualified_name, each.line, each.end_line) for each in found)

    def define(self, request: "DefineRequest") -> "tuple[Hit, ...]":
        """Where symbols of the request's name are defined."""
        with translated():
            hits = self._native.define(request)
        return hits_of(hits)

    def check(self, paths: Sequence[str]) -> list[str]:
        """For each path "fresh", "stale" or "missing"."""
        with translated():
            return self._native.check(paths)

    def status(self) -> "Status":
        """The state of the index."""
        with translated():
            status = self._native.status()
        return status_of(status, self.options)

    def skips(self) -> "tuple[Skip, ...]":
        """Every file of the current branch that is not indexed."""
        with translated():
            skips = self._native.skips()
        return skips_of(skips)

    def paths(self) -> list[str]:
        """Indexed paths of the current branch, sorted."""
        with translated():
            return self._native.paths()

    def verify(self) -> "tuple[Problem, ...]":
        """What is wrong with the store."""
        with translated():
            return problems_of(self._native.verify())

    def repair(self) -> "tuple[Problem, ...]":
        """Repair what can be; returns what was found."""
        with translated():
            return problems_of(self._native.repair())

    def collect_garbage(self, *, dry_run: bool) -> "GarbageReport":
        """Remove, or only count, what no branch refers to."""
        with translated():
            report = self._native.collect_garbage(dry_run=dry_run)
        return garbage_of(report)

    def unreached(self) -> tuple[int, int]:
        """How many contents there are, and how many of them no branch leads to that git has."""
        with translated():
            return self._native.unreached()

    def waiting_hashes(self) -> list[bytes]:
        """The hashes of the branch's texts that wait for a vector of the outside space."""
        with translated():
            return self._native.waiting_hashes()

    def waiting_texts(self, hashes: Sequence[bytes]) -> list[tuple[bytes, str]]:
        """What these texts say; those that wait no longer are left out."""
        with translated():
            return self._native.waiting_texts(hashes)

    def deliver(self, delivery: "Delivery") -> int:
        """Take in what came from outside, in one transaction; returns how many vectors were kept.

        Raises:
            IndexLocked: If another process is writing; nothing was taken in.
        """
        spending = delivery.spending
        with translated():
            return self._native.deliver(
                delivery.vectors,
                delivery.failures,
                (spending.requests, spending.texts, spending.tokens, spending.micro_usd),
            )

    def add_spending(self, name: str, spending: "Spending") -> None:
        """Put down what was paid for a query's vector or a reranking, by vector space or reranker.

        Raises:
            IndexLocked: If another process is writing; nothing was put down.
        """
        with translated():
            self._native.add_spending(name, dataclasses.astuple(spending))

    def spending(self) -> "tuple[tuple[str, Spending], ...]":
        """What was paid so far, by vector space or reranker."""
        with translated():
            return spending_of(self._native.spending())

    def publish_vectors(self) -> None:
        """Make the vectors that were taken in visible to searches."""
        with translated():
            self._native.publish_vectors()

    def start_draining(self) -> bool:
        """Take the right to have texts embedded; `False` if another process has it."""
        with translated():
            return self._native.start_draining()

    def stop_draining(self) -> None:
        """Give the right back."""
        self._native.stop_draining()

    def uses_outside(self) -> bool:
        """Whether searches use the outside space, so that a query's vector is wanted."""
        with translated():
            return self._native.uses_outside()

    def outside_state(self) -> "OutsideState":
        """How far the vectors of the outside space have come."""
        with translated():
            state = self._native.outside_state()
        return outside_state_of(state)

    def close(self) -> None:
        """Let go of the store."""
        with translated():
            self._native.close()


def error_kinds() -> list[str]:
    """Every kind of failure that the Rust core knows."""
    return _native.error_kinds()


def languages() -> "tuple[Language, ...]":
    """Every language that files are recognised as."""
    return languages_of(_native.languages())


def git_head(root: Path) -> tuple[str, str]:
    """Branch (or `@<sha>`, or empty) and commit (or empty)."""
    with translated():
        return _native.git_head(root)


def main_worktree(root: Path) -> Path | None:
    """The main worktree's root when `root` lies in a linked worktree."""
    with translated():
        return _native.git_common_root(root)


def git_folders(root: Path) -> tuple[Path, Path] | None:
    """The folder of this worktree's own git state and the one that all worktrees share."""
    with translated():
        return _native.git_folders(root)


def is_rule_file(path: str) -> bool:
    """Whether a change of this file may change which others are indexed."""
    return _native.is_rule_file(path)


def copy_store(source: Path, target: Path) -> None:
    """Make the store in `target` from the one in `source`, unless there is one."""
    with translated():
        _native.copy_store(source, target)


def rescue_store(store: Path, *, salvaging: bool) -> tuple[Path, int]:
    """Set a damaged store aside; returns the folder it lies in now, and how many rows of it a new one has.

    With `salvaging` a new store has what could be read of the old one; it must be repaired before it is used.
    """
    with translated():
        return _native.rescue_store(store, salvaging=salvaging)


def crash_log_fault() -> str | None:
    """Why the record of texts that ended a process can't be read, in words; `None` if it can, or if there is none."""
    return _native.crash_log_fault()


def git_excludes() -> Path | None:
    """The user's own file of git excludes; it need not exist."""
    return _native.git_excludes()


class _Translated:
    """Turns the core's failures into ours, a panic included."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, err: BaseException | None, trace: object) -> None:
        if isinstance(err, _native.NativeError):
            raise from_native(str(err.args[0]), str(err.args[1])) from err
        if isinstance(err, UnicodeEncodeError):
            raise UsageError(f"`{err.object!r}` is not valid Unicode") from err
        if type(err).__name__ == "PanicException":
            raise InternalError(f"the core panicked: {err}") from err


_TRANSLATED = _Translated()


def translated() -> _Translated:
    """Around every call of the core, here and in the other typed faces."""
    return _TRANSLATED


def stemmed_words(query: str) -> list[tuple[str, str]]:
    """The words of a query, as a search has them: each with its stem, without stop words unless there are no others."""
    return _native.stemmed_words(query)


def translation(question: str) -> tuple[str, list[str]] | None:
    """The language of a question, and the English words that its own stand for; `None` for English, names and paths."""
    return _native.translation(question)
