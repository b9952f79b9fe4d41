"""The knowledge bases of a workspace: add, remove, index and search them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codecairn.config import layers
from codecairn.config.settings import SETTINGS, Settings
from codecairn.core.closeable import Closeable
from codecairn.core.engine import ProgressCallback, main_worktree
from codecairn.core.light_dataclass import dataclass
from codecairn.core.requests import HitRequest
from codecairn.errors import BadWorkspace, Cancelled, CodecairnError, NotIndexed, UsageError
from codecairn.indexing.store_location import locate_store
from codecairn.paths import root as root_paths
from codecairn.paths import user
from codecairn.paths.store import global_store, store_exists
from codecairn.workspace.knowledge.registry import (
    ALL,
    IN_SETTINGS,
    IN_WORKSPACE,
    WORKSPACE,
    Registry,
)
from codecairn.workspace.knowledge.roots import Root, Roots, prefix_of

if TYPE_CHECKING:
    from codecairn.core.types.indexing import IndexReport
    from codecairn.core.types.provenance import BaseState, KnowledgeBase
    from codecairn.workspace.workspace import Workspace

OpenBase = Callable[[Path, Mapping[str, object]], "Workspace"]
"""Opens a folder with settings by key that override its files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeIndexed:
    """What indexing did to a knowledge base."""

    name: str
    path: str
    report: "IndexReport"


