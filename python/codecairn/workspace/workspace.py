"""The façade of one workspace, which all surfaces use."""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.clock import Clock, SystemClock
from codecairn.config import layers
from codecairn.config.settings import SETTINGS, Settings
from codecairn.context.ask_request import AskRequest
from codecairn.core.closeable import Closeable
from codecairn.core.engine import Engine, ProgressCallback
from codecairn.core.options import CLASS_KINDS
from codecairn.core.requests import (
    NO_FILTERS,
    DefineRequest,
    HitRequest,
    PeekRequest,
    SearchFilters,
    SearchRequest,
    SimilarRequest,
    accepts,
)
from codecairn.core.store_log import Entry, read_entries
from codecairn.embedding.choice import choose
from codecairn.indexing.fork_safe import ForkSafeEngine
from codecairn.indexing.freshness import make_ready, refresh_within
from codecairn.indexing.lock_retry import LockRetry, Notify
from codecairn.indexing.store_opening import Opening
from codecairn.paths import root as root_paths
from codecairn.paths import store as store_paths
from codecairn.paths import user
from codecairn.paths.user import has_grants
from codecairn.search.quoted_texts import or_unquoted
from codecairn.search.remote_clients import RemoteClients
from codecairn.trust.store_trust import workspace_root

if TYPE_CHECKING:
    from codecairn.context.answer import Answer
    from codecairn.context.pack_builder import Packs
    from codecairn.core.types.freshness import Freshness
    from codecairn.core.types.hits import Hit, SearchResult
    from codecairn.core.types.indexing import IndexPreview, IndexReport, Skip
    from codecairn.core.types.maintenance import GarbageReport, Problem
    from codecairn.core.types.status import Status
    from codecairn.graph.graph import CodeGraph
    from codecairn.indexing.watch import Update, Watch
    from codecairn.memory.memory import Memory
    from codecairn.replication.workspace_remote import WorkspaceRemote
    from codecairn.search.searcher import Searcher
    from codecairn.workspace.knowledge.bases import Knowledge
    from codecairn.workspace.metrics import Metrics


