"""The façade that every surface holds: one workspace, opened."""

import os
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from codecairn.clock import Clock, SystemClock
from codecairn.config import layers
from codecairn.config.settings import MAX_NUMBER, Settings
from codecairn.embedding.choice import Notice, plan_of
from codecairn.engine import Engine, ProgressCallback
from codecairn.errors import ProviderUnavailable, StoreDamaged, UsageError
from codecairn.indexing.estimate import embedding_status, estimate
from codecairn.indexing.freshness import make_ready
from codecairn.indexing.opening import Opening
from codecairn.paths import root as root_paths
from codecairn.paths import store as store_paths
from codecairn.paths import user
from codecairn.search.filters import SearchFilters
from codecairn.search.helpers import Helpers
from codecairn.search.searcher import Searcher
from codecairn.types import (
    EmbeddingReport,
    Freshness,
    GarbageReport,
    IndexPreview,
    IndexReport,
    Problem,
    SearchResult,
    Skip,
    Status,
)

if TYPE_CHECKING:
    from typing_extensions import Self
_NO_FILTERS = SearchFilters()

_LEFT_ALONE: list[Engine | None] = []
"""Engines of the process that this one was forked from: even closing them would disturb their store."""


class Workspace:
    """An indexed folder and its store.

    Opening reads the settings only; the store is made by the first call that needs it. A workspace may be used from
    several threads, and by the children of a fork, which open the store anew. Close it, or use it as a context manager:

        with Workspace.open("path/to/repo") as workspace:
            for hit in workspace.search("where are tokens verified"):
                print(hit.path, hit.start_line, hit.name)

    Attributes:
        root: The workspace's root.
        settings: The resolved settings.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        *,
        is_named: bool = True,
        read_only: bool = False,
        writer: str = "codecairn",
        store: Path | None = None,
        progress: ProgressCallback | None = None,
        notice: Notice | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.root = root
        self.settings = settings
        self._plan, self._unplanned = None, None
        try:
            self._plan = plan_of(settings)
        except ProviderUnavailable as err:
            self._unplanned = err  # what is there can be searched all the same
        self._opening = Opening(
            root=root,
            settings=settings,
            read_only=read_only,
            writer=writer,
            given_store=store,
            plan=self._plan,
        )
        self._notice = notice
        self._helpers = Helpers(settings, self._plan)
        self._is_named = is_named
        self._progress = progress
        self._clock = clock or SystemClock()
        self._engine: Engine | None = None
        self._lock = threading.Lock()
        self._process = os.getpid()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        read_only: bool = False,
        settings: Mapping[str, object] | None = None,
        writer: str = "codecairn",
        progress: ProgressCallback | None = None,
        notice: Notice | None = None,
    ) -> "Workspace":
        """Find the workspace that `path`, or else the current folder, lies in.

        Args:
            path: A folder inside the workspace.
            read_only: Never write: no index is made or refreshed.
            settings: Settings by key (`{"search.limit": 5}`) that override files and environment.
            writer: How this process is named to others that find the index locked.
            progress: Called while an index is made: phase, done, total.
            notice: Told, in words, where texts are about to be sent, before the first of them is.

        Raises:
            BadWorkspace: If `path` is not a folder.
            ConfigError: If some setting is unknown or has a wrong value.
        """
        folder = root_paths.resolve_folder(path)
        root = root_paths.find_root(folder, home=user.home_folder())
        config = layers.load(root, arguments=settings)
        return cls(
            root,
            config.settings,
            is_named=path is not None,
            read_only=read_only,
            writer=writer,
            progress=progress,
            notice=notice,
        )

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store; the next call opens it again."""
        self._leave_other_process()
        with self._lock:
            self._helpers.close()
            if self._engine is not None:
                self._engine.close()
                self._engine = None

    @property
    def store(self) -> Path:
        """The folder of the store; it need not exist."""
        return self._opening.store

    # Indexing

    def index(
        self,
        *,
        force: bool = False,
        progress: ProgressCallback | None = None,
    ) -> IndexReport:
        """Bring the index of the current branch up to date.

        With a provider of embeddings configured, texts that wait for its vectors are embedded last, while the index can
        be searched already; what could not be embedded is tried again by the next call.

        Args:
            force: Read every file again, also those that look unchanged.
            progress: Called with phase, done, total; by default what the workspace was opened with.

        Raises:
            BadWorkspace: If the workspace was opened without a path, has no store yet, and its root is a home folder
                or the like.
            IndexLocked: If another process is writing.
            StoreReadOnly: If the store can't be written.
        """
        if not self._is_named:
            self._require_reasonable_root()
        engine, progress = self._opened(create=True), progress or self._progress
        report = engine.index(force=force, progress=progress)
        if self._unplanned is not None:
            detail = f"{self._unplanned.message}; {self._unplanned.hint}"
            return replace(
                report,
                embedding=EmbeddingReport(
                    space="", destination="nowhere", stopped="provider", detail=detail
                ),
            )
        if self._plan is None:
            return report
        from codecairn.indexing.draining import drain

        embedding = drain(engine, self._plan, self.settings, notice=self._notice, progress=progress)
        return replace(report, pending=embedding.pending, embedding=embedding)

    def preview(self) -> IndexPreview:
        """What `index` would do, without indexing anything."""
        if not self._is_named:
            self._require_reasonable_root()
        engine = self._opened(create=True)
        preview = engine.preview()
        return replace(preview, embedding=estimate(self._plan, preview, engine))

    def refresh(self, *, budget_ms: int | None = None) -> Freshness:
        """Take in what changed, for at most `budget_ms` milliseconds if given.

        Raises:
            NotIndexed: If there is no index yet.
        """
        if budget_ms is not None:
            if budget_ms < 0:
                raise UsageError(f"the budget is {budget_ms} ms", hint="give 0 or more")
            budget_ms = min(budget_ms, MAX_NUMBER)
        return self._opened(create=False).refresh(budget_ms=budget_ms)

    # Searching

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        filters: SearchFilters = _NO_FILTERS,
        context_lines: int | None = None,
        explain: bool = False,
        refresh: bool | None = None,
    ) -> SearchResult:
        """The places that answer `query` best.

        An index that does not exist yet is made first; one that does takes in what changed, within the budget of
        the settings, unless `refresh` is false.

        Args:
            query: Words, an identifier, a path; quoted parts must occur exactly.
            limit: How many hits at most.
            filters: What hits must be.
            context_lines: Lines of the file to add before and after each hit's text.
            explain: Whether hits carry each feature's part in their score.
            refresh: Whether to take in changes first.

        Raises:
            BadWorkspace: If there is no index and the root should not get one unnamed.
            IndexLocked: If there is no index and another process is making it.
        """
        return self._searcher(refresh=refresh).search(
            query,
            limit=limit,
            filters=filters,
            context_lines=context_lines,
            explain=explain,
            text=True,
        )

    def peek(
        self,
        query: str,
        *,
        limit: int | None = None,
        filters: SearchFilters = _NO_FILTERS,
        refresh: bool | None = None,
    ) -> SearchResult:
        """The same places as `search`, without their text."""
        return self._searcher(refresh=refresh).search(
            query, limit=limit, filters=filters, context_lines=0, explain=False, text=False
        )

    def similar(
        self,
        text: str,
        *,
        limit: int | None = None,
        filters: SearchFilters = _NO_FILTERS,
        refresh: bool | None = None,
    ) -> SearchResult:
        """Places that look like this piece of code, most alike first."""
        return self._searcher(refresh=refresh).similar(text, limit=limit, filters=filters)

    def similar_to(
        self,
        path: str,
        line: int,
        *,
        limit: int | None = None,
        filters: SearchFilters = _NO_FILTERS,
        refresh: bool | None = None,
    ) -> SearchResult:
        """Places that look like the code at this line, which is not among them; `path` is relative to the root.

        Raises:
            UsageError: If nothing is indexed at this place.
        """
        searcher = self._searcher(refresh=refresh)
        return searcher.similar_to(path, line, limit=limit, filters=filters)

    def define(
        self,
        name: str,
        *,
        limit: int | None = None,
        filters: SearchFilters = _NO_FILTERS,
        refresh: bool | None = None,
    ) -> SearchResult:
        """Where symbols of this name are defined; `Class.method` narrows it down."""
        return self._searcher(refresh=refresh).define(name, limit=limit, filters=filters)

    # Health

    def status(self) -> Status:
        """The state of the index.

        Raises:
            NotIndexed: If there is no index yet.
        """
        engine = self._opened(create=False)
        return replace(
            engine.status(), embedding=embedding_status(self._plan, self.settings, engine)
        )

    def skips(self) -> tuple[Skip, ...]:
        """Every file that is not indexed, and why."""
        return self._opened(create=False).skips()

    def doctor(self, *, repair: bool = False) -> tuple[Problem, ...]:
        """What is wrong with the store, mended if asked to.

        A database that can't be read at all is set aside and the index is made anew.
        """
        try:
            engine = self._opened(create=False)
            return engine.repair() if repair else engine.verify()
        except StoreDamaged as err:
            if not repair:
                return (Problem(code="store-damaged", detail=err.message, repaired=False),)
            return (self._rebuild(err),)

    def gc(self, *, dry_run: bool = False) -> GarbageReport:
        """Remove, or only count, what no branch refers to any more."""
        return self._opened(create=False).collect_garbage(dry_run=dry_run)

    # Inside

    def _searcher(self, *, refresh: bool | None) -> Searcher:
        if not self._opening.read_only:
            self._require_reasonable_root()
        engine = self._opened(create=True)
        freshness = make_ready(engine, self.settings, refresh=refresh, progress=self._progress)
        helpers = self._helpers
        return Searcher(
            engine=engine,
            settings=self.settings,
            freshness=freshness,
            vectors=helpers.vectors(self._query_folder),
            rerank=helpers.rerank(),
            notes=() if self._unplanned is None else (self._unplanned.message,),
        )

    def _query_folder(self) -> Path | None:
        """Where vectors of queries are kept; nowhere if nothing is to be written."""
        return None if self._opening.read_only else self.store / "queries"

    def _require_reasonable_root(self) -> None:
        if self._engine is None and not store_paths.store_exists(self.store):
            root_paths.require_reasonable(self.root, home=user.home_folder())

    def _opened(self, *, create: bool) -> Engine:
        self._leave_other_process()
        with self._lock:
            if self._engine is None:
                self._engine = self._opening.open(create=create)
            return self._engine

    def _leave_other_process(self) -> None:
        """After a fork: leave the engine to the process that opened it, for a database must not be shared that way."""
        if self._process != os.getpid():
            _LEFT_ALONE.append(self._engine)
            self._engine = None
            self._helpers = Helpers(self.settings, self._plan)
            self._lock = threading.Lock()
            self._process = os.getpid()

    def _rebuild(self, err: StoreDamaged) -> Problem:
        self.close()
        aside = store_paths.set_aside(self.store, suffix=str(self._clock.now_ns()))
        report = self.index()
        detail = f"{err.message}; set aside as `{aside}` and indexed {report.files} files anew"
        return Problem(code="store-damaged", detail=detail, repaired=True)