class Knowledge(Roots, Closeable):
    """The knowledge bases of one workspace. Each is a workspace of its own, with a store of its own.

        workspace.knowledge.add("~/docs/handbook")
        for hit in workspace.knowledge.search("how are refunds paid"):
            print(hit.base, hit.path, hit.start_line)

    `Workspace.search` searches the workspace alone; the methods here search its bases, too. Thread-safe.
    """

    def __init__(
        self, workspace: "Workspace", *, open_base: OpenBase, is_walked: Callable[[str], bool]
    ) -> None:
        self._workspace = workspace
        self._registry = Registry(workspace.root, named=workspace.settings.knowledge_bases)
        self._open_base = open_base
        self._is_walked = is_walked
        self._opened: dict[str, Workspace] = {}

    def close(self) -> None:
        """Let go of the bases' stores; the next call opens them again."""
        while self._opened:
            self._opened.popitem()[1].close()

    def bases(self) -> "tuple[KnowledgeBase, ...]":
        """The bases, in the order in which they were added.

        Raises:
            FileAccessError: If their list can't be read.
        """
        return self._registry.all()

    def add(self, path: str, *, name: str | None = None, dry_run: bool = False) -> "KnowledgeBase":
        """Search this folder with the workspace from now on; a relative `path` is seen from the workspace's root.

        Nothing is written into the folder: its store lies in the user's data folder, unless it has one of its own. With
        `dry_run` it is only looked whether that could be done.

        Raises:
            BadWorkspace: If it is no folder, or one that should not be read.
            UsageError: If it overlaps the workspace or another base, or the name is taken.
            FileAccessError: If the list of bases can't be written.
        """
        from codecairn.workspace.knowledge.folder_checks import checked_folder, checked_name

        bases = self.bases()
        root = self._workspace.root
        folder = checked_folder(path, root=root, bases=bases, is_walked=self._is_walked)
        from codecairn.core.types.provenance import KnowledgeBase

        base = KnowledgeBase(
            name=checked_name(name, folder=folder, bases=bases),
            path=str(folder),
            source=IN_WORKSPACE,
        )
        if not dry_run:
            self._registry.add(base)
        return base

    def remove(self, named: str, *, purge: bool = False) -> "KnowledgeBase":
        """Search a base, given by name or folder, no more. Its store stays unless `purge`; the folder always does.

        Raises:
            UsageError: If there is none, or the settings name it.
        """
        base = self._find(named)
        if base.source == IN_SETTINGS:
            raise UsageError(
                f"`{base.name}` is named by the settings",
                hint="take it out of `knowledge.bases`: `codecairn config list` says where that is",
            )
        self._registry.remove(base)
        opened = self._opened.pop(base.path, None)
        if opened is not None:
            opened.close()
        store = global_store(user.data_folder(), Path(base.path))
        if purge and store.is_dir():
            import shutil

            shutil.rmtree(store, ignore_errors=True)
        return base

    def workspace_of(self, name: str) -> "Workspace":
        """The workspace on a base.

        Raises:
            UsageError: If there is no base of this name.
            BadWorkspace: If its folder is gone.
        """
        return self._open(self._find(name))

    def index(
        self,
        *,
        force: bool = False,
        wait: bool | None = None,
        progress: ProgressCallback | None = None,
    ) -> tuple[tuple[KnowledgeIndexed, ...], tuple[str, ...]]:
        """Bring the indexes of all bases up to date; returns notes on those that fail, too."""
        roots, notes = self.chosen([ALL])
        done = []
        for root in roots[1:]:
            try:
                report = root.workspace.index(force=force, wait=wait, progress=progress)
            except Cancelled:
                raise
            except CodecairnError as err:
                notes.append(f"`{root.name}` was not indexed: {err.message}")
            else:
                path = str(root.workspace.root)
                done.append(KnowledgeIndexed(name=root.name, path=path, report=report))
        return tuple(done), tuple(notes)

    def states(self) -> "tuple[BaseState, ...]":
        """The state of each base, with its error if it has one."""
        return tuple(map(self._state, self.bases()))

    @property
    def first(self) -> "Workspace":
        """The workspace itself."""
        return self._workspace

    def chosen(
        self, scopes: Sequence[str], _request: HitRequest | None = None
    ) -> tuple[list[Root], list[str]]:
        """The workspace and its bases, or those of them that are named.

        Raises:
            UsageError: If there is no base of a name.
        """
        usual = ALL if self._workspace.settings.knowledge_search else WORKSPACE
        names = list(dict.fromkeys(scopes)) or [usual]
        roots: list[Root] = []
        if WORKSPACE in names or ALL in names:
            roots.append(Root(name="", workspace=self._workspace, prefix=""))
        if names == [WORKSPACE]:
            return roots, []
        bases = self.bases()
        if ALL not in names:
            bases = tuple(self._find(name) for name in names if name != WORKSPACE)
        notes: list[str] = []
        for base in bases:
            try:
                opened = self._open(base)
            except CodecairnError as err:
                if len(names) == 1 and ALL not in names:
                    raise
                notes.append(f"`{base.name}` is left out: {err.message}")
                continue
            prefix = prefix_of(opened.root, root=self._workspace.root)
            roots.append(Root(name=base.name, workspace=opened, prefix=prefix))
        if not roots:
            raise UsageError("none of the bases named can be searched", hint="; ".join(notes))
        return roots, notes

    def _find(self, named: str) -> "KnowledgeBase":
        bases = self.bases()
        for base in bases:
            if base.name == named:
                return base
        folder = str((self._workspace.root / user.expanded(Path(named))).resolve())
        for base in bases:
            if base.path == folder:
                return base
        known = ", ".join(base.name for base in bases)
        hint = f"there are: {known}" if known else "`codecairn knowledge add PATH` adds one"
        raise UsageError(f"there is no knowledge base `{named:.200}`", hint=hint)

    def _open(self, base: "KnowledgeBase") -> "Workspace":
        opened = self._opened.get(base.path)
        if opened is not None and opened.root.is_dir():
            return opened
        try:
            folder = root_paths.resolve_folder(base.path)
        except BadWorkspace as err:
            hint = f"`codecairn knowledge remove {base.name}` takes it out"
            raise BadWorkspace(err.message, hint=hint) from err
        arguments = _inherited(self._workspace.settings)
        if not _has_own_store(folder, layers.load(folder, arguments=arguments).settings):
            arguments["scope"] = "global"
        # Of two threads that come here at once, both take what the first has put down.
        return self._opened.setdefault(base.path, self._open_base(folder, arguments))

    def _state(self, base: "KnowledgeBase") -> "BaseState":
        from codecairn.core.types.provenance import BaseState

        plain = BaseState(name=base.name, path=base.path, source=base.source, store="")
        try:
            opened = self._open(base)
            plain = replace(plain, store=str(opened.store))
            status = opened.status()
        except NotIndexed:
            return replace(plain, problem="not indexed yet")
        except CodecairnError as err:
            return replace(plain, problem=err.message)
        return replace(
            plain,
            files=status.files,
            chunks=status.chunks,
            indexed_at_ns=status.indexed_at_ns,
            problem="" if status.indexed_at_ns else "not indexed yet",
        )


def _inherited(settings: Settings) -> dict[str, object]:
    """The settings of the workspace that also hold for a base, whatever the base's own file sets: the caller decides."""
    names = ("search.refresh", "search.refresh_budget_ms", "search.blame", "ranking", "fusion")
    return {name: getattr(settings, SETTINGS[name].field) for name in names}


def _has_own_store(folder: Path, settings: Settings) -> bool:
    """Whether the folder is a workspace already: its store is used, so that nothing is indexed twice."""
    place = locate_store(
        folder,
        scope=settings.scope,
        main_worktree=main_worktree(folder),
        data_folder=user.data_folder(),
    )
    try:
        return store_exists(place.folder) or (
            place.shared is not None and store_exists(place.shared)
        )
    except CodecairnError:
        return False
