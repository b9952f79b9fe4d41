"""What people do with a team, each step once: make it, let members in and out, look at it, collect garbage.

Each function opens a connection of its own and returns plain data for a surface to show. None of it holds a password or a key.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteRefused, RemoteUnavailable, UsageError
from codecairn.objects.opening import normalised, open_store
from codecairn.objects.signature import new_private_key, public_key_of
from codecairn.team.catalog import KEY_BYTES, ROLES, Catalog, CatalogGrant, CatalogRepository
from codecairn.team.connection import (
    connected,
    environment_url,
    place_of,
    translated,
    without_password,
)
from codecairn.team.garbage_collection import CollectedGarbage, GarbageCollector
from codecairn.team.invitation import Invitation, conninfo_for, read_invitation
from codecairn.team.key_handout import KeyHandout, grant_name, hand_out, handed_over, rotate
from codecairn.team.key_sealing import new_sealing_key
from codecairn.team.member_keys import introduction, known_keys, member_keys
from codecairn.team.membership import (
    Membership,
    begun_membership,
    forget_begun,
    memberships,
    remember_grants,
    save,
)
from codecairn.team.ref_store import TeamRefStore
from codecairn.team.setup import make_team

if TYPE_CHECKING:
    from psycopg import Connection

_PASSWORD_BYTES = 24
USAGE_DAYS = 30
"""The days that `status` counts uses over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamEntry:
    """A team that this user belongs to now.

    Attributes:
        team: Its name.
        id: Its id.
        member: The user's name in it.
        place: Where its database is.
        file: The file that keeps the membership.
        repositories: The names of the repositories that the user has a grant for.
        index: The name of the shared index that the current workspace uses now; empty if the team has none of it.
    """

    team: str
    id: str
    member: str
    place: str
    file: str
    repositories: tuple[str, ...] = ()
    index: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryStatus:
    """A repository as a member sees it.

    Attributes:
        name: What people call it.
        project: The project's name in the memory.
        store_url: Where its objects lie.
        role: The member's role; empty for the owner of the team without a grant.
        has_key: Whether the member holds the key that publications use.
        branches: How many branches are published.
        facts: How many records the team's memory has.
        uses: How often it was used in the last 30 days, by kind; only the member's own uses unless they administer it.
    """

    name: str
    project: str
    store_url: str
    role: str
    has_key: bool
    branches: int
    facts: int
    uses: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamStatus:
    """A team as a member sees it; `grants` are their own, and all for repositories that they administer."""

    team: str
    member: str
    place: str
    repositories: tuple[RepositoryStatus, ...]
    grants: tuple[CatalogGrant, ...]


@contextmanager
def team_connection(
    membership: Membership,
) -> "Iterator[tuple[Connection[tuple[Any, ...]], Catalog]]":
    """A member's connection to the team's database, and its catalog.

    Raises:
        UsageError: If it is another team's database by now.
        RemoteRefused: If the member has no grant.
        RemoteUnavailable: If the database does not answer.
    """
    with connected(
        membership.conninfo, password=membership.password, is_isolated=membership.is_isolated
    ) as connection:
        catalog = Catalog(connection)
        if catalog.team()[0] != membership.team_id:
            raise UsageError(f"the database there is not that of the team `{membership.team}`")
        yield connection, catalog


def init(name: str, member: str) -> TeamEntry:
    """Make a team in the database that `CODECAIRN_TEAM_URL` names, or bring the team there up to date.

    Done again by its owner after the database moved, it keeps the new address.

    Raises:
        UsageError: If no database is named, a name is not allowed, or another user made the team there.
        RemoteRefused: If the role may not make a team.
        RemoteUnavailable: If the database does not answer.
    """
    url = environment_url()
    conninfo, password = without_password(url)
    signing_key, sealing_key = new_private_key(), new_sealing_key()
    with connected(url) as connection, connection.transaction():
        id_ = make_team(connection, name, member, signing_key=signing_key, sealing_key=sealing_key)
        catalog = Catalog(connection)
        made = Membership(
            team_id=id_,
            team=catalog.team()[1],
            member=member,
            conninfo=conninfo,
            password=password,
            signing_key=signing_key,
            sealing_key=sealing_key,
        )
        own = {each.name: each.keys.signing_key for each in catalog.members() if each.keys}
        of_team = [each for each in memberships() if each.team_id == id_]
        begun = [each for each in (made, begun_membership(id_)) if each is not None]
        begun = [each for each in begun if own.get(each.member) == public_key_of(each.signing_key)]
        if made in begun:
            save(made, is_begun=True)  # before the commit: no other file has the keys
    if not (of_team or begun):
        raise UsageError(
            "there is a team in that database already, made by another user or on another machine",
            hint="its migrations are up to date now; ask for an invitation to join it",
        )
    found = replace((of_team or begun)[0], conninfo=conninfo, password=password)
    save(found)
    forget_begun(found)
    return _entry(found)


