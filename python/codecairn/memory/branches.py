"""Whether what was said on a branch holds where we are: on this branch, merged into it, or not yet."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TIMEOUT_S = 5
_CONFIGURATION = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false")


def branch_states(
    root: Path, places: Sequence[tuple[str, str]], *, head: tuple[str, str]
) -> dict[tuple[str, str], str]:
    """How each (branch, commit) stands to `head`, which is one too.

    "" says that nothing is known of it, "here" that it is the same branch, "merged" that its commit lies in our
    history, "gone" that it does not, but that its branch exists no more: it may have been squashed or rebased.
    "unmerged" is a branch that lives beside ours. git is asked at most twice, whatever their number; where it can't
    answer, nothing is known.
    """
    states = {place: _without_git(place, head) for place in places}
    open_ = [place for place, state in states.items() if state is None]
    found: Mapping[tuple[str, str], str] = {}
    if open_:
        missing = _missing_from(root, sorted({commit for _, commit in open_}), head[1])
        if missing is not None:
            alive = _branches(root)
            found = {
                place: _told(place[0] in alive, is_missing=place[1] in missing) for place in open_
            }
    return {
        place: found.get(place, "") if state is None else state for place, state in states.items()
    }


def _told(is_alive: bool, *, is_missing: bool) -> str:  # noqa: FBT001 - read as a claim
    if not is_missing:
        return "merged"
    return "unmerged" if is_alive else "gone"


def _without_git(place: tuple[str, str], head: tuple[str, str]) -> str | None:
    branch, commit = place
    if not branch or not _COMMIT.fullmatch(commit) or not _COMMIT.fullmatch(head[1]):
        return ""
    if branch == head[0] or commit == head[1]:
        return "here"
    return None


def _missing_from(root: Path, commits: Sequence[str], head: str) -> set[str] | None:
    """Those of the commits that are not in the history of `head`; unknown ones count as missing."""
    known = _git(
        root, "cat-file", "--batch-check=%(objectname) %(objecttype)", text="\n".join(commits)
    )
    if known is None:
        return None
    there = [line.split()[0] for line in known.splitlines() if line.endswith(" commit")]
    listed = _git(root, "rev-list", "--no-walk=unsorted", *there, f"^{head}") if there else ""
    return None if listed is None else {*listed.split(), *(set(commits) - set(there))}


def _branches(root: Path) -> set[str]:
    listed = _git(root, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes") or ""
    names = set()
    for line in listed.splitlines():
        if line.startswith("refs/heads/"):
            names.add(line.removeprefix("refs/heads/"))
        else:
            names.add(line.removeprefix("refs/remotes/").partition("/")[2])
    return names


def _git(root: Path, *arguments: str, text: str = "") -> str | None:
    """What git prints; `None` if it fails, or is not there."""
    environment = os.environ | {
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
    }
    try:
        done = subprocess.run(
            ["git", "--no-pager", *_CONFIGURATION, *arguments],
            cwd=root,
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
