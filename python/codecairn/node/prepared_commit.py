"""One commit that a node answers for: its files, an index of them, and the workspace that searches it.

| in its folder | |
|---|---|
| `tree` | the files, as git checks them out, and a repository that has the mirror's objects |
| `store` | the index |
| `ready` | written last: how the files differed from the commit when they were checked out, for instance by converted line ends |

A folder without `ready` was begun by a process that died. Files are compared with the commit again when a process uses a folder for
the first time, so that what a crash of the machine left half written is made again.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from codecairn.config import layers
from codecairn.core.closeable import Closeable
from codecairn.core.git import git
from codecairn.errors import (
    HistoryUnavailable,
    IndexPartDamaged,
    ObjectMissing,
    RemoteError,
    UsageError,
)
from codecairn.node.folders import folder_bytes, remove_folder, remove_tree
from codecairn.node.mirror import Mirror
from codecairn.objects.grant import Grant
from codecairn.objects.object_cache import ObjectCache
from codecairn.paths.atomic_write import write_atomically
from codecairn.replication import grant_folder
from codecairn.workspace.workspace import Workspace

MAX_BRANCHES = 8
"""Branches that have a commit whose shared indexes are tried."""

_READY = "ready"
_FORMAT = 1


class PreparedCommit(Closeable):
    """A commit that can be searched.

    Attributes:
        commit: Its id.
        folder: Where it lies.
        workspace: Searches it.
        notes: What to know about how its index was made.
        size_bytes: How much it takes on the disk.
        generation: The generation of the mirror in which it was reachable from a branch.
        users: How many requests are being answered from it.
        is_open: Whether its index may be open.
    """

    def __init__(
        self, commit: str, folder: Path, workspace: Workspace, notes: tuple[str, ...]
    ) -> None:
        self.commit = commit
        self.folder = folder
        self.workspace = workspace
        self.notes = notes
        self.size_bytes = folder_bytes(folder)
        self.generation = -1
        self.users = 0
        self.is_open = True

    @property
    def is_there(self) -> bool:
        """Whether its folder was not removed meanwhile; costs one `stat`."""
        return (self.folder / _READY).is_file()

    def close(self) -> None:
        """Let go of the index; the next search opens it again."""
        self.workspace.close()
        self.is_open = False


def prepare(
    commit: str,
    folder: Path,
    *,
    mirror: Mirror,
    branches: list[str],
    grant: Grant,
    cache: ObjectCache,
    max_bytes: int,
    log: Callable[[str], None],
) -> PreparedCommit:
    """A commit in a folder: what is there, or checked out and indexed with the help of the shared index.

    Nothing stays in the folder if it fails.

    Raises:
        HistoryUnavailable: If it can't be checked out.
        Refusal: If it has too many files, or more than `max_bytes`.
        CodecairnError: If it can't be indexed.
    """
    tree = folder / "tree"
    if is_ready(folder):
        return PreparedCommit(commit, folder, _opened(tree, folder / "store"), ())
    remove_folder(folder)
    folder.mkdir(parents=True, mode=0o700)
    try:
        _check_out(commit, tree, mirror, max_bytes, log)
        workspace = _opened(tree, folder / "store")
        try:
            notes = _index(workspace, branches, grant, cache, log)
            document = {"format": _FORMAT, "differences": _differences(tree)}
            write_atomically(folder / _READY, json.dumps(document).encode())
        except BaseException:
            workspace.close()
            raise
    except BaseException:
        remove_folder(folder)
        raise
    return PreparedCommit(commit, folder, workspace, notes)


def is_ready(folder: Path) -> bool:
    """Whether a commit was prepared in a folder, and its files are still those that were checked out."""
    try:
        document = json.loads((folder / _READY).read_bytes())
        is_known = isinstance(document, dict) and document.get("format") == _FORMAT
        return is_known and document.get("differences") == _differences(folder / "tree")
    except (OSError, ValueError, HistoryUnavailable):
        return False


def _check_out(
    commit: str, tree: Path, mirror: Mirror, max_bytes: int, log: Callable[[str], None]
) -> None:
    """Check a commit out, once more if the mirror could be repaired."""
    generation = mirror.generation
    try:
        mirror.check_out(commit, tree, max_bytes=max_bytes)
    except HistoryUnavailable as err:
        if not mirror.repair(commit, generation=generation):
            raise
        log(f"the mirror was made again: {err.message}")
        remove_tree(tree)
        mirror.check_out(commit, tree, max_bytes=max_bytes)


def _opened(tree: Path, store: Path) -> Workspace:
    # A node reads the object store itself, whatever nodes its user asks.
    settings = replace(layers.load(tree).settings, node_urls=())
    return Workspace(tree, settings, store=store, writer="codecairn node")


def _index(
    workspace: Workspace,
    branches: list[str],
    grant: Grant,
    cache: ObjectCache,
    log: Callable[[str], None],
) -> tuple[str, ...]:
    """Index the files, with the shared index of the first branch that has one; returns what to know about it."""
    grant_folder.save(grant)
    try:
        workspace.remote.pull(remote=grant.repository, branch=branches[:MAX_BRANCHES], cache=cache)
    except UsageError:
        workspace.index()  # the branch that is published has other files
    except (RemoteError, IndexPartDamaged) as err:
        workspace.index()
        if not (isinstance(err, ObjectMissing) and err.is_unpublished):
            log(f"the shared index `{grant.name}` is not used: {err.message}")
            return ("the node could not use the shared index, and made this index from the files",)
    return ()


def _differences(tree: Path) -> str:
    """A hash of which files are not as the commit has them."""
    changed = git(tree, "diff", "--name-only", "-z", "--no-renames", "HEAD", "--")
    more = git(tree, "ls-files", "-z", "--others")
    return hashlib.sha256(changed + b"\0\0" + more).hexdigest()
