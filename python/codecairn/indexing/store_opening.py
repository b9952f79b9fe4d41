"""Opens the store of a workspace: where it is, whether it may be created, and the fallback where it can't be written."""

import dataclasses
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.config.settings import Settings
from codecairn.core.engine import Engine, copy_store, git_excludes, main_worktree
from codecairn.core.light_dataclass import dataclass
from codecairn.core.options import EngineOptions
from codecairn.core.store_log import Logbook
from codecairn.embedding.choice import BUILTIN_ALONE, Choice
from codecairn.errors import DiskFull, FileAccessError, NotIndexed, StoreError, StoreReadOnly
from codecairn.indexing.store_location import StoreLocation, locate_store, prepare_store
from codecairn.paths import store as store_paths
from codecairn.paths import user

if TYPE_CHECKING:
    from codecairn.core.types.status import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How one workspace's store is opened.

    `writer` names this process to others that find the store locked; `given_store` puts it somewhere of the caller's
    choice; `choice` is who embeds outside; `notes` are what the status reports of the settings.
    """

    root: Path
    settings: Settings
    read_only: bool
    writer: str
    given_store: Path | None = None
    choice: Choice = BUILTIN_ALONE
    notes: tuple[str, ...] = ()

    @property
    def place(self) -> StoreLocation:
        """Where the store is; it need not exist."""
        if self.given_store is not None:
            return StoreLocation(folder=self.given_store)
        return locate_store(
            self.root,
            scope=self.settings.scope,
            main_worktree=main_worktree(self.root),
            data_folder=user.data_folder(),
        )

    def logbook(self, engine: Engine) -> Logbook:
        """The log of the store that is open."""
        level = "off" if engine.options.read_only else self.settings.log_level
        return Logbook(engine.options.store, level=level)

    def status(self, engine: Engine) -> "Status":
        """The status of an engine, with how far embedding outside has come, and a note if its store stands in for another."""
        from codecairn.indexing.embedding_estimate import embedding_status
        from codecairn.indexing.scip_evidence import evidence_notes

        embedding = embedding_status(self.choice.plan, self.settings, engine)
        status = dataclasses.replace(
            engine.status(),
            embedding=embedding,
            spending=engine.spending(),
            vector_method=engine.options.vector_method,
        )
        notes = [*status.notes, *self.notes, *evidence_notes(engine)]
        place = self.place
        shared = place.shared
        if shared is not None and engine.options.store != shared:
            notes.append(f"a copy of `{shared}`, which can't be written from here")
        if place.ignored:
            notes.append(
                f"{place.ignored}: it is not used; if it is yours, `codecairn trust` uses it"
            )
        return dataclasses.replace(status, notes=tuple(notes))

    def open(self, *, create: bool) -> Engine:
        """The engine on the store, which is made if it does not exist and `create` is set.

        Where the store that belongs here can't be written, a copy of it is made in a place that can. Without such a
        place, without room, or where nothing may be made, it is opened for reading.

        Raises:
            NotIndexed: If there is no store and none may be made.
            StoreReadOnly: If there is no store and none can be made.
        """
        try:
            return self._open(create=create)
        except StoreReadOnly as err:
            hint = f"change its rights, or move your data folder with `{user.HOME_VARIABLE}`"
            raise StoreReadOnly(err.message, hint=hint) from err

    def _open(self, *, create: bool) -> Engine:
        place = self.place
        store, exists = place.folder, store_paths.store_exists(place.folder)
        if not exists and place.shared is not None and _is_readable(place.shared):
            if self.read_only or not create or not self._copied(place.shared, store):
                return Engine(self._options(place.shared, read_only=True))
            exists = store_paths.store_exists(store)
        if not exists and (self.read_only or not create):
            hint = f"run `codecairn index`; {place.ignored}" if place.ignored else None
            raise NotIndexed(f"`{self.root}` has no index yet", hint=hint)
        if self.read_only:
            return Engine(self._options(store, read_only=True))
        try:
            prepare_store(store)
            if place.shared is not None:
                from codecairn.indexing.store_copies import remember_owner

                remember_owner(store, self.root)
            elif store == store_paths.global_store(user.data_folder(), self.root):
                self._remember_root(store)
            return Engine(self._options(store, read_only=False))
        except StoreReadOnly:
            if not exists:
                raise
            return Engine(self._options(store, read_only=True))

    def _remember_root(self, store: Path) -> None:
        """Record the workspace of a store in the data folder, by which its name leads to its path."""
        if (store / store_paths.OWNER_FILE).is_file():
            return
        from codecairn.indexing.store_copies import remember_owner

        with suppress(OSError):
            remember_owner(store, self.root)

    def _copied(self, shared: Path, store: Path) -> bool:
        """Make a store that begins as a copy of the shared one.

        Says whether there is room for it; a shared store that can't be copied for another reason is done without.
        """
        from codecairn.indexing.store_copies import remember_owner

        logbook = Logbook(store, level=self.settings.log_level)
        try:
            prepare_store(store)
            remember_owner(store, self.root)
            with logbook.timed("store", "copy the shared store"):
                copy_store(shared, store)
        except DiskFull:
            return False
        except (StoreError, FileAccessError, NotIndexed):
            pass  # as the log tells
        return True

    def _own_folder(self) -> tuple[str, ...]:
        """The pattern of the user's data folder, where it lies in the workspace: a home folder, say."""
        data = user.data_folder()
        if not data.is_relative_to(self.root):
            return ()
        return (f"/{data.relative_to(self.root).as_posix()}/",)

    def _options(self, store: Path, *, read_only: bool) -> EngineOptions:
        plan = self.choice.plan
        return EngineOptions(
            root=self.root,
            store=store,
            embedder=self.settings.embedder,
            include=self.settings.include,
            exclude=(*self.settings.exclude, *self._own_folder()),
            read_only=read_only,
            writer=self.writer,
            user_ignore=git_excludes(),
            outside=None if plan is None else (plan.space, plan.dimensions),
            scip=self.settings.graph_scip,
            vector_method=self.settings.search_vector_method,
        )


def _is_readable(store: Path) -> bool:
    try:
        return store_paths.store_exists(store)
    except StoreReadOnly:
        return False
