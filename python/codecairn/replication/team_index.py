"""Shared indexes of a team's repositories: opened as the team's database grants them now, with the heads of branches there."""

from collections.abc import Sequence
from pathlib import Path

from codecairn.core.engine import git_head
from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteRefused, RemoteUntrusted
from codecairn.objects.grant import Grant
from codecairn.objects.object_store import ObjectStore
from codecairn.replication import grant_folder
from codecairn.replication.deadline import Deadline, run_without_limit
from codecairn.replication.remote_index import RemoteIndex
from codecairn.team.index_access import MemberRefStore, index_grant, member_of
from codecairn.team.membership import Membership
from codecairn.team.project import project_of


@dataclass(frozen=True, slots=True)
class Nodes:
    """The search nodes of a team that a user has named.

    Attributes:
        urls: Their addresses.
        ca_file: A file of certificates to check theirs against; empty for those of the system.
    """

    urls: Sequence[str] = ()
    ca_file: str = ""


NO_NODES = Nodes()


def opened_index(
    grant: Grant,
    *,
    deadline: Deadline | None = None,
    use: str | None = None,
    cache: ObjectStore | None = None,
    nodes: Nodes = NO_NODES,
) -> RemoteIndex:
    """The shared index of a grant. Of a team's repository the grant is looked up again, and forgotten if it was revoked.

    There, a `use` is counted: "pull", and objects are read through `nodes`, if there are any. They are kept in `cache`, if one is
    given.

    Raises:
        UsageError: If a node's address or its certificates can't be used.
        RemoteRefused: If it was revoked.
        RemoteUnavailable: If the team's database does not answer, or not before the deadline.
        FileAccessError: If the memberships can't be read.
    """
    member = member_of(grant)
    if member is None:
        return RemoteIndex(grant, deadline=deadline, cache=cache)
    refs = MemberRefStore(member, grant)
    run = run_without_limit if deadline is None else deadline.run
    try:
        newer = run(refs.renewed_grant)
        if use is not None:
            run(lambda: refs.count(use))
    except RemoteRefused:
        grant_folder.revoke(grant)
        raise
    if newer != grant:
        grant_folder.save(newer)
    store = None
    if nodes.urls:
        from codecairn.team.node_client import NodeClient
        from codecairn.team.node_store import NodeStore

        store = NodeStore(NodeClient(nodes.urls, member, ca_file=nodes.ca_file), newer.url)
    return RemoteIndex(newer, store=store, refs=refs, deadline=deadline, cache=cache)


def attach_index(root: Path, membership: Membership) -> Grant | None:
    """Let the workspace at `root` use the shared index of its repository in a team; `None` if the team has none of it.

    Raises:
        RemoteUntrusted: If the team's repository has the id of one that the user has from elsewhere.
        FileAccessError: If the data folder can't be written.
    """
    project = project_of(root)
    found = [each for each in membership.repositories.values() if each.project == project]
    if not project or not found or found[0].key is None:
        return None
    here = git_head(root)[0]
    branch = "" if here.startswith("@") else here
    held = {each.repository: each for each in grant_folder.grants()}.get(found[0].id)
    if held is not None and held.team != membership.team_id:
        raise RemoteUntrusted(
            f"the repository `{found[0].name}` of the team `{membership.team}` has the id of `{held.name}`, which you have from "
            "elsewhere: its shared index is not used",
            hint=f"if the team is right, forget the other one with `codecairn remote remove --remote {held.name}`",
        )
    grant = index_grant(membership, found[0], branch=branch if held is None else held.branch)
    grant_folder.save(grant)
    grant_folder.attach(root, grant)
    return grant
