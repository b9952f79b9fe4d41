"""Access to the shared indexes of a team's repositories: grants as `codecairn.objects` has them, and heads of branches in the database.

A grant is made of what the database shows at the moment of a pull or a publication, so one that was revoked opens nothing from then on.
"""

import weakref
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from codecairn.clock import SystemClock
from codecairn.errors import RemoteRefused, RemoteUnavailable
from codecairn.objects.grant import Grant, Publisher
from codecairn.objects.opening import open_store
from codecairn.objects.pointer import Pointer
from codecairn.team.administration import refresh, team_connection
from codecairn.team.catalog import Catalog
from codecairn.team.leases import branch_lease, lease
from codecairn.team.membership import Membership, TeamRepository, memberships
from codecairn.team.ref_store import TeamRefStore

if TYPE_CHECKING:
    from psycopg import Connection

_MAY_PUBLISH = frozenset({"publisher", "admin"})
_MAX_IDLE_S = 30
"""After a longer pause a connection may be dead without a sign, as uploads can take hours."""

_LEASE_S = 900
"""How long a publication that died holds its branch; one that takes longer goes on, guarded by the epoch alone."""


def member_of(grant: Grant) -> Membership | None:
    """The membership by which this user has a grant; `None` if it is of no team.

    Raises:
        RemoteRefused: If this user does not belong to its team.
        FileAccessError: If the memberships can't be read.
    """
    if not grant.team:
        return None
    found = next((each for each in memberships() if each.team_id == grant.team), None)
    if found is None:
        raise RemoteRefused(
            f"`{grant.name}` is the repository of a team that you do not belong to",
            hint=f"join it, or forget the grant with `codecairn remote remove --remote {grant.name}`",
        )
    return found


def index_grant(membership: Membership, repository: TeamRepository, *, branch: str) -> Grant:
    """The grant for the shared index of a repository; `branch` serves where one's own branch has no index.

    Raises:
        RemoteRefused: If the member holds no key of it.
    """
    key = repository.key
    if key is None or not repository.publishers:
        raise RemoteRefused(
            f"you do not hold the key of `{repository.name}`",
            hint="ask an administrator of the repository to grant it again",
        )
    publishers = tuple(
        Publisher(name=name, key=public) for name, public in repository.publishers.items()
    )
    return Grant(
        repository=repository.id,
        name=repository.name,
        url=repository.store_url,
        branch=branch,
        key=key,
        publishers=publishers,
        private_key=membership.signing_key if repository.role in _MAY_PUBLISH else None,
        team=membership.team_id,
    )


@contextmanager
def publishing(grant: Grant, branch: str) -> Iterator[None]:
    """Hold the lease of a branch of a team's repository, so that no other publisher does the same work; nothing for other grants.

    Raises:
        RemoteConflict: If another publisher is at it.
        RemoteRefused: If the member may not publish.
        RemoteUnavailable: If the database does not answer.
    """
    membership = member_of(grant)
    if membership is None:
        yield
        return
    with (
        team_connection(membership) as (connection, _),
        lease(connection, grant.repository, branch_lease(branch), seconds=_LEASE_S),
    ):
        yield


class MemberRefStore:
    """The heads of a repository's branches by one connection of a member; see `codecairn.objects.ref_store.RefStore`.

    The connection is opened at the first call, opened again after a failure or a longer pause, and closed with the object.

    Args:
        membership: The member.
        grant: The repository's grant.
    """

    def __init__(self, membership: Membership, grant: Grant) -> None:
        self._membership = membership
        self._grant = grant
        self._clock = SystemClock()
        self._used_s = 0.0
        self._opened: tuple[Connection[tuple[Any, ...]], Catalog] | None = None
        self._stack = ExitStack()
        weakref.finalize(self, self._stack.close)

    def renewed_grant(self) -> Grant:
        """The grant as the team's database has it now.

        Raises:
            RemoteRefused: If it was revoked.
            RemoteUnavailable: If the database does not answer.
        """
        self._membership = refresh(self._membership, self._connected())
        repository = self._membership.repositories.get(self._grant.repository)
        if repository is None:
            raise RemoteRefused(f"your grant for `{self._grant.name}` was revoked")
        self._grant = index_grant(self._membership, repository, branch=self._grant.branch)
        return self._grant

    def count(self, use: str) -> None:
        """Count a use of the repository; see `Catalog.count_usage`."""
        with self._connected() as (_, catalog):
            catalog.count_usage(self._grant.repository, use)

    def read(self, branch: str) -> bytes | None:
        """The signed pointer of a branch; `None` if it has none.

        Raises:
            RemoteRefused: If the member has no grant.
            RemoteUnavailable: If the database does not answer.
        """
        with self._refs() as refs:
            return refs.read(branch)

    def publish(
        self,
        branch: str,
        pointer: Pointer,
        signed: bytes,
        *,
        expected_epoch: int,
        objects: Collection[str],
    ) -> None:
        """Move a branch to a pointer; see `TeamRefStore.publish`.

        Raises:
            RemoteConflict: If another publisher was first.
            RemoteRefused: If the member may not publish.
            RemoteUnavailable: If the database or the object store does not answer.
        """
        with self._refs() as refs:
            refs.publish(branch, pointer, signed, expected_epoch=expected_epoch, objects=objects)
        self.count("publish")

    @contextmanager
    def _refs(self) -> Iterator[TeamRefStore]:
        with self._connected() as (connection, catalog):
            catalog.repository(self._grant.repository)
            yield TeamRefStore(connection, self._grant.repository, open_store(self._grant.url))

    @contextmanager
    def _connected(self) -> "Iterator[tuple[Connection[tuple[Any, ...]], Catalog]]":
        if self._clock.monotonic_s() - self._used_s > _MAX_IDLE_S:
            self._close()
        if self._opened is None:
            self._opened = self._stack.enter_context(team_connection(self._membership))
        try:
            yield self._opened
        except RemoteUnavailable:
            self._close()
            raise
        self._used_s = self._clock.monotonic_s()

    def _close(self) -> None:
        self._opened = None
        self._stack.close()
