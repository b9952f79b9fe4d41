"""Applies the migrations of a team's database: SQL files that are never edited. All that are missing run in one transaction."""

import hashlib
import re
from importlib import resources
from typing import TYPE_CHECKING, Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import StoreTooNew, UsageError

if TYPE_CHECKING:
    from psycopg import Connection

PLACEHOLDER = "codecairn_members"
"""Stands in the files for the group role of the team's members."""

_NAME = re.compile(r"(\d{4})_\w+\.sql")
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One file: its number from 1, its name, its text, and the SHA-256 of that."""

    version: int
    name: str
    text: str

    @property
    def sha256(self) -> str:
        """Identifies the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrations() -> tuple[Migration, ...]:
    """All migrations, in order."""
    folder = resources.files("codecairn.team") / "migrations"
    found = []
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        match = _NAME.fullmatch(entry.name)
        if match:
            text = entry.read_text(encoding="utf-8")
            found.append(Migration(version=int(match[1]), name=entry.name, text=text))
    return tuple(found)


def group_role(tag: str) -> str:
    """The group role of the members of a team; `tag` tells the teams of one server apart."""
    return f"codecairn.{tag}"


def team_tag(database: str) -> str:
    """The tag of the team in a database: its name, or a hash of a name that is long or unusual."""
    if re.fullmatch(r"[a-z0-9_]{1,24}", database):
        return database
    return hashlib.sha256(database.encode()).hexdigest()[:16]


def migrate(connection: "Connection[tuple[Any, ...]]") -> int:
    """Apply what is missing, and return how many were.

    Raises:
        StoreTooNew: If a newer version of codecairn has migrated the database.
        UsageError: If a migration that was applied is another than the one known here.
    """
    from psycopg import errors

    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return _migrate(connection)
        except (errors.UniqueViolation, errors.DuplicateSchema, errors.DuplicateObject):
            if attempt == _ATTEMPTS:  # another process made the same at the same time
                raise
    return 0


def _migrate(connection: "Connection[tuple[Any, ...]]") -> int:
    from psycopg import sql

    known = migrations()
    with connection.transaction():
        if _applied(connection):  # no member may lock this table, and all that migrate do
            connection.execute("LOCK TABLE codecairn.migrations IN EXCLUSIVE MODE")
        applied = _applied(connection)
        _require_known(known, applied)
        (database,) = connection.execute("SELECT current_database()").fetchone() or ("",)
        group = group_role(team_tag(database))
        if not applied:
            exists = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [group])
            if exists.fetchone() is None:
                connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(group)))
        missing = [each for each in known if each.version not in applied]
        for each in missing:
            quoted = sql.Identifier(group).as_string(connection)
            connection.execute(each.text.replace(PLACEHOLDER, quoted).encode())
            connection.execute(
                "INSERT INTO codecairn.migrations (version, name, sha256) VALUES (%s, %s, %s)",
                [each.version, each.name, each.sha256],
            )
    return len(missing)


def _applied(connection: "Connection[tuple[Any, ...]]") -> dict[int, str]:
    found = connection.execute("SELECT to_regclass('codecairn.migrations')").fetchone()
    if found is None or found[0] is None:
        return {}
    rows = connection.execute("SELECT version, sha256 FROM codecairn.migrations").fetchall()
    return dict(rows)


def _require_known(known: tuple[Migration, ...], applied: dict[int, str]) -> None:
    if applied and max(applied) > len(known):
        raise StoreTooNew(
            f"the team's database has format {max(applied)}, and this version of codecairn knows {len(known)}",
            hint="upgrade codecairn",
        )
    for each in known:
        if applied.get(each.version, each.sha256) != each.sha256:
            raise UsageError(
                f"the team's database was made by another `{each.name}`",
                hint="use the version of codecairn that made it",
            )
