"""The typed face of the Rust core: the only module that imports `codecairn._native`.

Plain data goes in and comes out; every failure leaves as one of `codecairn.errors`. Nothing is decided here.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from codecairn import _native
from codecairn.errors import InternalError, UsageError, from_native
from codecairn.types import (
    Contribution,
    Freshness,
    GarbageReport,
    Hit,
    IndexPreview,
    IndexReport,
    Language,
    LanguageShare,
    Problem,
    Skip,
    Status,
)

WITHOUT_GIT = "@files"
"""What the core calls the branch of a folder without git; here it has no name."""

ProgressCallback: TypeAlias = Callable[[str, int, int], None]
"""Called with a phase's name, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How a store is opened. `writer` names this process to others that find the store locked."""

    root: Path
    store: Path
    embedder: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    read_only: bool
    writer: str
    user_ignore: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFilters:
    """What hits must be: all conditions that are given must hold, within one any entry will do."""

    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    paths: tuple[str, ...] | None = None


class Engine:
    """One opened store of one workspace."""

    def __init__(self, options: EngineOptions) -> None:
        self.options = options
        with _translated():
            self._native = _native.Engine(
                options.root,
                options.store,
                embedder=options.embedder,
                include=options.include,
                exclude=options.exclude,
                read_only=options.read_only,
                writer=options.writer,
                user_ignore=options.user_ignore,
            )

    def is_indexed(self) -> bool:
        """Whether the current branch has a catalog."""
        with _translated():
            return self._native.is_indexed()

    def index(
        self,
        *,
        force: bool,
        progress: ProgressCallback | None,
        paths: Sequence[str] | None = None,
    ) -> IndexReport:
        """Bring the current branch up to date; of `paths` alone where that is enough."""
        with _translated():
            report = self._native.index(force=force, progress=progress, paths=paths)
        return IndexReport(
            branch=_branch(report.branch),
            files=report.files,
            added=report.added,
            modified=report.modified,
            removed=report.removed,
            renamed=report.renamed,
            unchanged=report.unchanged,
            chunks=report.chunks,
            new_chunks=report.new_chunks,
            embedded=report.embedded,
            pending=report.pending,
            skipped=report.skipped,
            size_bytes=report.bytes,
            seconds=report.seconds,
            diagnostics=report.diagnostics,
        )

    def writer(self) -> str:
        """Who is writing to the store right now, in words; empty if nobody is."""
        with _translated():
            return self._native.writer() or ""

    def folders(self, folder: str = "") -> list[str]:
        """`folder` (empty for the root) and those below it whose changes matter, sorted."""
        with _translated():
            return self._native.folders(folder)

    def is_walked(self, path: str, *, is_dir: bool) -> bool:
        """Whether a change of this entry may matter to the index."""
        with _translated():
            return self._native.is_walked(path, is_dir=is_dir)

    def preview(self) -> IndexPreview:
        """What `index` would do, without writing."""
        with _translated():
            preview = self._native.preview()
        return IndexPreview(
            branch=_branch(preview.branch),
            added=tuple(preview.added),
            modified=tuple(preview.modified),
            removed=tuple(preview.removed),
            unchanged=preview.unchanged,
            size_bytes=preview.bytes,
            chunks=preview.chunks,
            texts=preview.texts,
            tokens=preview.tokens,
        )

    def refresh(self, *, budget_ms: int | None) -> Freshness:
        """Take in what changed as far as the budget allows; a locked store is a state, no failure."""
        with _translated():
            freshness = self._native.refresh(budget_ms=budget_ms)
        return Freshness(
            state=freshness.state,
            changed=freshness.changed,
            unchecked=freshness.unchecked,
            seconds=freshness.seconds,
        )

    def search(
        self,
        query: str,
        *,
        limit: int,
        filters: EngineFilters,
        context_lines: int,
        explain: bool,
        ranking: str,
        fusion: str,
        text: bool,
    ) -> tuple[Hit, ...]:
        """Ranked places, best first."""
        with _translated():
            hits = self._native.search(
                query,
                limit=limit,
                filters=_filters(filters),
                context_lines=context_lines,
                explain=explain,
                ranking=ranking,
                fusion=fusion,
                text=text,
            )
        return tuple(map(_hit, hits))

    def similar(
        self,
        text: str,
        *,
        limit: int,
        filters: EngineFilters,
        exclude: tuple[str, int, int] | None,
    ) -> tuple[Hit, ...]:
        """Places that look like `text`, without the one that is excluded."""
        with _translated():
            hits = self._native.similar(
                text, limit=limit, filters=_filters(filters), exclude=exclude
            )
        return tuple(map(_hit, hits))

    def text_at(self, path: str, line: int) -> tuple[str, int, int]:
        """Text, first and last line of the chunk at this place."""
        with _translated():
            return self._native.text_at(path, line)

    def define(self, name: str, *, limit: int, filters: EngineFilters) -> tuple[Hit, ...]:
        """Where symbols of this name are defined."""
        with _translated():
            hits = self._native.define(name, limit=limit, filters=_filters(filters))
        return tuple(map(_hit, hits))

    def check(self, paths: Sequence[str]) -> list[str]:
        """For each path "fresh", "stale" or "missing"."""
        with _translated():
            return self._native.check(paths)

    def status(self) -> Status:
        """The state of the index."""
        with _translated():
            status = self._native.status()
        return Status(
            root=str(self.options.root),
            store=str(self.options.store),
            branch=_branch(status.branch),
            head=status.head,
            format=status.format,
            generation=status.generation,
            files=status.files,
            blobs=status.blobs,
            chunks=status.chunks,
            texts=status.texts,
            vectors=status.vectors,
            pending=status.pending,
            symbols=status.symbols,
            branches=tuple((_branch(name), files) for name, files in status.branches),
            languages=tuple(
                LanguageShare(language=language, files=files, size_bytes=size_bytes)
                for language, files, size_bytes in status.languages
            ),
            skipped=tuple(status.skipped),
            coarse=status.coarse,
            store_bytes=status.store_bytes,
            segments=status.segments,
            embedder=status.embedder,
            dimensions=status.dimensions,
            indexed_at_ns=status.indexed_at_ns,
            indexing=status.indexing,
            notes=tuple(status.notes),
        )

    def skips(self) -> tuple[Skip, ...]:
        """Every file of the current branch that is not indexed."""
        with _translated():
            skips = self._native.skips()
        return tuple(Skip(path=skip.path, reason=skip.reason, detail=skip.detail) for skip in skips)

    def paths(self) -> list[str]:
        """Indexed paths of the current branch, sorted."""
        with _translated():
            return self._native.paths()

    def verify(self) -> tuple[Problem, ...]:
        """What is wrong with the store."""
        with _translated():
            return _problems(self._native.verify())

    def repair(self) -> tuple[Problem, ...]:
        """Repair what can be; returns what was found."""
        with _translated():
            return _problems(self._native.repair())

    def collect_garbage(self, *, dry_run: bool) -> GarbageReport:
        """Remove, or only count, what no branch refers to."""
        with _translated():
            report = self._native.collect_garbage(dry_run=dry_run)
        return GarbageReport(
            blobs=report.blobs,
            chunks=report.chunks,
            vectors=report.vectors,
            files=report.files,
            size_bytes=report.bytes,
        )

    def pending_texts(self, *, limit: int) -> list[tuple[int, str]]:
        """Texts that still lack a vector of this embedder: (text id, text)."""
        with _translated():
            return self._native.pending_texts(limit=limit)

    def put_vectors(self, rows: Sequence[tuple[int, bytes]]) -> int:
        """Store float32 little-endian vectors for text ids; returns how many."""
        with _translated():
            return self._native.put_vectors(rows)

    def close(self) -> None:
        """Let go of the store."""
        with _translated():
            self._native.close()


