"""The catalog in a team's database: repositories, members, grants, usage. Every call is one transaction of the member who logged in.

The server decides what is allowed, by row-level security; what a member may not see looks as if it were not there.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import (
    InternalError,
    RemoteRefused,
    RemoteUnavailable,
    RemoteUntrusted,
    UsageError,
)
from codecairn.team.connection import translated
from codecairn.team.key_sealing import open_key
from codecairn.team.member_keys import MemberKeys
from codecairn.team.membership import TeamRepository

if TYPE_CHECKING:
    from psycopg import Connection

ROLES = ("reader", "publisher", "admin")
"""What a member may be for a repository; each includes those before it."""

KEY_BYTES = 32

_ATTEMPTS = 5
"""How often a step of a removal is tried against a member who opens new sessions meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogRepository:
    """A repository as the catalog has it.

    Attributes:
        id: 32 hexadecimal digits.
        name: What people call it.
        project: The project's name in the memory.
        store_url: Where its objects lie.
        key_generation: The generation of the key that publications use.
        role: The role of the member who asks; empty for the owner of the team without a grant.
    """

    id: str
    name: str
    project: str
    store_url: str
    key_generation: int
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogMember:
    """A member as the catalog has it; keys are absent until the invitation is accepted. Whether they are the member's is not said."""

    id: int
    name: str
    keys: MemberKeys | None
    has_left: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogGrant:
    """A grant that is in force."""

    repository: str
    member: str
    role: str
    has_joined: bool


