"""The part of a workspace that is about knowledge bases: further folders that are searched with it."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.clock import Clock
from codecairn.config import layers
from codecairn.config.settings import SETTINGS, Settings
from codecairn.core.closeable import Closeable
from codecairn.core.engine import ProgressCallback
from codecairn.indexing.fork_safe import ForkSafeEngine
from codecairn.indexing.lock_retry import Notify
from codecairn.indexing.store_opening import Opening

if TYPE_CHECKING:
    from codecairn.workspace.knowledge.bases import Knowledge
    from codecairn.workspace.workspace import Workspace


class WithKnowledge(Closeable):
    """What `Workspace` has of knowledge bases; the attributes are the workspace's."""

    root: Path
    settings: Settings
    _opening: Opening
    _held: ForkSafeEngine
    _progress: ProgressCallback | None
    _notify: Notify | None
    _arguments: Mapping[str, object]
    _clock: Clock

    @cached_property
    def knowledge(self) -> "Knowledge":
        """Further folders that are searched with this workspace; `search` there searches all of it."""
        from codecairn.workspace.knowledge.bases import Knowledge

        return Knowledge(self._as_workspace(), open_base=self._beside, is_walked=self._walks)

    def _as_workspace(self) -> "Workspace":
        from codecairn.workspace.workspace import Workspace

        assert isinstance(self, Workspace)
        return self

    def _beside(self, folder: Path, arguments: Mapping[str, object]) -> "Workspace":
        """A workspace on another folder, opened as this one is; somebody named it, so any folder will do."""
        own = {key: value for key, value in self._arguments.items() if SETTINGS[key].is_own}
        own.pop("knowledge.bases", None)
        given = {**own, **arguments}
        return type(self._as_workspace())(
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
        """Whether the index has what lies in a folder below the root."""
        return self._held.opened(create=True).is_walked(path, is_dir=True)
