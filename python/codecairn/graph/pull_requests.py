"""Reads pull requests with GitHub's `gh`.

Invariants: `gh` is run by its absolute path, without a shell, in a neutral working directory, where neither it nor the git that
it starts finds settings of the workspace. Its arguments are a number and the repository's name on GitHub, which is derived from
the remote's address and validated. A token for a private server is sent only to the server that `GH_HOST` names.
"""

import json
import os
import re
from contextlib import closing
from pathlib import Path

from codecairn.core.git import git, text
from codecairn.core.process_group import ProcessGroup
from codecairn.core.programs import environment, find_program
from codecairn.errors import PullRequestUnavailable
from codecairn.graph.changes import (
    Change,
    Prepare,
    brought,
    by_ref,
    laid_on_index,
    merge_base,
)
from codecairn.graph.unified_diff import parse_diff

_TIMEOUT_S = 60
_USERS_OWN = (
    "ALL_PROXY", "DBUS_SESSION_BUS_ADDRESS", "GH_CONFIG_DIR", "GH_HOST", "GH_TOKEN", "GITHUB_TOKEN", "HTTPS_PROXY", "HTTP_PROXY",
    "NO_PROXY", "SSL_CERT_DIR", "SSL_CERT_FILE", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
)  # fmt: skip
_SERVER_TOKENS = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")

_REMOTES = ("upstream", "github", "origin")
"""The order in which `gh` prefers remotes."""

_PART = r"[A-Za-z0-9_.][A-Za-z0-9_.-]*"
_HOST = r"[A-Za-z0-9][A-Za-z0-9.-]*"
_ADDRESS = re.compile(
    rf"(?:(?:https?|ssh|git)://(?:[^/@\s]*@)?(?P<host>{_HOST})(?::\d+)?/|(?:[^/@:\s]+@)?(?P<scp>{_HOST}):)"
    rf"/?(?P<owner>{_PART})/(?P<name>{_PART}?)(?:\.git)?/?"
)
_NAME = re.compile(rf"(?:{_HOST}/)?{_PART}/{_PART}")
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
            has_new_files=change.has_new_files,
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


def repository_name(root: Path) -> str:
    """The repository as `gh` names it, `HOST/OWNER/NAME`: from `GH_REPO`, or from the address of its remote.

    Raises:
        PullRequestUnavailable: If no remote has an address of this form.
    """
    named = os.environ.get("GH_REPO", "")
    if _NAME.fullmatch(named):
        return named
    remotes = text(git(root, "remote", may_fail=True)).split("\n")
    for remote in (*(each for each in _REMOTES if each in remotes), *remotes):
        address = text(git(root, "remote", "get-url", "--", remote, may_fail=True))
        found = name_of_address(address)
        if found:
            return found
    raise PullRequestUnavailable(
        f"no remote of `{root}` is a repository on GitHub",
        hint="set GH_REPO to HOST/OWNER/NAME, or fetch the branch: `codecairn impact BRANCH`",
    )


def name_of_address(address: str) -> str:
    """`HOST/OWNER/NAME` of a remote's address; empty if it is of no such form."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return ""
    host = (found["host"] or found["scp"]).lower()
    return f"{host}/{found['owner']}/{found['name']}"


def _gh(root: Path, *arguments: str) -> str:
    import subprocess

    program = find_program("gh", workspace=root)
    if program is None:
        raise PullRequestUnavailable("the `gh` command was not found")
    repository = repository_name(root)
    is_users_server = repository.startswith(f"{os.environ.get('GH_HOST', '')}/")
    more = (*_USERS_OWN, *(_SERVER_TOKENS if is_users_server else ()))
    variables = environment(root, *more) | {"GH_PROMPT_DISABLED": "1"}
    try:
        with closing(
            ProcessGroup([program, *arguments, "--repo", repository], env=variables)
        ) as group:
            out, complaints = group.process.communicate(timeout=_TIMEOUT_S)
    except (OSError, ValueError, subprocess.TimeoutExpired) as err:
        raise PullRequestUnavailable(f"`gh` does not answer: {err}") from err
    if group.process.returncode != 0:
        complaint = complaints.decode("utf-8", "replace").strip().partition("\n")[0]
        raise PullRequestUnavailable(f"`gh` can't tell of the pull request: {complaint}")
    return out.decode("utf-8", "replace")


def _json(output: str, number: int) -> dict[str, object]:
    try:
        told = json.loads(output)
    except ValueError as err:
        raise PullRequestUnavailable(
            f"`gh` tells nothing that can be read of pull request {number}"
        ) from err
    return told if isinstance(told, dict) else {}
