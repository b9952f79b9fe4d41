"""Connections to a team's database: where they lead, how long they may wait, and what failures are called.

A connection is named by a URL or a conninfo string of libpq, in `CODECAIRN_TEAM_URL` or in the user's own membership file; a
workspace's files are never asked. A service file and a password file of libpq work for the owner as they do for `psql`. Where the
address came with an invitation they don't: a hostile one's server would get what they hold for another.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
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

_AWAY_HINT = "the local index and memory work without it; try again later"
_HELD_HINT = (
    "run the command again; the owner ends a member's sessions with `codecairn team revoke MEMBER`"
)
_CERTIFICATE_HINT = (
    "if its certificate comes from an authority of your own, keep that one's certificate as `~/.postgresql/root.crt`, or name its "
    "file in `PGSSLROOTCERT`"
)
_LOCKED_OUT = ("is not permitted to log in", "permission denied for database")
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def environment_url() -> str:
    """What `CODECAIRN_TEAM_URL` names; empty if it is not set."""
    return os.environ.get(VARIABLE, "").strip()


@contextmanager
def connected(
    conninfo: str, *, password: str = "", is_isolated: bool = False
) -> "Iterator[Connection[tuple[Any, ...]]]":
    """A connection to a team's database in autocommit mode, closed at the end. Errors of the database inside are translated.

    Args:
        conninfo: A URL or a conninfo string of libpq.
        password: The password, if it is kept apart from that.
        is_isolated: Whether no variable, service or password file of libpq may decide where it leads, how it is verified, or the
            user that logs in; the user's certificates of authorities count in any case.

    Raises:
        UsageError: If the package `psycopg` is missing, or `conninfo` is no such string.
        RemoteUnavailable: If the database does not answer within `CONNECT_TIMEOUT_S`, or refuses the login.
    """
    with needs("psycopg", extra="team"):
        import psycopg
    given = parsed(conninfo)
    defaults = _isolated(given) if is_isolated else _with_defaults(given)
    parameters = defaults | ({"password": password} if password else {})
    if is_isolated and not parameters.get("password"):
        raise UsageError("there is no password for the team's database")
    secrets = [str(parameters.get("password", ""))]
    with translated(secrets=secrets):
        connection = psycopg.connect(**parameters, autocommit=True)
    with translated(secrets=secrets), connection:
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


def is_local(hosts: str) -> bool:
    """Whether all of these hosts, between commas, are this machine."""
    return all(host in _LOCAL_HOSTS or host.startswith("/") for host in hosts.split(","))


def _with_defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, with timeouts, and with a verified server unless it is on this machine or the user decided otherwise."""
    parameters = {
        "application_name": "codecairn",
        "tcp_user_timeout": str(_SILENCE_TIMEOUT_MS),
        **given,
        "connect_timeout": str(_connect_timeout(given)),
    }
    decides = {"sslmode", "service"} & given.keys() or os.environ.get("PGSSLMODE")
    hosts = str(given.get("host") or given.get("hostaddr") or "localhost")
    if not decides and not is_local(hosts):
        parameters["sslmode"] = "verify-full"
        if "sslrootcert" not in given:
            parameters["sslrootcert"] = _root_certificates()
    return parameters


def _isolated(given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with a value for each that a variable or a service of libpq would decide otherwise."""
    is_here = is_local(str(given.get("host", "")))
    return {
        "port": "5432",
        "hostaddr": "",
        "options": "",
        "channel_binding": "prefer",
        "target_session_attrs": "any",
        "gssencmode": "disable",
        "application_name": "codecairn",
        "tcp_user_timeout": str(_SILENCE_TIMEOUT_MS),
        "sslmode": "prefer" if is_here else "verify-full",
        **({} if is_here else {"sslrootcert": _root_certificates()}),
        **given,
        "connect_timeout": str(CONNECT_TIMEOUT_S),
    }


def _root_certificates() -> str:
    """The certificates of authorities that the user set up for PostgreSQL: a file, or `system` for those of the system."""
    named = os.environ.get("PGSSLROOTCERT")
    if named:
        return named
    base = os.environ.get("APPDATA", "") if sys.platform == "win32" else "~/.postgresql"
    folder = Path(base, "postgresql") if sys.platform == "win32" else Path(base).expanduser()
    file = folder / "root.crt"
    return str(file) if file.is_file() else "system"


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
        if any(words in str(err) for words in _LOCKED_OUT):
            raise RemoteRefused("you are no longer a member of this team") from err
        if isinstance(err, errors.LockNotAvailable):
            raise RemoteUnavailable(
                "another session holds a lock in the team's database", hint=_HELD_HINT
            ) from err
        raise RemoteUnavailable(
            f"the team's database does not answer: {text(err)}",
            hint=_CERTIFICATE_HINT if "certificate" in str(err) else _AWAY_HINT,
        ) from err
    except (IntegrityError, errors.DataError) as err:
        raise UsageError(f"the team's database refuses a value: {text(err)}") from err
    except Error as err:
        raise InternalError(f"the team's database does not take a statement: {text(err)}") from err
