"""Makes a team in a database, or brings one up to date."""

import uuid
from typing import TYPE_CHECKING, Any

from codecairn.errors import RemoteRefused
from codecairn.team.connection import translated
from codecairn.team.member_keys import member_keys
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
        signing_key: The owner's private key of Ed25519; its public half is kept.
        sealing_key: The owner's private key of X25519, likewise.

    Raises:
        RemoteRefused: If the role may not create what a team needs.
        UsageError: If a name is not allowed, or the team belongs to another role.
    """
    with translated(), connection.transaction():
        _require_abilities(connection)
        migrate(connection)
        _require_reach(connection)
        found = connection.execute(
            "SELECT replace(id::text, '-', '') FROM codecairn.team"
        ).fetchone()
        if found is None:
            (database,) = connection.execute("SELECT current_database()").fetchone() or ("",)
            id_ = uuid.uuid4().hex
            connection.execute(
                "INSERT INTO codecairn.team (id, name, tag) VALUES (%s, %s, %s)",
                [id_, name, team_tag(database)],
            )
            keys = member_keys(id_, member, signing_key=signing_key, sealing_key=sealing_key)
            connection.execute(
                "INSERT INTO codecairn.members (name, role_name, signing_key, sealing_key, sealing_signature, joined_at) "
                "VALUES (%s, session_user, %s, %s, %s, clock_timestamp())",
                [member, keys.signing_key, keys.sealing_key, keys.sealing_signature],
            )
            return id_
    return str(found[0])


def _require_abilities(connection: "Connection[tuple[Any, ...]]") -> None:
    """Refuse a role that could not let members in."""
    row = connection.execute(
        "SELECT rolname, rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    if row is not None and not row[1]:
        raise RemoteRefused(
            f"the role `{row[0]}` may not create roles, which each member needs",
            hint=f'a superuser of the server runs: `ALTER ROLE "{row[0]}" CREATEROLE`',
        )


def _require_reach(connection: "Connection[tuple[Any, ...]]") -> None:
    """Refuse a team whose owner could not end the sessions of a member who is removed."""
    rows = connection.execute(
        "SELECT owner.rolname, members.name FROM pg_namespace JOIN pg_roles AS owner ON owner.oid = nspowner "
        "CROSS JOIN codecairn.members JOIN pg_roles AS login ON login.rolname = role_name "
        "WHERE nspname = 'codecairn' AND left_at IS NULL AND NOT owner.rolsuper "
        "AND NOT pg_has_role(owner.oid, login.oid, 'USAGE') AND NOT pg_has_role(owner.oid, 'pg_signal_backend', 'USAGE')"
    ).fetchall()
    if rows:
        raise RemoteRefused(
            f"the role `{rows[0][0]}` may not end the sessions of {', '.join(f'`{name}`' for _, name in rows)}",
            hint=f'a superuser of the server runs: `GRANT pg_signal_backend TO "{rows[0][0]}"`',
        )