def core_version() -> str:
    """The version of the Rust core, which is the version of codecairn."""
    return _native.version()


def error_kinds() -> list[str]:
    """Every kind of failure that the Rust core knows."""
    return _native.error_kinds()


def languages() -> tuple[Language, ...]:
    """Every language that files are recognised as."""
    return tuple(
        Language(id=id_, name=name, has_grammar=has_grammar)
        for id_, name, has_grammar in _native.languages()
    )


def git_head(root: Path) -> tuple[str, str]:
    """Branch (or `@<sha>`, or empty) and commit (or empty)."""
    with _translated():
        return _native.git_head(root)


def main_worktree(root: Path) -> Path | None:
    """The main worktree's root when `root` lies in a linked worktree."""
    with _translated():
        return _native.git_common_root(root)


def git_folders(root: Path) -> tuple[Path, Path] | None:
    """The folder of this worktree's own git state and the one that all worktrees share."""
    with _translated():
        return _native.git_folders(root)


def is_rule_file(path: str) -> bool:
    """Whether a change of this file may change which others are indexed."""
    return _native.is_rule_file(path)


def copy_store(source: Path, target: Path) -> None:
    """Make the store in `target` from the one in `source`, unless there is one."""
    with _translated():
        _native.copy_store(source, target)


def git_excludes() -> Path | None:
    """The user's own file of git excludes; it need not exist."""
    return _native.git_excludes()


def _branch(name: str) -> str:
    return "" if name == WITHOUT_GIT else name


def _filters(filters: EngineFilters) -> _native.Filters:
    return _native.Filters(
        kinds=filters.kinds,
        languages=filters.languages,
        directories=filters.directories,
        globs=filters.globs,
        paths=filters.paths,
    )


def _hit(hit: _native.Hit) -> Hit:
    return Hit(
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        kind=hit.kind,
        name=hit.name,
        language=hit.language,
        score=hit.score,
        text=hit.text,
        context_start_line=hit.context_start_line,
        breadcrumb=hit.breadcrumb,
        contributions=tuple(
            Contribution(feature=feature, value=value, part=part)
            for feature, value, part in hit.contributions
        ),
    )


def _problems(problems: Sequence[_native.Problem]) -> tuple[Problem, ...]:
    return tuple(
        Problem(code=problem.code, detail=problem.detail, repaired=problem.repaired)
        for problem in problems
    )


@contextmanager
def _translated() -> Iterator[None]:
    """Turn the core's failures into ours, a panic included."""
    try:
        yield
    except _native.NativeError as err:
        raise from_native(str(err.args[0]), str(err.args[1])) from err
    except UnicodeEncodeError as err:
        raise UsageError(f"`{err.object!r}` is not valid Unicode") from err
    except BaseException as err:
        if type(err).__name__ != "PanicException":
            raise
        raise InternalError(f"the core panicked: {err}") from err


translated = _translated
"""The same for the memory's typed face."""
