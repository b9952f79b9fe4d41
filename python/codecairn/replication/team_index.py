"""Shared indexes of a team's repositories: opened as the team's database grants them now, with the heads of branches there."""

from pathlib import Path

from codecairn.core.engine import git_head
from codecairn.errors import RemoteRefused
from codecairn.objects.grant import Grant
from codecairn.replication import grant_folder
from codecairn.replication.deadline import Deadline, run_without_limit
from codecairn.replication.remote_index import RemoteIndex
from codecairn.team.index_access import MemberRefStore, index_grant, member_of, renewed_grant
from codecairn.team.membership import Membership
from codecairn.team.project import project_of


def opened_index(grant: Grant, *, deadline: Deadline | None = None) -> RemoteIndex:
    """The shared index of a grant. Of a team's repository the grant is looked up again, and forgotten if it was revoked.

    Raises:
        RemoteRefused: If it was revoked.
        RemoteUnavailable: If the team's database does not answer, or not before the deadline.
    """
    member = member_of(grant.repository)
    if member is None:
        return RemoteIndex(grant, deadline=deadline)
    run = run_without_limit if deadline is None else deadline.run
    try:
        newer = run(lambda: renewed_grant(grant))
    except RemoteRefused:
        grant_folder.revoke(grant)
        raise
    if newer != grant:
        grant_folder.save(newer)
    return RemoteIndex(newer, refs=MemberRefStore(member, newer), deadline=deadline)


def attach_index(root: Path, membership: Membership) -> Grant | None:
    """Let the workspace at `root` use the shared index of its repository in a team; `None` if the team has none of it.

    Raises:
        FileAccessError: If the data folder can't be written.
    """
    project = project_of(root)
    found = [each for each in membership.repositories.values() if each.project == project]
    if not project or not found or found[0].key is None:
        return None
    here = git_head(root)[0]
    branch = "" if here.startswith("@") else here
    held = {each.repository: each for each in grant_folder.grants()}.get(found[0].id)
    grant = index_grant(membership, found[0], branch=branch if held is None else held.branch)
    grant_folder.save(grant)
    grant_folder.attach(root, grant)
    return grant