def add_repository(membership: Membership, name: str, *, project: str, store_url: str) -> TeamEntry:
    """Add a repository to the team, with a fresh key; only the team's owner does.

    Raises:
        UsageError: If the address is none of an object store, or a name is taken.
        RemoteRefused: If the member does not own the team.
    """
    url = normalised(store_url)
    open_store(url)
    key = secrets.token_bytes(KEY_BYTES)
    with team_connection_of_owner(membership) as (connection, catalog):
        with translated(), connection.transaction():
            added = catalog.add_repository(name, project=project, store_url=url)
            hand_out(membership, catalog, added, added.key_generation, key)
        return _entry(_refreshed(membership, catalog))


@contextmanager
def team_connection_of_owner(
    membership: Membership,
) -> "Iterator[tuple[Connection[tuple[Any, ...]], Catalog]]":
    """As `team_connection`, for the owner of the team.

    Raises:
        RemoteRefused: If the member does not own it.
    """
    with team_connection(membership) as (connection, catalog):
        if not catalog.is_owner():
            raise RemoteRefused(f"only the owner of the team `{membership.team}` does this")
        yield connection, catalog


def invite(
    membership: Membership,
    name: str,
    *,
    grants: Sequence[tuple[str, str]],
    days: int,
    output: Path,
) -> Invitation:
    """Create a member with roles for repositories, and write the invitation for them.

    Args:
        membership: The inviting member.
        name: The new member's name.
        grants: Repositories and roles.
        days: How long the invitation can be accepted.
        output: The file, which must not be there yet.

    Raises:
        UsageError: If there is such a member, or a name or role is not allowed.
        RemoteRefused: If the member administers none, or not one of the repositories.
        FileAccessError: If the file is there, or can't be written.
    """
    if not grants:
        raise UsageError("an invitation needs a grant", hint="add `--grant REPOSITORY=ROLE`")
    _require_roles(grants)
    password, key = secrets.token_urlsafe(_PASSWORD_BYTES), new_private_key()
    with team_connection(membership) as (connection, catalog):
        chosen = [(catalog.repository(repository), role) for repository, role in grants]
        kept = _refreshed(membership, catalog)
        with connection.transaction():
            login = catalog.invite(name, password=password, days=days)
            for repository, role in chosen:
                catalog.grant(repository, name, role)
            invitation = Invitation(
                team_id=membership.team_id,
                team=membership.team,
                member=name,
                conninfo=_conninfo_of(connection, membership, login),
                password=password,
                key=key,
                introduction=introduction(
                    membership.team_id, name, key, private_key=membership.signing_key
                ),
                known_keys=_keys_for_invitation(
                    kept, catalog, [repository for repository, _ in chosen]
                ),
                repositories=[
                    handed_over(repository, role, kept.repositories.get(repository.id))
                    for repository, role in chosen
                ],
            )
            invitation.write(output)
    return invitation


def _keys_for_invitation(
    membership: Membership, catalog: Catalog, repositories: Sequence[CatalogRepository]
) -> dict[str, bytes]:
    """The known keys of the members of these repositories, and of the team's first member, who leads to all others."""
    holders = {name for each in repositories for name in catalog.holders(each)}
    members = catalog.members()
    first = {each.name for each in members if each.keys is not None and not each.keys.introduction}
    named = {membership.member} | holders | first
    known = known_keys(membership, members)
    return {name: key for name, key in known.items() if name in named}


def join(file: Path) -> TeamEntry:
    """Accept the invitation in a file: the password in it is replaced, so that it logs in no more.

    Keys and password are on disk before they count. Done again after an answer of the database was lost, it goes on with them.

    Raises:
        FileAccessError: If it can't be read, or others may read it.
        UsageError: If it was accepted before.
        RemoteUnavailable: If the database does not answer, or the invitation has expired.
    """
    invitation = read_invitation(file)
    if any(each.team_id == invitation.team_id for each in memberships()):
        raise UsageError(f"you belong to the team `{invitation.team}` already")
    begun = begun_membership(invitation.team_id)
    is_known = begun is not None and begun.member == invitation.member
    membership = Membership(
        team_id=invitation.team_id,
        team=invitation.team,
        member=invitation.member,
        conninfo=invitation.conninfo,
        password=begun.password if begun and is_known else secrets.token_urlsafe(_PASSWORD_BYTES),
        signing_key=begun.signing_key if begun and is_known else new_private_key(),
        sealing_key=begun.sealing_key if begun and is_known else new_sealing_key(),
        is_isolated=True,
        repositories={each.id: each for each in invitation.repositories},
        known_keys=invitation.known_keys,
    )
    if not (is_known and _can_log_in(membership)):
        _accept(invitation, membership)
    save(membership)
    forget_begun(membership)
    with team_connection(membership) as (_, catalog):
        return _entry(_refreshed(membership, catalog))


