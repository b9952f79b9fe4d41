"""Recognises the repository of a workspace in a team: by the address that it was cloned from.

A repository that claims another's address gains nothing: what a team shares is shown to its members alone, and only what a person
promotes leaves.
"""

import re
from pathlib import Path
from urllib.parse import urlsplit

from codecairn.core.git import git, text
from codecairn.errors import HistoryUnavailable, UsageError
from codecairn.team.membership import Membership, TeamRepository, memberships

_SCP = re.compile(r"(?:[^@/]+@)?([^:/]+):(?!//)(.+)")
"""`git@host:owner/name`."""


def project_of(root: Path) -> str:
    """What a workspace was cloned from, as `host/owner/name` without credentials; empty if that is not known."""
    try:
        url = text(git(root, "config", "--get", "remote.origin.url", may_fail=True)).strip()
    except HistoryUnavailable:
        return ""
    if "://" in url:
        parts = urlsplit(url)
        url = parts.netloc.rpartition("@")[2] + parts.path
    elif match := _SCP.fullmatch(url):
        url = f"{match[1]}/{match[2]}"
    return url.strip("/").removesuffix(".git") if url.isprintable() else ""


def team_repository(
    root: Path, *, team: str | None, repository: str | None
) -> tuple[Membership, TeamRepository]:
    """The repository of a workspace among those of the user's teams, or the one that is named.

    Raises:
        UsageError: If there is none, or several teams have it and none is named.
        FileAccessError: If the memberships can't be read.
    """
    mine = [each for each in memberships() if team is None or team in {each.team, each.team_id}]
    if not mine:
        raise UsageError(
            "you belong to no team" if team is None else f"you do not belong to the team `{team}`",
            hint="accept an invitation with `codecairn team join FILE`",
        )
    project = project_of(root) if repository is None else ""
    names = {name for name in (repository, project) if name}
    found = [
        (membership, each)
        for membership in mine
        for each in membership.repositories.values()
        if names & {each.name, each.id, each.project}
    ]
    if len(found) == 1:
        return found[0]
    if found:
        teams = ", ".join(f"`{membership.team}`" for membership, _ in found)
        raise UsageError("which team?", hint=f"name one with `--team`: {teams}")
    what = f"there is no repository `{repository}`" if repository else f"`{root}` is no repository"
    raise UsageError(
        f"{what} that you have a grant for in your teams",
        hint="`codecairn team status` lists them; name one with `--repository`",
    )
