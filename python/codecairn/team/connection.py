"""Connections to a team's database: where they lead, how long they may wait, and what failures are called.

A connection is named by a URL or a conninfo string of libpq, in `CODECAIRN_TEAM_URL` or in the user's own membership file; a
workspace's files are never asked. A service file and a password file of libpq work as they do for `psql`.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from codecairn.errors import InternalError, RemoteRefused, RemoteUnavailable, UsageError
from codecairn.objects.packages import needs

if TYPE_CHECKING:
    from psycopg import Connection

VARIABLE = "CODECAIRN_TEAM_URL"
"""The environment variable that names a team's database."""

CONNECT_TIMEOUT_S = 5
"""How long one address may take to answer; then the local index and memory go on alone."""

_STATEMENT_TIMEOUT_MS = 30_000
_LOCK_TIMEOUT_MS = 10_000
_IDLE_TIMEOUT_MS = 60_000
_SILENCE_TIMEOUT_MS = 15_000
"""How long sent data may stay without an acknowledgement, as after a cable was pulled."""

_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def environment_url() -> str:
    """What `CODECAIRN_TEAM_URL` names; empty if it is not set."""
    return os.environ.get(VARIABLE, "").strip()


@contextmanager
def connected(conninfo: str, *, password: str = "") -> "Iterator[Connection[tuple[Any, ...]]]":
    """A connection to a team's database in autocommit mode, closed at the end.

    Args:
        conninfo: A URL or a conninfo string of libpq.
        password: The password, if it is kept apart from that.

    Raises:
        UsageError: If the package `psycopg` is missing, or `conninfo` is no such string.
        RemoteUnavailable: If the database does not answer within `CONNECT_TIMEOUT_S`, or refuses the login.
    """
    with needs("psycopg", extra="team"):
        import psycopg
    given = parsed(conninfo)
    parameters = _with_defaults(given) | ({"password": password} if password else {})
    secrets = [str(parameters.get("password", ""))]
    with translated(secrets=secrets):
        connection = psycopg.connect(**parameters, autocommit=True)
    with connection:
        with translated(secrets=secrets):
            connection.execute(
                "SELECT set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false), "
                "set_config('idle_in_transaction_session_timeout', %s, false), set_config('search_path', 'pg_catalog', false), "
                "set_config('TimeZone', 'UTC', false)",
                [str(_STATEMENT_TIMEOUT_MS), str(_LOCK_TIMEOUT_MS), str(_IDLE_TIMEOUT_MS)],
            )
        yield connection


def parsed(conninfo: str) -> dict[str, Any]:
    """The parameters of a URL or conninfo string.

    Raises:
        UsageError: If it is none; the message does not repeat it, as it may hold a password.
    """
    with needs("psycopg", extra="team"):
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    hint = "as in `postgresql://ann@db.example.com/team`, or `service=team`"
    if not conninfo.strip() or "\0" in conninfo:
        raise UsageError("no team's database is named", hint=f"name it in `{VARIABLE}`, {hint}")
    try:
        return conninfo_to_dict(conninfo)
    except ProgrammingError as err:
        raise UsageError("the address of the team's database can't be read", hint=hint) from err


def without_password(conninfo: str) -> tuple[str, str]:
    """A conninfo string without its password, and the password.

    Raises:
        UsageError: As of `parsed`.
    """
    parameters = parsed(conninfo)
    from psycopg.conninfo import make_conninfo

    password = str(parameters.pop("password", "") or "")
    return make_conninfo("", **parameters), password


def place_of(conninfo: str) -> str:
    """Where a connection leads, for messages: `host/database`, never a password.

    Raises:
        UsageError: As of `parsed`.
    """
    parameters = parsed(conninfo)
    if parameters.get("service"):
        return f"service {parameters['service']}"
    host = parameters.get("host") or parameters.get("hostaddr") or "localhost"
    return f"{host}/{parameters.get('dbname') or parameters.get('user') or ''}"


def _with_defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, with timeouts, and with a verified server unless it is on this machine or the user decided otherwise."""
    parameters = {
        "application_name": "codecairn",
        "tcp_user_timeout": str(_SILENCE_TIMEOUT_MS),
        **given,
        "connect_timeout": str(_connect_timeout(given)),
    }
    decides = {"sslmode", "service"} & given.keys() or os.environ.get("PGSSLMODE")
    hosts = str(given.get("host") or given.get("hostaddr") or "localhost").split(",")
    is_local = all(host in _LOCAL_HOSTS or host.startswith("/") for host in hosts)
    if not decides and not is_local:
        parameters["sslmode"] = "verify-full"
        if "sslrootcert" not in given and not os.environ.get("PGSSLROOTCERT"):
            parameters["sslrootcert"] = "system"
    return parameters


def _connect_timeout(given: Mapping[str, Any]) -> int:
    """The user's timeout if it is shorter than the default: none can make a search wait longer."""
    try:
        wanted = int(given.get("connect_timeout") or CONNECT_TIMEOUT_S)
    except ValueError:
        wanted = CONNECT_TIMEOUT_S
    return min(wanted, CONNECT_TIMEOUT_S) if wanted > 0 else CONNECT_TIMEOUT_S


@contextmanager
def translated(*, secrets: "list[str] | None" = None) -> Iterator[None]:
    """Turn failures of the database into ours; their texts lose the `secrets`.

    Raises:
        RemoteRefused: If the database does not allow it to this member.
        RemoteUnavailable: If it does not answer, refuses the login, or takes too long.
        UsageError: If it refuses a value, or holds no team.
        InternalError: If it does not take a statement.
    """
    from psycopg import Error, IntegrityError, InterfaceError, OperationalError, errors

    def text(err: Error) -> str:
        found = (
            err.diag.message_primary or str(err).strip().splitlines()[-1:] or ["no reason given"]
        )
        plain = found if isinstance(found, str) else found[0]
        for secret in secrets or []:
            plain = plain.replace(secret, "…") if secret else plain
        return plain

    try:
        yield
    except errors.InsufficientPrivilege as err:
        raise RemoteRefused(f"the team's database refuses this: {text(err)}") from err
    except (errors.UndefinedTable, errors.InvalidSchemaName, errors.UndefinedFunction) as err:
        hint = "its owner runs `codecairn team init` there, also after an upgrade"
        raise UsageError("there is no team in that database", hint=hint) from err
    except (OperationalError, InterfaceError) as err:
        if "is not permitted to log in" in str(err):
            raise RemoteRefused("you are no longer a member of this team") from err
        raise RemoteUnavailable(
            f"the team's database does not answer: {text(err)}",
            hint="the local index and memory work without it; try again later",
        ) from err
    except (IntegrityError, errors.DataError) as err:
        raise UsageError(f"the team's database refuses a value: {text(err)}") from err
    except Error as err:
        raise InternalError(f"the team's database does not take a statement: {text(err)}") from err
