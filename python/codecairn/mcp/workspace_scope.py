"""Decides which workspaces a server's calls may name, and which are the default when a call names none.

The default ones are those of the first source that has any: the folders that the server was started with, the host's roots, the host's
environment, and the working directory if it is a project. A call may name all of these, projects inside them, and
workspaces that the user has indexed on this machine: these for reading alone. Every other folder is refused with the same words, whether it exists or not.

Invariant: a home folder, a file system's root, and a huge folder without a project marker are never indexed from here. A model can't
widen what is served: indexes are made only of folders that the user or the host named.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from codecairn.core.closeable import Closeable
from codecairn.errors import BadWorkspace, CodecairnError, UsageError
from codecairn.mcp.client_roots import HostRoots
from codecairn.mcp.host_folders import folders_of_uris
from codecairn.paths.bare_layout import AROUND_BARE, is_bare_layout, worktrees_hint
from codecairn.paths.root import (
    forbidden_reason,
    has_project_marker,
    is_git_folder,
    require_reasonable,
)
from codecairn.paths.user import expanded, home_folder
from codecairn.trust.store_trust import has_store, workspace_root
from codecairn.workspace.workspace import Workspace

MAX_NAMES = 12
"""Workspaces that an error message lists."""

MAX_NAME_CHARS = 4_096

_HOW_TO_START = (
    "ask the user to open a project's folder in the host, or to start the server with one: "
    "`codecairn mcp FOLDER`"
)


class WorkspaceScope(Closeable):
    """The workspaces of one server, opened when they are first used. Thread-safe.

    `open_workspace` opens one by its root. `working_directory` counts only if it is a project.
    """

    def __init__(
        self,
        *,
        given: Sequence[Path] = (),
        roots: HostRoots | None = None,
        environment: Sequence[Path] = (),
        working_directory: Path | None = None,
        open_workspace: Callable[[Path], Workspace] = Workspace.open,
    ) -> None:
        self._given, self._environment = tuple(given), tuple(environment)
        self._host = roots or HostRoots()
        self._working_directory = working_directory
        self._open_workspace = open_workspace
        self._workspaces: dict[Path, Workspace] = {}
        self._usable: dict[Path, Path] = {}
        self._lock = threading.RLock()

    @classmethod
    def of(cls, workspaces: Sequence[Workspace]) -> "WorkspaceScope":
        """The scope of workspaces that are open already."""
        opened = {workspace.root: workspace for workspace in workspaces}
        scope = cls(given=tuple(opened))
        scope._workspaces |= opened
        scope._usable |= {root: root for root in opened}
        return scope

    def close(self) -> None:
        """Let go of the stores of all workspaces."""
        with self._lock, ExitStack() as stack:
            for workspace in self._workspaces.values():
                stack.callback(workspace.close)

    def notify(self, on_change: Callable[[], None]) -> None:
        """Call a function whenever the host has named its roots."""
        self._host.on_change = on_change

    def defaults(self) -> tuple[Workspace, ...]:
        """The workspaces of a call that names none, at least one.

        Raises:
            BadWorkspace: If there is none; the hint says how to name one.
        """
        if not self._usable_roots(self._given):
            self._host.wait()
        found = self.known_defaults()
        if found:
            return found
        raise BadWorkspace(self._why_none(), hint=self._how_to_name())

    def known_defaults(self) -> tuple[Workspace, ...]:
        """As `defaults`, without waiting for the host; empty if there is none yet."""
        with self._lock:
            for roots in self._sources():
                if roots:
                    return tuple(self._opened(root) for root in dict.fromkeys(roots))
        return ()

    def named(self, name: str, *, is_changed: bool) -> Workspace:
        """The workspace at a path, or in the folder of this name.

        Args:
            name: A path, relative to the first default workspace if not absolute, or a folder's name.
            is_changed: Whether the call changes something in it, which is not allowed in one that is merely indexed.

        Raises:
            UsageError: If it may not be named, if several have the name, or if it may not be changed.
        """
        served = self._served_roots()
        root = _one_of(name, served) or self._root_at(name, served) or _one_of(name, _known_roots())
        if root is None:
            raise UsageError(
                f"{name!r:.200} is no workspace of this server", hint=self._how_to_index()
            )
        workspace = self._opened(root)
        if not self.is_served(root):
            _require_open_to_others(workspace, is_changed=is_changed)
        return workspace

    def is_served(self, root: Path) -> bool:
        """Whether the user or the host named this root or a folder around it."""
        return _lies_in(root, self._served_roots())

    def _opened(self, root: Path) -> Workspace:
        with self._lock:
            if root not in self._workspaces:
                self._workspaces[root] = self._open_workspace(root)
            return self._workspaces[root]

    def _sources(self) -> Iterator[list[Path]]:
        """The usable roots of each source, in the order of their precedence."""
        yield self._usable_roots(self._given)
        yield self._usable_roots(folders_of_uris(self._host.uris))
        yield self._usable_roots(self._environment)
        here = self._working_directory
        roots = self._usable_roots([here] if here is not None else [])
        yield [root for root in roots if has_project_marker(root) or has_store(root)]

    def _usable_roots(self, folders: Sequence[Path]) -> list[Path]:
        return [root for root in map(self._usable_root, folders) if root is not None]

    def _usable_root(self, folder: Path) -> Path | None:
        """The root of the workspace that a folder lies in; `None` while it is too broad, which an index changes."""
        known = self._usable.get(folder)
        if known is None:
            known = _usable_root(folder, is_given=folder in self._given)
            if known is not None:
                self._usable[folder] = known
        return known

    def _served_roots(self) -> tuple[Path, ...]:
        """The roots of all sources."""
        self._host.wait()
        with self._lock:
            return tuple(dict.fromkeys(root for roots in self._sources() for root in roots))

    def _root_at(self, name: str, served: Sequence[Path]) -> Path | None:
        """The root of the workspace at a path, if it may be named."""
        if not name or len(name) > MAX_NAME_CHARS:
            return None
        try:
            path = expanded(Path(name))
            folder = (served[0] / path if served else path).resolve()
            if (not path.is_absolute() and not served) or not folder.is_dir():
                return None
            root = workspace_root(folder)
        except (CodecairnError, OSError, RuntimeError, ValueError):
            return None
        within = next((each for each in served if folder.is_relative_to(each)), None)
        if root in served or (within is not None and has_project_marker(root)):
            return root
        is_indexed = has_store(root) and forbidden_reason(root, home=home_folder()) is None
        return root if is_indexed else within

    def _why_none(self) -> str:
        named = (*self._given, *folders_of_uris(self._host.uris), *self._environment)
        if named:
            return f"`{named[0]}` is {_why_too_broad(named[0])}, so it is no workspace"
        here = self._working_directory
        if here is None:
            return "no workspace is open"
        return f"no workspace is open: the server runs in `{here}`, which is {_why_too_broad(here)}"

    def _how_to_name(self) -> str:
        names = _short_names(_known_roots())
        return f"give `workspace`: {names}; or {_HOW_TO_START}" if names else _HOW_TO_START

    def _how_to_index(self) -> str:
        names = _short_names(dict.fromkeys((*self._served_roots(), *_known_roots())))
        known = f"there are: {names}; " if names else ""
        return f"{known}another project must be indexed by the user first: `codecairn index FOLDER`"


def _require_open_to_others(workspace: Workspace, *, is_changed: bool) -> None:
    """Refuse a workspace that is merely indexed if it is to be changed, or not open to other workspaces."""
    if not workspace.settings.mcp_other_workspaces:
        raise UsageError(
            f"`{workspace.root}` is not open to other workspaces",
            hint="the setting `mcp.other_workspaces` keeps it so; ask the user to open it in the host",
        )
    if is_changed:
        raise UsageError(
            f"`{workspace.root}` can be searched from here but not changed",
            hint="ask the user to open it in the host, or to start the server with it",
        )


def _usable_root(folder: Path, *, is_given: bool) -> Path | None:
    with suppress(CodecairnError, OSError, RuntimeError):
        root = workspace_root(folder)
        if is_given and has_store(root):
            return root
        require_reasonable(root, home=home_folder())
        return root
    return None


def _why_too_broad(folder: Path) -> str:
    reason = forbidden_reason(folder, home=home_folder())
    if reason is not None:
        return reason
    if is_git_folder(folder):
        return "the inside of a git repository"
    if is_bare_layout(folder):
        return f"{AROUND_BARE} ({worktrees_hint(folder)})"
    return "a folder without a project marker"


def _one_of(name: str, roots: Sequence[Path]) -> Path | None:
    """The root with this path or, if there is only one, this folder name.

    Raises:
        UsageError: If several have the name.
    """
    found = [root for root in roots if name == str(root)] or [
        root for root in roots if name == root.name
    ]
    if len(found) > 1:
        listed = ", ".join(f"`{root}`" for root in found[:MAX_NAMES])
        raise UsageError(f"several workspaces are called `{name}`", hint=f"give one of {listed}")
    return found[0] if found else None


def _known_roots() -> tuple[Path, ...]:
    from codecairn.indexing.known_workspaces import known_roots

    home = home_folder()
    return tuple(root for root in known_roots() if forbidden_reason(root, home=home) is None)


def _lies_in(root: Path, served: Sequence[Path]) -> bool:
    return any(root == each or root.is_relative_to(each) for each in served)


def _short_names(roots: "Sequence[Path] | dict[Path, None]") -> str:
    """What roots are called, each by its folder's name if no other has it."""
    names = [root.name for root in roots]
    shown = [
        name if names.count(name) == 1 else str(root)
        for root, name in zip(roots, names, strict=True)
    ]
    rest = f", and {len(shown) - MAX_NAMES:,} more" if len(shown) > MAX_NAMES else ""
    return ", ".join(f"`{name}`" for name in shown[:MAX_NAMES]) + rest