class Workspace(Closeable):
    """An indexed folder and its store.

    Opening reads the settings only; the store is made by the first call that needs it. A workspace may be used from
    several threads, and by the children of a fork, which open the store again. Close it, or use it as a context manager:

        with Workspace.open("path/to/repo") as workspace:
            for hit in workspace.search("where are tokens verified"):
                print(hit.path, hit.start_line, hit.name)

    Attributes:
        root: The workspace's root.
        settings: The resolved settings.
        setting_notes: What the workspace's file sets without effect, in words; `status` reports it, too.
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
        notify: Notify | None = None,
        arguments: Mapping[str, object] | None = None,
        clock: Clock | None = None,
        setting_notes: tuple[str, ...] = (),
    ) -> None:
        self.root, self.settings, self.setting_notes = root, settings, setting_notes
        self._opening = Opening(
            root=root,
            settings=settings,
            read_only=read_only,
            writer=writer,
            given_store=store,
            choice=choose(settings),
            notes=setting_notes,
        )
        self._remote_clients = RemoteClients(settings, self._opening.choice)
        self._is_named = is_named
        self._progress = progress
        self._notify = notify
        self._arguments = arguments or {}
        self._clock = clock or SystemClock()
        self._held = ForkSafeEngine(self._opening)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        read_only: bool = False,
        settings: Mapping[str, object] | None = None,
        writer: str = "codecairn",
        progress: ProgressCallback | None = None,
        notify: Notify | None = None,
    ) -> "Workspace":
        """Find the workspace that `path`, or else the current folder, lies in.

        Args:
            path: A folder inside the workspace.
            read_only: Never write: no index is made or refreshed.
            settings: Settings by key (`{"search.limit": 5}`) that override files and environment.
            writer: How this process is named to others that find the index locked.
            progress: Called while an index is made: phase, done, total.
            notify: Told in words what keeps a call waiting, such as another process that is writing, and where texts
                are about to be sent, before the first of them is.

        Raises:
            BadWorkspace: If `path` is not a folder.
            ConfigError: If some setting is unknown or has a wrong value.
        """
        root = workspace_root(root_paths.resolve_folder(path))
        config = layers.load(root, arguments=settings)
        return cls(
            root,
            config.settings,
            is_named=path is not None,
            read_only=read_only,
            writer=writer,
            progress=progress,
            notify=notify,
            arguments=settings,
            setting_notes=tuple(each.note for each in config.ignored),
        )

    def close(self) -> None:
        """Let go of the store; the next call opens it again."""
        self._remote_clients.close()
        self._held.close()
        for part in ("memory", "knowledge"):
            if part in self.__dict__:
                getattr(self, part).close()

    def reload_settings(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Read some settings again, for all calls that begin from now on; the others stay as they were opened with.

        Only settings that are looked up in `settings` at each call, or that the memory is opened with, take effect. A
        call that is under way keeps the memory it began with, which is closed when nothing refers to it.

        Returns:
            Where the value of each key comes from.

        Raises:
            ConfigError: If some setting is unknown or has a wrong value.
        """
        config = layers.load(self.root, arguments=self._arguments)
        fields = [SETTINGS[key].field for key in keys]
        changed = {field: getattr(config.settings, field) for field in fields}
        self.settings = dataclasses.replace(self.settings, **changed)
        self.__dict__.pop("memory", None)
        return {key: config.sources[key] for key in keys}

    @cached_property
    def memory(self) -> "Memory":
        """What was said, done and decided here; needs no index."""
        from codecairn.memory.memory import Memory
        from codecairn.search.definitions import IndexedDefinitions

        return Memory(
            self.root,
            self.settings,
            clock=self._clock,
            notify=self._notify,
            definitions=IndexedDefinitions(lambda: self._held.opened(create=False)),
        )

    @cached_property
    def knowledge(self) -> "Knowledge":
        """Further folders that are searched with this workspace; `search` there searches all of it."""
        from codecairn.workspace.knowledge.bases import Knowledge

        return Knowledge(self, open_base=self._open_base, is_walked=self._walks)

    @cached_property
    def graph(self) -> "CodeGraph":
        """The code graph: uses, impact of a change, structure."""
        from codecairn.graph.graph import CodeGraph
        from codecairn.indexing.git_objects import index_commit

        return CodeGraph(self.root, self._asked, index_commit)

    @cached_property
    def packs(self) -> "Packs":
        """What to know for a question or before an edit, under a token budget."""
        from codecairn.context.pack_builder import Packs

        return Packs(graph=self.graph, search=self.search, memory=lambda: self.memory)

    @accepts(AskRequest)
    def ask(self, request: AskRequest) -> "Answer":
        """The material of an answer: what the project is, what is remembered, and the code, each with its source.

        Raises:
            UsageError: If nothing is asked, or a value is not allowed.
        """
        from codecairn.context.ask import Sources, ask

        return ask(request, Sources(memory=self.memory, search=self.search))

    @cached_property
    def remote(self) -> "WorkspaceRemote":
        """The shared index of this workspace: publishing it, pulling it, and grants for it."""
        from codecairn.replication.workspace_remote import WorkspaceRemote

        return WorkspaceRemote(
            self._opening,
            self._held,
            lock_retry=self._lock_retry,
            progress=self._progress,
            notify=self._notify,
        )

    def pull_first(
        self, engine: Engine | None = None, *, progress: ProgressCallback | None = None
    ) -> None:
        """Pull the shared index that is set up here, if there is one, into a store that has nothing.

        A failure is reported and not raised: then the index is built here.

        Raises:
            BadWorkspace: As for `index`.
        """
        if self._opening.read_only or not (self.settings.index_remote or has_grants()):
            return
        if engine is None:
            self._require_reasonable_root(unless=self._is_named)
            engine = self._held.opened(create=True)
        self.remote.pull_first(engine, progress=progress)

    @property
    def store(self) -> Path:
        """The folder of the store; it need not exist."""
        return self._opening.place.folder

    def index(
        self,
        *,
        force: bool = False,
        paths: Sequence[str] | None = None,
        wait: bool | None = None,
        progress: ProgressCallback | None = None,
    ) -> "IndexReport":
        """Bring the index of the current branch up to date.

        With a provider of embeddings configured, texts that wait for its vectors are embedded last, while the index can
        be searched already; what could not be embedded is tried again by the next call.

        Args:
            force: Read every file again, also those that look unchanged.
            paths: The only files and folders that may have changed, relative to the root: nothing else is looked at,
                unless the branch, its commit or an ignore file changed.
            wait: Whether to wait while another process writes, for as long as the settings say; by default it is.
            progress: Called with phase, done, total; by default what the workspace was opened with.

        Raises:
            BadWorkspace: If the workspace was opened without a path, has no store yet, and its root is a home folder
                or the like.
            IndexLocked: If another process is still writing after the wait.
            StoreReadOnly: If the store can't be written.
        """
        from codecairn.indexing.index_run import index_completely

        self._require_reasonable_root(unless=self._is_named)
        return self._held.run(
            lambda engine: index_completely(
                engine,
                self._opening,
                lock_retry=self._lock_retry(wait=wait is not False),
                progress=progress or self._progress,
                force=force,
                paths=paths,
            ),
            create=True,
        )

    def preview(self) -> "IndexPreview":
        """What `index` would do, without indexing anything."""
        from codecairn.indexing.embedding_estimate import look_ahead

        self._require_reasonable_root(unless=self._is_named)
        return look_ahead(self._held.opened(create=True), self._opening.choice.plan)

    def refresh(self, *, budget_ms: int | None = None) -> "Freshness":
        """Take in what changed, for at most `budget_ms` milliseconds if given; `NotIndexed` if there is no index."""
        return refresh_within(self._held.opened(create=False), budget_ms)

    def watch(
        self, *, on_update: "Callable[[Update], None] | None" = None, poll: bool = False
    ) -> "Watch":
        """Keep the index fresh while files change, in threads of its own.

            with workspace.watch():
                ...

        Args:
            on_update: Called from such a thread with what was taken in.
            poll: Check all files periodically, without change notifications of the system.
        """
        from codecairn.indexing.watch import Watch

        self._require_reasonable_root(unless=self._is_named)
        return Watch(
            self._opening,
            arguments=self._arguments,
            on_update=on_update,
            notify=self._notify,
            poll=poll,
        )

    @accepts(SearchRequest)
    def search(self, request: SearchRequest) -> "SearchResult":
        """The places that answer a question best.

        An index that does not exist yet is made first; one that does takes in what changed, within the budget of
        the settings, unless `refresh` is false.

        Raises:
            BadWorkspace: If there is no index and the root should not get one unnamed.
            IndexLocked: If there is no index, and another process is still writing after the wait.
        """
        return or_unquoted(request, self.search_quoted)

    @accepts(PeekRequest)
    def peek(self, request: PeekRequest) -> "SearchResult":
        """The same places as `search`, without their text."""
        return or_unquoted(request, self.peek_quoted)

    def search_quoted(self, request: SearchRequest) -> "SearchResult":
        """As `search`, but nothing where no file has the quoted parts of the query."""
        return self._searcher(refresh=request.refresh).search(request, text=True)

    def peek_quoted(self, request: PeekRequest) -> "SearchResult":
        """As `peek`, but nothing where no file has the quoted parts of the query."""
        bare = SearchRequest(
            request.query, limit=request.limit, filters=request.filters, context_lines=0
        )
        return self._searcher(refresh=request.refresh).search(bare, text=False)

    def outline(self, hit: "Hit") -> "tuple[tuple[int, str], ...]":
        """The members of a class that was found: the line and the signature of each, in order; empty for anything else."""
        if hit.kind not in CLASS_KINDS or not hit.name or hit.base:
            return ()
        from codecairn.search.outline import member_signatures

        return member_signatures(self._held.opened(create=False), hit)

    @accepts(SimilarRequest)
    def similar(self, request: SimilarRequest) -> "SearchResult":
        """Places that look like this piece of code, most alike first."""
        return self._searcher(refresh=request.refresh).similar(request)

    def similar_to(
        self,
        path: str,
        line: int,
        *,
        limit: int | None = None,
        filters: SearchFilters = NO_FILTERS,
        refresh: bool | None = None,
    ) -> "SearchResult":
        """Places that look like the code at this line, which is not among them; `path` is relative to the root.

        Raises:
            UsageError: If nothing is indexed at this place.
        """
        request = HitRequest(limit=limit, filters=filters)
        return self._searcher(refresh=refresh).similar_to(path, line, request)

    def code_at(self, path: str, line: int, *, refresh: bool | None = None) -> str:
        """The code at this line that `similar_to` compares with: a symbol or a part of one.

        Raises:
            UsageError: If nothing is indexed at this place.
        """
        return self._searcher(refresh=refresh).code_at(path, line)

    @accepts(DefineRequest)
    def define(self, request: DefineRequest) -> "SearchResult":
        """Where symbols of this name are defined; `Class.method` narrows it down."""
        return self._searcher(refresh=request.refresh).define(request)

    def status(self) -> "Status":
        """The state of the index; `NotIndexed` if there is none yet."""
        return self._opening.status(self._held.opened(create=False))

    def stem_counts(self) -> list[tuple[str, int]]:
        """Each stem of the index with the number of texts that have its terms, summed over the terms."""
        return self._held.opened(create=False).stem_counts()

    def paths(self) -> tuple[str, ...]:
        """Indexed files of the current branch, relative to the root, sorted."""
        return tuple(self._held.opened(create=False).paths())

    def skips(self) -> "tuple[Skip, ...]":
        """Every file that is not indexed, and why."""
        return self._held.opened(create=False).skips()

    def doctor(self, *, repair: bool = False) -> "tuple[Problem, ...]":
        """What is wrong with the store, mended if asked to.

        A database that can't be mended is set aside. What can be read of it is kept, the rest is indexed again.
        """
        from codecairn.indexing.integrity import examine

        return examine(
            self._held,
            store=self.store,
            lock_retry=self._lock_retry(),
            repair=repair,
            index=self.index,
        )

    def gc(self, *, dry_run: bool = False) -> "GarbageReport":
        """Remove, or only count, unreferenced content and unused copies of shared stores."""
        from codecairn.indexing.garbage_collection import collect

        engine = self._held.opened(create=False)
        return collect(engine, self._opening, lock_retry=self._lock_retry(), dry_run=dry_run)

    def logs(
        self, *, limit: int | None = None, categories: tuple[str, ...] = (), level: str = "debug"
    ) -> tuple[Entry, ...]:
        """What was done with the store lately, oldest first: entries of at least this level."""
        store = self._held.opened(create=False).options.store
        return tuple(read_entries(store, limit=limit, categories=categories, level=level))

    def metrics(self, *, reset: bool = False) -> "Metrics":
        """Figures made from what was done with the store lately; with `reset` the log is cleared afterwards."""
        from codecairn.workspace.metrics import measure_store

        options = self._held.opened(create=False).options
        return measure_store(options.store, reset=reset and not options.read_only)

    def _open_base(self, folder: Path, arguments: Mapping[str, object]) -> "Workspace":
        """A workspace on a knowledge base, opened as this one is. The user named the folder, so any will do."""
        own = {key: value for key, value in self._arguments.items() if SETTINGS[key].is_own}
        for key in ("knowledge.bases", "index.remote"):
            own.pop(key, None)
        given = {**own, **arguments}
        return type(self)(
            folder,
            layers.load(folder, arguments=given).settings,
            read_only=self._opening.read_only,
            writer=self._opening.writer,
            progress=self._progress,
            notify=self._notify,
            arguments=given,
            clock=self._clock,
        )

    def _walks(self, path: str) -> bool:
        """Whether the index includes files of a folder below the root."""
        return self._held.opened(create=True).is_walked(path, is_dir=True)

    def _searcher(self, *, refresh: bool | None) -> "Searcher":
        self._require_reasonable_root(unless=self._opening.read_only)
        engine = self._held.opened(create=True)
        ready = partial(self._ready, engine, refresh=refresh)
        return self._remote_clients.searcher(
            engine, ready=ready, logbook=self._opening.logbook(engine)
        )

    def _asked(self, *, refresh: bool | None) -> Engine:
        self._require_reasonable_root(unless=self._opening.read_only)
        engine = self._held.opened(create=True)
        self._ready(engine, refresh=refresh)
        return engine

    def _ready(self, engine: Engine, *, refresh: bool | None) -> "Freshness | None":
        lock_retry, progress = self._lock_retry(), self._progress
        if not engine.is_indexed():
            self.pull_first(engine)
        return make_ready(
            engine, self.settings, refresh=refresh, progress=progress, lock_retry=lock_retry
        )

    def _lock_retry(self, *, wait: bool = True) -> LockRetry:
        wait_s = self.settings.index_wait_s if wait else 0
        return LockRetry(wait_s=wait_s, notify=self._notify, clock=self._clock)

    def _require_reasonable_root(self, *, unless: bool) -> None:
        if not unless and not self._held.is_open and not store_paths.store_exists(self.store):
            root_paths.require_reasonable(self.root, home=user.home_folder())
