"""The store that a watch keeps up to date; it is opened again when its settings change."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from codecairn.config import layers
from codecairn.core.engine import ProgressCallback, git_head
from codecairn.core.types.indexing import IndexReport
from codecairn.embedding.choice import choose
from codecairn.errors import ConfigError
from codecairn.indexing.fork_safe import ForkSafeEngine
from codecairn.indexing.lock_retry import LockRetry
from codecairn.indexing.logged_index import index_recorded
from codecairn.indexing.store_opening import Opening


class Target:
    """One workspace as a watch sees it. `arguments` are the settings that its opener gave."""

    def __init__(self, opening: Opening, arguments: Mapping[str, object]) -> None:
        self._opening = opening
        self._arguments = dict(arguments)
        self._held = ForkSafeEngine(opening)
        self._held.opened(create=True)
        self._head = git_head(self.root)

    @property
    def opening(self) -> Opening:
        """How the store is opened under the settings in force."""
        return self._opening

    @property
    def root(self) -> Path:
        """The workspace's root."""
        return self._opening.root

    def folders(self, folder: str) -> list[str]:
        """`folder` (empty for the root) and those below it that are walked under the settings in force."""
        return self._held.last_opened().folders(folder)

    def is_walked(self, path: str, is_dir: bool) -> bool:  # noqa: FBT001 - a callback's signature
        """Whether a change of this entry may matter under the settings in force."""
        return self._held.last_opened().is_walked(path, is_dir=is_dir)

    def close(self) -> None:
        """Let go of the store."""
        self._held.close()

    def reload(self) -> str:
        """Read the settings and the user's ignore rules again; returns the error in them, if any.

        Settings that can't be read leave those before in force.
        """
        try:
            settings = layers.load(self.root, arguments=self._arguments).settings
            choice = choose(settings)
        except ConfigError as err:
            return err.message
        self._opening = dataclasses.replace(self._opening, settings=settings, choice=choice)
        self._held.use(self._opening)
        self._held.opened(create=True)
        return ""

    def has_moved(self) -> bool:
        """Whether another branch or commit is checked out than at the last call."""
        before, self._head = self._head, git_head(self.root)
        return self._head != before

    def index(
        self, paths: Sequence[str] | None, *, lock_retry: LockRetry, progress: ProgressCallback
    ) -> IndexReport:
        """Bring the index up to date, of `paths` alone if given, once the write lock is free."""
        return self._held.run(
            lambda engine: index_recorded(
                engine,
                self._opening,
                category="watch",
                lock_retry=lock_retry,
                progress=progress,
                paths=paths,
            ),
            create=True,
        )