class Catalog:
    """A team's catalog, as one member sees it.

    Args:
        connection: A connection in autocommit mode.
    """

    def __init__(self, connection: "Connection[tuple[Any, ...]]") -> None:
        self._connection = connection

    def team(self) -> tuple[str, str, str]:
        """The id, the name and the tag of the team.

        Raises:
            RemoteRefused: If the member has no grant for anything, or is none.
        """
        rows = self._rows("SELECT replace(id::text, '-', ''), name, tag FROM codecairn.team")
        if not rows:
            raise RemoteRefused(
                "you have no grant in this team", hint="ask an administrator for one"
            )
        return rows[0][0], rows[0][1], rows[0][2]

    def current_member(self) -> int | None:
        """The number of the member who logged in; `None` for a role that is none."""
        found: int | None = self._rows("SELECT codecairn.current_member()")[0][0]
        return found

    def is_owner(self) -> bool:
        """Whether the role that logged in made the team, or may act for the role that did."""
        return bool(self._rows("SELECT codecairn.is_owner()")[0][0])

    def accept(self, keys: MemberKeys) -> None:
        """Accept an invitation: set the member's public keys.

        Raises:
            UsageError: If it was accepted before.
        """
        self._rows(
            "SELECT codecairn.accept(%s, %s, %s, %s, %s)",
            *(keys.signing_key, keys.sealing_key, keys.sealing_signature),
            *(keys.introduction, keys.acceptance),
        )

    # Repositories

    def repositories(self) -> tuple[CatalogRepository, ...]:
        """What the member has a grant for, or owns, by name."""
        rows = self._rows(
            "SELECT replace(repositories.id::text, '-', ''), repositories.name, project, store_url, key_generation, coalesce(grants.role, '') "
            "FROM codecairn.repositories LEFT JOIN codecairn.grants ON grants.repository = repositories.id "
            "AND grants.member = codecairn.current_member() AND grants.revoked_at IS NULL ORDER BY repositories.name"
        )
        names = ("id", "name", "project", "store_url", "key_generation", "role")
        return tuple(CatalogRepository(**dict(zip(names, row, strict=True))) for row in rows)

    def repository(self, name: str) -> CatalogRepository:
        """The repository of this name, id or project.

        Raises:
            RemoteRefused: If there is none that the member has a grant for.
        """
        found = [each for each in self.repositories() if name in {each.name, each.id, each.project}]
        if not found:
            raise RemoteRefused(
                f"there is no repository `{name}` that you have a grant for",
                hint="see `codecairn team status`, or ask an administrator",
            )
        return found[0]

    def add_repository(self, name: str, *, project: str, store_url: str) -> CatalogRepository:
        """Add a repository; its member gets the role `admin`.

        Raises:
            RemoteRefused: If the member does not own the team.
            UsageError: If there is one of this name or project, or a value is not allowed.
        """
        with translated(), self._connection.transaction():
            row = self._one(
                "INSERT INTO codecairn.repositories (name, project, store_url) VALUES (%s, %s, %s) RETURNING replace(id::text, '-', '')",
                *map(_plain, (name, project, store_url)),
            )
            self._rows(
                "INSERT INTO codecairn.grants (repository, member, role, granted_by) "
                "VALUES (%s, codecairn.current_member(), 'admin', codecairn.current_member())",
                row[0],
            )
        return self.repository(row[0])

    def opened(
        self, repository: CatalogRepository, *, sealing_key: bytes, known: Mapping[str, bytes]
    ) -> TeamRepository:
        """A repository with the keys that were sealed to the member, and the publishers whose signatures count.

        Keys that no `known` member handed out are left out, and so are publishers who are not known by the key that they have.
        """
        sealed = self._rows(
            "SELECT generation, sealed FROM codecairn.repository_keys "
            "WHERE repository = %s AND member = codecairn.current_member() ORDER BY generation",
            repository.id,
        )
        accepted = frozenset(known.values())
        keys: dict[int, bytes] = {}
        for generation, document in sealed:
            with suppress(RemoteUntrusted):
                keys[generation] = open_key(
                    bytes(document),
                    sealing_key,
                    repository=repository.id,
                    generation=generation,
                    accepted=accepted,
                )
        publishers = self._rows("SELECT * FROM codecairn.publishers(%s)", repository.id)
        return TeamRepository(
            id=repository.id,
            name=repository.name,
            project=repository.project,
            store_url=repository.store_url,
            role=repository.role,
            key_generation=repository.key_generation,
            keys=keys,
            publishers={
                name: bytes(key) for name, key in publishers if known.get(name) == bytes(key)
            },
        )

    # Members and grants

    def members(self) -> tuple[CatalogMember, ...]:
        """The members that the member sees: all who have or had a grant for one of the same repositories, and who introduced them."""
        rows = self._rows("SELECT * FROM codecairn.member_keys()")
        return tuple(
            CatalogMember(id=row[0], name=row[1], keys=_keys(*row[2:7]), has_left=row[7])
            for row in rows
        )

    def grants(self) -> tuple[CatalogGrant, ...]:
        """The grants that the member sees: their own, and all for repositories that they administer."""
        rows = self._rows(
            "SELECT repositories.name, coalesce(members.name, ''), role, members.joined_at IS NOT NULL "
            "FROM codecairn.grants JOIN codecairn.repositories ON repositories.id = grants.repository "
            "LEFT JOIN codecairn.members ON members.id = grants.member "
            "WHERE revoked_at IS NULL ORDER BY repositories.name, members.name"
        )
        names = ("repository", "member", "role", "has_joined")
        return tuple(CatalogGrant(**dict(zip(names, row, strict=True))) for row in rows)

    def may_read(self, repository_id: str, member: str) -> bool:
        """Whether a member has a grant for a repository; `False`, too, where the member who asks has none."""
        rows = self._rows("SELECT codecairn.may_read(%s, %s)", repository_id, _plain(member))
        return bool(rows[0][0])

    def invite(self, name: str, *, password: str, days: int) -> str:
        """Create a member with a role to log in, and return the role's name. The password itself is not sent.

        An invitation that the caller sent and that was not accepted is replaced, with the grants that came with it.

        Raises:
            RemoteRefused: If the member is no administrator.
            UsageError: If the name is not allowed, is a member's already, or was invited by another administrator.
        """
        with translated():
            encrypted = self._connection.pgconn.encrypt_password(
                password.encode(), b"-", b"scram-sha-256"
            )
        query = "SELECT codecairn.invite(%s, %s, %s)"
        try:
            return str(self._rows(query, _plain(name), encrypted.decode(), days)[0][0])
        except UsageError as err:
            hint = (
                "a member gets another grant by `codecairn team grant`, and an invitation that was not accepted is replaced by the "
                "one who sent it, or by the team's owner; names have a-z, 0-9, `-` and `_`"
            )
            raise UsageError(f"`{name}` can't be invited: {err.message}", hint=hint) from err

    def set_password(self, password: str) -> None:
        """Give the role that logged in another password; it is sent as a verifier."""
        from psycopg import sql

        with translated(secrets=[password]):
            role = self._connection.info.user
            encrypted = self._connection.pgconn.encrypt_password(
                password.encode(), role.encode(), b"scram-sha-256"
            )
            self._connection.execute(
                sql.SQL("ALTER ROLE {} PASSWORD {}").format(
                    sql.Identifier(role), sql.Literal(encrypted.decode())
                )
            )

    def grant(self, repository: CatalogRepository, member: str, role: str) -> None:
        """Give a member a role for a repository.

        Raises:
            RemoteRefused: If the caller is no administrator of it.
            UsageError: If there is no such member.
        """
        if role not in ROLES:
            raise UsageError(f"there is no role `{role}`", hint=f"one of {', '.join(ROLES)}")
        with translated(), self._connection.transaction():
            number = self._member(member)
            done = self._connection.execute(
                "UPDATE codecairn.grants SET role = %s, granted_by = codecairn.current_member(), "
                "granted_at = clock_timestamp(), revoked_at = NULL WHERE repository = %s AND member = %s",
                [role, repository.id, number],
            )
            if not done.rowcount:
                self._connection.execute(
                    "INSERT INTO codecairn.grants (repository, member, role, granted_by) "
                    "VALUES (%s, %s, %s, codecairn.current_member())",
                    [repository.id, number, role],
                )

    def revoke(self, repository: CatalogRepository, member: str) -> bool:
        """End a member's grant for a repository; whether there was one. The keys sealed to the member go with it.

        Raises:
            RemoteRefused: If the caller is no administrator of it.
            UsageError: If there is no such member.
        """
        query = "SELECT codecairn.revoke_grant(%s, %s)"
        return bool(self._rows(query, repository.id, self._member(member))[0][0])

    def remove_member(self, member: str) -> bool:
        """End a membership; whether there was one.

        The member is locked out first, whatever its sessions hold; a second call does what is left of the first.

        Raises:
            RemoteRefused: If the caller does not own the team, or its owner may not end sessions.
            RemoteUnavailable: If the database does not answer, or another session holds the member's rows; the message says what is
                done by then.
        """
        name = _plain(member)
        self._rows("SELECT codecairn.lock_out(%s)", name)
        again = f"run it again: `codecairn team revoke {member}`"
        for _ in range(_ATTEMPTS):
            if not self._rows("SELECT codecairn.end_sessions(%s)", name)[0][0]:
                break
        try:
            was_there = bool(self._rows("SELECT codecairn.remove_member(%s)", name)[0][0])
        except RemoteUnavailable as err:
            message = f"`{member}` is locked out, but still listed as a member: {err.message}"
            raise RemoteUnavailable(message, hint=again) from err
        try:
            self._close_login(name)
        except RemoteUnavailable as err:
            message = f"`{member}` is removed, but its sessions elsewhere on the server keep its role open: {err.message}"
            raise RemoteUnavailable(message, hint=again) from err
        return was_there

    def _close_login(self, member: str) -> None:
        """Have a role log in no more, which a session of it can hold up until that is ended."""
        for _ in range(_ATTEMPTS - 1):
            with suppress(
                RemoteUnavailable, InternalError
            ):  # a new session holds or changed the role
                self._rows("SELECT codecairn.close_login(%s)", member)
                return
        self._rows("SELECT codecairn.close_login(%s)", member)

    # Keys

    def holders(self, repository: CatalogRepository) -> Collection[str]:
        """The names of the members with a grant for a repository that the caller administers."""
        rows = self._rows(
            "SELECT members.name FROM codecairn.grants JOIN codecairn.members ON members.id = grants.member "
            "WHERE grants.repository = %s AND revoked_at IS NULL AND left_at IS NULL ORDER BY members.name",
            repository.id,
        )
        return [name for (name,) in rows]

    def put_key(
        self, repository: CatalogRepository, generation: int, sealed: Mapping[int, bytes]
    ) -> None:
        """Keep a repository's key as it was sealed to each member, by number.

        Raises:
            RemoteRefused: If the caller is no administrator of the repository.
        """
        with translated(), self._connection.transaction():
            for number, document in sealed.items():
                self._rows(
                    "INSERT INTO codecairn.repository_keys (repository, generation, member, sealed) "
                    "VALUES (%s, %s, %s, %s) ON CONFLICT (repository, generation, member) "
                    "DO UPDATE SET sealed = excluded.sealed",
                    *(repository.id, generation, number, document),
                )

    def advance_key(self, repository: CatalogRepository, generation: int) -> None:
        """Let publications use the key of this generation, a later one than `repository` has.

        Raises:
            RemoteRefused: If the caller is no administrator, or another changed the key meanwhile.
        """
        with translated():
            done = self._connection.execute(
                "UPDATE codecairn.repositories SET key_generation = %s WHERE id = %s AND key_generation = %s",
                [generation, repository.id, repository.key_generation],
            )
        if not done.rowcount:
            raise RemoteRefused(
                f"the key of `{repository.name}` was not changed",
                hint="only an administrator changes it, and one at a time",
            )

    # Usage

    def count_usage(self, repository_id: str, kind: str) -> None:
        """Count a use: "pull", "publish", "sync" or "promote"."""
        self._rows("SELECT codecairn.count_usage(%s, %s)", repository_id, kind)

    def usage(self, repository_id: str, *, days: int) -> dict[str, int]:
        """How often each kind of use happened in the last days, as far as the member may see it."""
        rows = self._rows(
            "SELECT kind, sum(count)::bigint FROM codecairn.usage "
            "WHERE repository = %s AND day > (clock_timestamp() AT TIME ZONE 'UTC')::date - %s GROUP BY kind ORDER BY kind",
            *(repository_id, days),
        )
        return dict(rows)

    def _member(self, name: str) -> int:
        rows = self._rows("SELECT codecairn.find_member(%s)", _plain(name))
        if rows[0][0] is None:
            raise UsageError(
                f"there is no member `{name}`", hint=f"invite them: `codecairn team invite {name}`"
            )
        return int(rows[0][0])

    def _one(self, query: str, *values: object) -> tuple[Any, ...]:
        return self._rows(query, *values)[0]

    def _rows(self, query: str, *values: object) -> Sequence[tuple[Any, ...]]:
        with translated():
            found = self._connection.execute(query.encode(), values)
            return found.fetchall() if found.description else ()


def _keys(signing_key: object, sealing_key: object, *signed: object) -> MemberKeys | None:
    if not isinstance(signing_key, bytes) or not isinstance(sealing_key, bytes):
        return None
    signature, introduction, acceptance = (
        each if isinstance(each, bytes) else b"" for each in signed
    )
    return MemberKeys(
        signing_key=signing_key,
        sealing_key=sealing_key,
        sealing_signature=signature,
        introduction=introduction,
        acceptance=acceptance,
    )


def _plain(value: str) -> str:
    """A text without zero characters, which PostgreSQL can't hold; its own checks see to the rest."""
    if "\0" in value:
        raise UsageError("a name has no zero characters")
    return value
