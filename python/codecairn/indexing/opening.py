"""Opening a workspace's store: where it is, whether it may be made, and what to do if it can't be written."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.config.settings import Settings
from codecairn.engine import Engine, git_excludes, main_worktree
from codecairn.errors import NotIndexed, StoreReadOnly
from codecairn.paths import store as store_paths
from codecairn.paths import user
from codecairn.requests import EngineOptions

if TYPE_CHECKING:
    from codecairn.embedding.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How one workspace's store is opened.

    `writer` names this process to others that find the store locked; `given_store` puts it somewhere of the caller's
    choice; `plan` is whose vectors are made outside.
    """

    root: Path
    settings: Settings
    read_only: bool
    writer: str
    given_store: Path | None = None
    plan: "Plan | None" = None

    @property
    def store(self) -> Path:
        """The folder of the store; it need not exist."""
        return self.given_store or store_paths.store_folder(
            self.root,
            scope=self.settings.scope,
            main_worktree=main_worktree(self.root),
            data_folder=user.data_folder(),
        )

    def open(self, *, create: bool) -> Engine:
        """The engine on the store, which is made if it does not exist and `create` is set.

        A store that exists but can't be written is opened for reading.

        Raises:
            NotIndexed: If there is no store and none may be made.
            StoreReadOnly: If there is no store and none can be made.
        """
        try:
            return self._open(create=create)
        except StoreReadOnly as err:
            if self.settings.scope != "global":
                raise
            hint = f"change its rights, or move your data folder with `{user.HOME_VARIABLE}`"
            raise StoreReadOnly(err.message, hint=hint) from err

    def _open(self, *, create: bool) -> Engine:
        store = self.store
        exists = store_paths.store_exists(store)
        if not exists and (self.read_only or not create):
            raise NotIndexed(f"`{self.root}` has no index yet")
        if self.read_only:
            return Engine(self._options(store, read_only=True))
        try:
            store_paths.prepare_store(store)
            return Engine(self._options(store, read_only=False))
        except StoreReadOnly:
            if not exists:
                raise
            return Engine(self._options(store, read_only=True))

    def _options(self, store: Path, *, read_only: bool) -> EngineOptions:
        return EngineOptions(
            root=self.root,
            store=store,
            embedder=self.settings.embedder,
            include=self.settings.include,
            exclude=self.settings.exclude,
            read_only=read_only,
            writer=self.writer,
            user_ignore=git_excludes(),
            outside=None if self.plan is None else (self.plan.space, self.plan.dimensions),
        )
