"""The projects that the page shows: those that this user has indexed or trusts, and the one that the server was started in."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from codecairn.clock import Clock
from codecairn.errors import CodecairnError, UsageError
from codecairn.indexing.known_workspaces import known_roots
from codecairn.paths.root import STORE_NAME
from codecairn.trust.registry import trusted_roots
from codecairn.workspace.workspace import Workspace

MAX_OPEN = 64
"""Workspaces that are open at once; the least recently used one is closed for a further one."""

_KEY_CHARS = 12
_LISTED_S = 2.0


@dataclass(frozen=True, slots=True)
class Project:
    """A project of this user.

    Attributes:
        key: What it is called in addresses.
        name: The name of its folder.
        root: Its folder.
    """

    key: str
    name: str
    root: Path


class Projects:
    """The projects, and their workspaces, which stay open. Thread-safe.

    Nothing in a repository can add itself, and an address names no folder: only keys of known projects are served.
    """

    def __init__(self, *, here: Path | None, is_read_only: bool, clock: Clock) -> None:
        self._here = here
        self._clock = clock
        self._listed: tuple[float, tuple[Project, ...]] = (0.0, ())
        self._is_read_only = is_read_only
        self._open: OrderedDict[str, Workspace] = OrderedDict()
        self._lock = threading.Lock()

    def all(self) -> tuple[Project, ...]:
        """All projects by name; the one that the server was started in comes first. The list is 2 s old at most."""
        now_s = self._clock.monotonic_s()
        with self._lock:
            listed_s, listed = self._listed
            if listed and now_s - listed_s < _LISTED_S:
                return listed
        found = self._all()
        with self._lock:
            self._listed = (now_s, found)
        return found

    def _all(self) -> tuple[Project, ...]:
        roots = {*known_roots(), *self._trusted()}
        others = sorted(roots - {self._here}, key=lambda root: (root.name.lower(), str(root)))
        first = [self._here] if self._here is not None else []
        return tuple(map(_project, [*first, *others]))

    def find(self, key: str) -> Project:
        """The project of this key.

        Raises:
            UsageError: If there is none.
        """
        for project in self.all():
            if project.key == key:
                return project
        raise UsageError("there is no such project", hint="choose one from the list")

    def workspace(self, project: Project) -> Workspace:
        """The workspace of a project, opened if it is not.

        Raises:
            CodecairnError: If it can't be opened, or its settings are wrong.
        """
        with self._lock:
            found = self._open.get(project.key)
            if found is None:
                found = Workspace.open(
                    project.root, read_only=self._is_read_only, writer="codecairn serve"
                )
                self._open[project.key] = found
            self._open.move_to_end(project.key)
            # A workspace that is closed while it is used opens its store again.
            surplus = [self._open.popitem(last=False)[1] for _ in range(len(self._open) - MAX_OPEN)]
        _close(surplus)
        return found

    def reopen(self, project: Project) -> None:
        """Open a workspace again at its next use, with the settings as they are then."""
        with self._lock:
            found = self._open.pop(project.key, None)
        _close([found] if found is not None else [])

    def close(self) -> None:
        """Close all workspaces."""
        with self._lock:
            opened = list(self._open.values())
            self._open.clear()
        _close(opened)

    def _trusted(self) -> set[Path]:
        """The trusted workspaces that have a store; one that was only trusted has nothing to show."""
        found: set[Path] = set()
        with suppress(CodecairnError):
            found = {root for root in trusted_roots() if (root / STORE_NAME).is_dir()}
        return found


def _project(root: Path) -> Project:
    digest = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()
    return Project(key=digest[:_KEY_CHARS], name=root.name or str(root), root=root)


def _close(workspaces: Sequence[Workspace]) -> None:
    for workspace in workspaces:
        with suppress(CodecairnError):
            workspace.close()
