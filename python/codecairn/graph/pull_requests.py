"""Pull requests, read with GitHub's `gh`.

Invariant: `gh` is run without a shell, and with a number only.
"""

import json
import subprocess
from pathlib import Path

from codecairn.errors import PullRequestUnavailable
from codecairn.git import git
from codecairn.graph.changes import (
    Change,
    Prepare,
    brought,
    by_ref,
    laid_on_index,
    merge_base,
)
from codecairn.graph.diffs import parse_diff

_TIMEOUT_S = 60
_FIELDS = "number,title,headRefName,baseRefName,headRefOid,baseRefOid"


def by_pull_request(root: Path, number: int, *, branch: str, head: str, prepare: Prepare) -> Change:
    """What a pull request brings. Its commits need not be here: then its diff is asked for.

    Raises:
        PullRequestUnavailable: If `gh` is missing or fails.
    """
    told = _json(_gh(root, "pr", "view", str(number), "--json", _FIELDS), number)
    tip, base = str(told.get("headRefOid", "")), str(told.get("baseRefOid", ""))
    subject = f"pull request #{number} ({told.get('headRefName', '')}: {told.get('title', '')})"
    if tip and tip == head:
        change = by_ref(root, head, branch=branch, prepare=prepare)
        return Change(
            subject=subject,
            compared=change.compared,
            index=change.index,
            touched=change.touched,
        )
    if _is_here(root, tip) and _is_here(root, base):
        parted = merge_base(root, base, tip)
        return brought(root, parted, tip, subject=subject, branch=branch, prepare=prepare)
    files = parse_diff(_gh(root, "pr", "diff", str(number)))
    start = base if _is_here(root, base) else head
    return Change(
        subject=subject,
        compared="compared: the pull request's base with its last commit, as GitHub tells",
        index=f"index: branch {branch}, as its files are now; the changes are laid on that, "
        "so lines may be off where the two differ",
        touched=laid_on_index(root, files, base=start),
    )


def _is_here(root: Path, commit: str) -> bool:
    is_id = len(commit) in (40, 64) and commit.isalnum()
    return is_id and bool(
        git(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}", may_fail=True)
    )


def _gh(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["gh", *arguments],
            cwd=root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as err:
        raise PullRequestUnavailable("the `gh` command was not found") from err
    except (OSError, subprocess.TimeoutExpired) as err:
        raise PullRequestUnavailable(f"`gh` does not answer: {err}") from err
    if done.returncode != 0:
        complaint = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise PullRequestUnavailable(f"`gh` can't tell of the pull request: {complaint}")
    return done.stdout.decode("utf-8", "replace")


def _json(output: str, number: int) -> dict[str, object]:
    try:
        told = json.loads(output)
    except ValueError as err:
        raise PullRequestUnavailable(
            f"`gh` tells nothing that can be read of pull request {number}"
        ) from err
    return told if isinstance(told, dict) else {}
