"""Whether a memory of a branch applies here: it is the current branch, merged into it, or not merged yet."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from codecairn.core.engine import git_folders
from codecairn.core.git import start
from codecairn.errors import HistoryUnavailable
from codecairn.paths.workspace_files import open_regular

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TIMEOUT_S = 5
_MAX_KEPT = 4096
_MAX_REFS = 4_000_000
"""Lines of `packed-refs` that are read."""

_MAX_REF_BYTES = 4096
"""Bytes of a line of it that are read at once; git's own limit of a ref's name is shorter."""

_MISSING: dict[tuple[str, str, str], bool] = {}
"""Whether a commit is missing from the history of another, by root, commit and head: it never changes."""


def branch_states(
    root: Path, places: Sequence[tuple[str, str]], *, head: tuple[str, str]
) -> dict[tuple[str, str], str]:
    """The relation of each (branch, commit) to `head`, which is one too.

    "" says that nothing is known of it, "here" that it is the same branch, "merged" that its commit lies in our
    history, "gone" that it does not, but that its branch exists no more: it may have been squashed or rebased.
    "unmerged" is a branch that exists and is not merged. git runs twice, whatever their number, and once for each commit
    and head; where it can't answer, nothing is known.
    """
    states = {place: _without_git(place, head) for place in places}
    open_ = [place for place, state in states.items() if state is None]
    if open_:
        missing = _missing_from(root, sorted({commit for _, commit in open_}), head[1])
        for place in open_:
            states[place] = (
                "" if missing is None else _told(root, place[0], is_missing=place[1] in missing)
            )
    return {place: state or "" for place, state in states.items()}


def _told(root: Path, branch: str, *, is_missing: bool) -> str:
    if not is_missing:
        return "merged"
    return "unmerged" if _is_alive(root, branch) else "gone"


def _without_git(place: tuple[str, str], head: tuple[str, str]) -> str | None:
    branch, commit = place
    if not branch or not _COMMIT.fullmatch(commit) or not _COMMIT.fullmatch(head[1]):
        return ""
    if branch == head[0] or commit == head[1]:
        return "here"
    return None


def _missing_from(root: Path, commits: Sequence[str], head: str) -> set[str] | None:
    """Those of the commits that are not in the history of `head`; unknown ones count as missing."""
    asked = [commit for commit in commits if (str(root), commit, head) not in _MISSING]
    if asked:
        listed = _listed(root, asked, head)
        if listed is None:
            return None
        if len(_MISSING) > _MAX_KEPT:
            _MISSING.clear()
        _MISSING.update({(str(root), commit, head): commit in listed for commit in asked})
    return {commit for commit in commits if _MISSING[str(root), commit, head]}


def _listed(root: Path, commits: Sequence[str], head: str) -> set[str] | None:
    known = _git(
        root, "cat-file", "--batch-check=%(objectname) %(objecttype)", text="\n".join(commits)
    )
    if known is None:
        return None
    there = [line.split()[0] for line in known.splitlines() if line.endswith(" commit")]
    listed = _git(root, "rev-list", "--no-walk=unsorted", *there, f"^{head}") if there else ""
    return None if listed is None else {*listed.split(), *(set(commits) - set(there))}


def _is_alive(root: Path, branch: str) -> bool:
    """Whether a branch of this name exists, here or at a remote that was fetched from."""
    folders = git_folders(root)
    if folders is None:
        return False
    refs = folders[1] / "refs"
    if any((place / branch).is_file() for place in (refs / "heads", *refs.glob("remotes/*"))):
        return True
    try:
        with open_regular(folders[1] / "packed-refs") as file:
            lines = iter(partial(file.readline, _MAX_REF_BYTES), b"")
            return any(_names(line, branch) for line in islice(lines, _MAX_REFS))
    except OSError:
        return False


def _names(line: bytes, branch: str) -> bool:
    """Whether a line of `packed-refs` names this branch, here or at a remote."""
    ref = line.decode("utf-8", "replace").rstrip().rpartition(" ")[2]
    kind, _, name = ref.removeprefix("refs/").partition("/")
    if kind == "remotes":
        name = name.partition("/")[2]
    return kind in {"heads", "remotes"} and name == branch


def _git(root: Path, *arguments: str, text: str = "") -> str | None:
    """What git prints; `None` if it fails, or is not there."""
    try:
        with start(root, *arguments, is_fed=True) as running:
            output = running.output(given=text.encode(), timeout_s=_TIMEOUT_S)
    except HistoryUnavailable:
        return None
    return output.decode("utf-8", "replace")
