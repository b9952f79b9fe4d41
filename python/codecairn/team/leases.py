"""Leases in a team's database: who is at work on a branch, or collects garbage. They expire by the server's clock, never a client's.

A lease saves work that would be thrown away; what must not be lost is guarded by the epoch of a branch.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteConflict, RemoteError
from codecairn.team.connection import translated

if TYPE_CHECKING:
    from psycopg import Connection

GARBAGE_COLLECTION = "gc"
"""The lease of the one process that collects a repository's garbage."""


def branch_lease(branch: str) -> str:
    """The name of the lease of who publishes a branch."""
    return f"branch {branch}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A lease that was acquired."""

    connection: "Connection[tuple[Any, ...]]"
    repository: str
    name: str
    token: str
    seconds: int

    def renew(self) -> None:
        """Hold it for `seconds` from now on.

        Raises:
            RemoteConflict: If it has expired, so that another may hold it by now.
            RemoteUnavailable: If the database does not answer.
        """
        with translated():
            found = self.connection.execute(
                "SELECT codecairn.renew_lease(%s, %s, %s, %s)",
                [self.repository, self.name, self.token, self.seconds],
            ).fetchone()
        if found is None or not found[0]:
            raise RemoteConflict(f"the lease `{self.name}` has expired")


@contextmanager
def lease(
    connection: "Connection[tuple[Any, ...]]", repository: str, name: str, *, seconds: int
) -> Iterator[Lease]:
    """Hold a lease of a repository (its id) until the block ends, or `seconds` (1 to 3600) have passed.

    Raises:
        RemoteConflict: If another holds it; the message says who, and for how long.
        RemoteRefused: If the member may not hold it.
        RemoteUnavailable: If the database does not answer.
    """
    with translated():
        found = connection.execute(
            "SELECT codecairn.acquire_lease(%s, %s, %s)::text", [repository, name, seconds]
        ).fetchone()
    if found is None or found[0] is None:
        raise _taken(connection, repository, name)
    held = Lease(
        connection=connection, repository=repository, name=name, token=found[0], seconds=seconds
    )
    try:
        yield held
    finally:
        with suppress(RemoteError), translated():  # it expires by itself
            connection.execute(
                "SELECT codecairn.release_lease(%s, %s, %s)", [repository, name, held.token]
            )


def _taken(connection: "Connection[tuple[Any, ...]]", repository: str, name: str) -> RemoteConflict:
    with translated():
        found = connection.execute(
            "SELECT coalesce(members.name, '?'), "
            "greatest(1, ceil(extract(epoch FROM expires_at - clock_timestamp())))::integer "
            "FROM codecairn.leases LEFT JOIN codecairn.members ON members.id = holder "
            "WHERE repository = %s AND leases.name = %s",
            [repository, name],
        ).fetchone()
    if found is None:
        return RemoteConflict(f"another process has just released the lease `{name}`")
    return RemoteConflict(
        f"`{found[0]}` holds the lease `{name}`, for {found[1]} more seconds at most",
        hint="wait until it is done",
    )
