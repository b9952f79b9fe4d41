"""Makes a team in a database, or brings one up to date."""

from typing import TYPE_CHECKING, Any

from codecairn.errors import UsageError
from codecairn.team.connection import translated
from codecairn.team.migrations import migrate, team_tag

if TYPE_CHECKING:
    from psycopg import Connection


def make_team(
    connection: "Connection[tuple[Any, ...]]",
    name: str,
    member: str,
    *,
    signing_key: bytes,
    sealing_key: bytes,
) -> str:
    """Migrate the database of `connection`, whose role becomes the owner, and return the team's id.

    Args:
        connection: A connection as a role that may create schemas in the database, and roles.
        name: The team's name; only used where there is no team yet.
        member: The owner's name as a member, likewise.
        signing_key: The owner's public key of Ed25519.
        sealing_key: The owner's public key of X25519.

    Raises:
        RemoteRefused: If the role may not create what a team needs.
        UsageError: If a name is not allowed, or the team belongs to another role.
    """
    with translated(), connection.transaction():
        migrate(connection)
        found = connection.execute(
            "SELECT replace(id::text, '-', '') FROM codecairn.team"
        ).fetchone()
        if found is None:
            (database,) = connection.execute("SELECT current_database()").fetchone() or ("",)
            found = connection.execute(
                "INSERT INTO codecairn.team (name, tag) VALUES (%s, %s) RETURNING replace(id::text, '-', '')",
                [name, team_tag(database)],
            ).fetchone()
            connection.execute(
                "INSERT INTO codecairn.members (name, role_name, signing_key, sealing_key, joined_at) "
                "VALUES (%s, session_user, %s, %s, clock_timestamp())",
                [member, signing_key, sealing_key],
            )
    if found is None:
        raise UsageError("the team was not made")
    return str(found[0])
