"""Indexes a branch that is not checked out from git's objects, without touching the working tree.

Content that it shares with the current branch is taken from there, so only the difference is read, parsed and embedded.
"""

from collections.abc import Sequence
from pathlib import Path

from codecairn.core.engine import Engine, git_head
from codecairn.core.git import start
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import HistoryUnavailable

MAX_BYTES = 256 << 20
"""Contents that differ by more than this in all are not taken in: then the branch has to be checked out."""
_LARGEST_FILE = 64 << 20
_FILES = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file of a commit: git's name of its content, and how many bytes that has."""

    content: str
    size: int


def index_commit(engine: Engine, root: Path, commit: str) -> str:
    """Index a commit, unless it is; the name of its catalog, or nothing if it differs by too much.

    It is named as if it were checked out without a branch, so that no worktree's catalog is changed.

    Raises:
        HistoryUnavailable: If git fails.
        IndexLocked: If another process is writing.
        StoreReadOnly: If the store can't be written.
    """
    branch = f"@{commit}"
    if engine.indexed_head(branch) == commit:
        return branch
    base, head = git_head(root)
    with (
        start(root, "ls-tree", "-r", "-l", "-z", commit) as tree,
        start(root, *_differing(head, commit)) as differing,
        start(root, *_differing(head)) as dirty,
    ):
        entries = _entries(tree.output())
        changed = {*_names(differing.output()), *_names(dirty.output())}
    indexed = set(engine.paths())
    wanted = [
        path
        for path in sorted(changed & entries.keys())
        if entries[path].size < _LARGEST_FILE and engine.is_walked(path, is_dir=False)
    ]
    if sum(entries[path].size for path in wanted) > MAX_BYTES:
        return ""
    contents = _contents(root, [entries[path].content for path in wanted])
    engine.index_tree(
        branch,
        commit,
        base=base,
        files=list(zip(wanted, contents, strict=True)),
        removed=sorted(indexed - entries.keys()),
    )
    return branch


def _differing(*commits: str) -> tuple[str, ...]:
    return ("diff", "--name-only", "-z", "--no-renames", "--relative", *commits, "--")


def _names(output: bytes) -> set[str]:
    return {name.decode("utf-8", "replace") for name in output.split(b"\0") if name}


def _entries(output: bytes) -> dict[str, _Entry]:
    """The files that `ls-tree` lists, by path; links and submodules are none."""
    found = {}
    for line in output.split(b"\0"):
        told, _, name = line.partition(b"\t")
        fields = told.decode("ascii", "replace").split()
        if len(fields) == 4 and fields[0] in _FILES:
            path = name.decode("utf-8", "replace")
            found[path] = _Entry(content=fields[2], size=int(fields[3]))
    return found


def _contents(root: Path, names: Sequence[str]) -> list[bytes]:
    """Contents by git's names of them, in their order."""
    if not names:
        return []
    with start(root, "cat-file", "--batch", is_fed=True) as running:
        output = running.output(given="".join(f"{name}\n" for name in names).encode())
    found, at = [], 0
    for name in names:
        end = output.find(b"\n", at)
        fields = output[at:end].split()
        if end < 0 or len(fields) != 3:
            raise HistoryUnavailable(f"git has no content `{name}` of `{root}`")
        size = int(fields[2])
        found.append(output[end + 1 : end + 1 + size])
        at = end + 2 + size
    return found