def _accept(invitation: Invitation, membership: Membership) -> None:
    keys = member_keys(
        invitation.team_id,
        invitation.member,
        signing_key=membership.signing_key,
        sealing_key=membership.sealing_key,
        introduced_by=invitation.introduction,
        invitation_key=invitation.key,
    )
    is_saved = False
    try:
        with (
            connected(
                invitation.conninfo, password=invitation.password, is_isolated=True
            ) as connection,
            connection.transaction(),
        ):
            catalog = Catalog(connection)
            catalog.accept(keys)
            if catalog.team()[0] != invitation.team_id:
                raise UsageError("the invitation names the database of another team")
            catalog.set_password(membership.password)
            save(
                membership, is_begun=True
            )  # before the commit, after which no other file opens the door
            is_saved = True
    except RemoteUnavailable as err:
        if is_saved:
            hint = "run the command again: it goes on with the keys that were made"
            raise RemoteUnavailable(
                f"it is not known whether you joined: {err.message}", hint=hint
            ) from err
        raise


def _can_log_in(membership: Membership) -> bool:
    try:
        with connected(membership.conninfo, password=membership.password, is_isolated=True):
            return True
    except RemoteUnavailable:
        return False


def grant(membership: Membership, member: str, repository: str, role: str) -> KeyHandout:
    """Give a member a role for a repository, and the repository's key to this member alone.

    Raises:
        UsageError: If there is no such member or role.
        RemoteRefused: If the caller does not administer the repository.
        RemoteUntrusted: If no trusted member introduced that one; nothing is changed.
    """
    _require_roles([(repository, role)])
    with team_connection(membership) as (connection, catalog):
        found = catalog.repository(repository)
        kept = _refreshed(membership, catalog)
        kept = replace(kept, revoked=kept.revoked - {grant_name(found, member)})
        known = handed_over(found, found.role, kept.repositories.get(found.id))
        assert known.key is not None
        with translated(), connection.transaction():
            catalog.grant(found, member, role)
            handed_out = hand_out(
                kept, catalog, found, known.key_generation, known.key, only=member
            )
        save(kept)
    return handed_out


def revoke(
    membership: Membership, member: str, repository: str | None, *, rotate_key: bool
) -> tuple[KeyHandout, ...]:
    """End a member's grant for a repository, or the whole membership; changes keys if asked for.

    Raises:
        UsageError: If there is no such member, or nothing to revoke.
        RemoteRefused: If the caller does not administer the repository, or for a membership does not own the team.
    """
    with team_connection(membership) as (connection, catalog):
        if repository is None:
            of_member = {each.repository for each in catalog.grants() if each.member == member}
            changed = [each for each in catalog.repositories() if each.name in of_member]
            was_there = catalog.remove_member(member)
        else:
            changed = [catalog.repository(repository)]
            was_there = catalog.revoke(changed[0], member)
        if not was_there:
            raise UsageError(f"`{member}` has no such grant", hint="see `codecairn team status`")
        revoked = {grant_name(each, member) for each in changed}
        membership = replace(membership, revoked=membership.revoked | revoked)
        save(membership)  # from here on a failure does not undo it
        done: tuple[KeyHandout, ...] = ()
        try:
            membership = _refreshed(membership, catalog)
            if rotate_key:
                done = tuple(rotate(membership, connection, catalog, each) for each in changed)
                _refreshed(membership, catalog)
        except RemoteUnavailable as err:
            if rotate_key and len(done) < len(changed):
                names = ", ".join(f"`{each.name}`" for each in changed)
                raise RemoteUnavailable(
                    f"`{member}` is revoked, but not every key of {names} is changed: {err.message}",
                    hint="change it by `codecairn team rotate-key REPOSITORY`",
                ) from err
    return done


def rotate_key(membership: Membership, repository: str) -> KeyHandout:
    """Change a repository's key: what is published from now on does not open with the old one.

    Raises:
        RemoteRefused: If the caller does not administer the repository, or another changed the key meanwhile.
    """
    with team_connection(membership) as (connection, catalog):
        kept = _refreshed(membership, catalog)
        done = rotate(kept, connection, catalog, catalog.repository(repository))
        _refreshed(kept, catalog)
    return done


def status(membership: Membership) -> TeamStatus:
    """What the member sees of the team; grants and keys on this machine are brought up to date.

    Raises:
        RemoteRefused: If the member has no grant any more.
        RemoteUnavailable: If the database does not answer.
    """
    with team_connection(membership) as (connection, catalog):
        kept = _refreshed(membership, catalog)
        counts = {
            name: dict(
                connection.execute(
                    f"SELECT replace(repository::text, '-', ''), count(*) FROM codecairn.{name} GROUP BY 1".encode()  # noqa: S608 - one of two names
                ).fetchall()
            )
            for name in ("refs", "facts")
        }
        repositories = tuple(
            RepositoryStatus(
                name=each.name,
                project=each.project,
                store_url=each.store_url,
                role=each.role,
                has_key=each.id in kept.repositories and kept.repositories[each.id].key is not None,
                branches=counts["refs"].get(each.id, 0),
                facts=counts["facts"].get(each.id, 0),
                uses=catalog.usage(each.id, days=USAGE_DAYS),
            )
            for each in catalog.repositories()
        )
        return TeamStatus(
            team=membership.team,
            member=membership.member,
            place=place_of(membership.conninfo),
            repositories=repositories,
            grants=catalog.grants(),
        )


def delete_branch(membership: Membership, repository: str, branch: str) -> bool:
    """Delete what is published of a branch; whether there was anything. The next publication starts from nothing.

    Raises:
        RemoteRefused: If the member does not administer the repository.
        RemoteUnavailable: If the database or an object store does not answer.
    """
    with team_connection(membership) as (connection, catalog):
        found = catalog.repository(repository)
        return TeamRefStore(connection, found.id, open_store(found.store_url)).delete(branch)


def collect_garbage(
    membership: Membership, repositories: Sequence[str], *, grace_s: int, dry_run: bool
) -> tuple[CollectedGarbage, ...]:
    """Collect the garbage of repositories, or of all that the member administers.

    Raises:
        RemoteConflict: If another process does.
        RemoteRefused: If the member does not administer one.
        RemoteUnavailable: If the database or an object store does not answer.
    """
    with team_connection(membership) as (connection, catalog):
        chosen = [catalog.repository(name) for name in repositories] or [
            each for each in catalog.repositories() if each.role == "admin"
        ]
        return tuple(
            GarbageCollector(connection, each, open_store(each.store_url), grace_s=grace_s).run(
                dry_run=dry_run
            )
            for each in chosen
        )


def refresh(
    membership: Membership,
    opened: "AbstractContextManager[tuple[Connection[tuple[Any, ...]], Catalog]] | None" = None,
) -> Membership:
    """The membership with the grants and keys that the database shows now; what was revoked is gone from it.

    Args:
        membership: The membership.
        opened: A connection of the member, if there is one.

    Raises:
        RemoteRefused: If nothing is left; then the keys are gone from this machine, too.
        RemoteUnavailable: If the database does not answer; nothing is changed then.
    """
    try:
        with opened or team_connection(membership) as (_, catalog):
            return _refreshed(membership, catalog)
    except RemoteRefused:
        save(replace(membership, repositories={}))
        raise


def _refreshed(membership: Membership, catalog: Catalog) -> Membership:
    """The membership as the database has it now, saved."""
    known = known_keys(membership, catalog.members())
    shown = [each for each in catalog.repositories() if each.role]
    opened = [
        catalog.opened(each, sealing_key=membership.sealing_key, known=known) for each in shown
    ]
    ids = {each.id for each in shown}
    kept = {id_: each for id_, each in membership.repositories.items() if id_ in ids}
    found = remember_grants(replace(membership, repositories=kept, known_keys=known), *opened)
    save(found)
    return found


def _entry(membership: Membership) -> TeamEntry:
    return TeamEntry(
        team=membership.team,
        id=membership.team_id,
        member=membership.member,
        place=place_of(membership.conninfo),
        file=str(save(membership)),
        repositories=tuple(sorted(each.name for each in membership.repositories.values())),
    )


def _conninfo_of(
    connection: "Connection[tuple[Any, ...]]", membership: Membership, login: str
) -> str:
    """How a new member reaches the database."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    info = connection.info
    reached = {"host": info.host, "port": str(info.port), "dbname": info.dbname}
    given = {name: str(value) for name, value in conninfo_to_dict(membership.conninfo).items()}
    parameters = {**given, **reached}
    return make_conninfo("", **conninfo_for(parameters, login=login))


def _require_roles(grants: Sequence[tuple[str, str]]) -> None:
    for _, role in grants:
        if role not in ROLES:
            raise UsageError(f"there is no role `{role}`", hint=f"one of {', '.join(ROLES)}")
