"""What a member keeps of a team on their own machine: the connection, private keys, keys of repositories.

It is a file of mode 0600 for each team in the user's data folder, replaced atomically. A workspace's files never name a team.
"""

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import FileAccessError, UsageError
from codecairn.paths import user
from codecairn.paths.atomic_write import write_atomically

FOLDER = "team"
"""The folder of these files in the user's data folder."""

FORMAT = "codecairn-team-v1"
MAX_BYTES = 4 << 20
"""A larger file is not ours: a repository takes about a kilobyte."""

MAX_FILES = 64

_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRepository:
    """What a member knows of a repository.

    Attributes:
        id: Its id, 32 hexadecimal digits.
        name: What people call it.
        project: The project's name in the memory, by which a workspace is recognised.
        store_url: Where its objects lie.
        role: The member's role when it was looked up last.
        key_generation: The highest generation of its key that the team's database ever named as the one in use.
        keys: Its keys of 32 bytes, by generation.
        publishers: The public keys whose signatures count, by member.
    """

    id: str
    name: str
    project: str
    store_url: str
    role: str
    key_generation: int
    keys: Mapping[int, bytes] = field(default_factory=dict, repr=False)
    publishers: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def key(self) -> bytes | None:
        """The key in use; `None` if the member does not hold it."""
        return self.keys.get(self.key_generation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """A member's own side of a team.

    Attributes:
        team_id: The team's id, 32 hexadecimal digits.
        team: What people call it.
        member: The member's name.
        conninfo: How the database is reached, without a password.
        password: The password; empty where libpq finds it by itself, or none is needed.
        is_isolated: Whether `conninfo` came with an invitation, so that no variable or file of libpq adds to it.
        signing_key: The private key that signs what the member publishes and promotes, 32 bytes.
        sealing_key: The private key that opens keys of repositories, 32 bytes.
        repositories: By id.
        known_keys: The signing keys of the members that are known, by name; see `codecairn.team.member_keys`.
        revoked: Grants that were revoked from here, as `repository/member`: who has one gets no key from here, whatever the database
            has.
    """

    team_id: str
    team: str
    member: str
    conninfo: str
    password: str = field(repr=False)
    signing_key: bytes = field(repr=False)
    sealing_key: bytes = field(repr=False)
    is_isolated: bool = False
    repositories: Mapping[str, TeamRepository] = field(default_factory=dict)
    known_keys: Mapping[str, bytes] = field(default_factory=dict)
    revoked: frozenset[str] = frozenset()


def memberships() -> tuple[Membership, ...]:
    """Every team that this user belongs to, by name.

    Raises:
        FileAccessError: If a file of one can't be read, or others may have written it.
    """
    folder = user.data_folder() / FOLDER
    try:
        names = sorted(os.listdir(folder))[:MAX_FILES]  # noqa: PTH208 - names are enough
    except FileNotFoundError:
        return ()
    except OSError as err:
        raise FileAccessError(f"can't read `{folder}`: {err.strerror or err}") from err
    ids = [name.removesuffix(".json") for name in names if name.endswith(".json")]
    found = [_read(folder / f"{id_}.json") for id_ in ids if _ID.fullmatch(id_)]
    return tuple(sorted(found, key=lambda each: (each.team, each.team_id)))


def membership(team: str | None) -> Membership:
    """The one team that this user belongs to, or the one of this name.

    Raises:
        UsageError: If there is none, or there are several and none is named.
    """
    found = memberships()
    named = [each for each in found if team is None or team in {each.team, each.team_id}]
    if len(named) == 1:
        return named[0]
    if not found:
        hint = "accept an invitation with `codecairn team join FILE`"
        raise UsageError("you belong to no team", hint=hint)
    names = ", ".join(f"`{each.team}`" for each in found)
    if not named:
        raise UsageError(f"you do not belong to the team `{team}`", hint=f"yours: {names}")
    raise UsageError("which team?", hint=f"name one with `--team`: {names}")


def begun_membership(team_id: str) -> Membership | None:
    """What was made for a team by a `join` that did not come to its end; it is no membership yet.

    Raises:
        FileAccessError: If it can't be read.
    """
    file = _file(team_id, is_begun=True)
    return _read(file) if file.exists() else None


def save(membership: Membership, *, is_begun: bool = False) -> Path:
    """Write a membership, or one that is begun, and return its file.

    Raises:
        FileAccessError: If it can't be written.
    """
    file = _file(membership.team_id, is_begun=is_begun)
    text = json.dumps(_document(membership), indent=1, ensure_ascii=False)
    try:
        user.make_data_folder()
        file.parent.mkdir(mode=0o700, exist_ok=True)
        write_atomically(file, text.encode("utf-8"), mode=0o600)
    except OSError as err:
        raise FileAccessError(f"can't write `{file}`: {err.strerror or err}") from err
    return file


def forget_begun(membership: Membership) -> None:
    """Remove what `save` wrote of a membership that was begun; there may be none.

    Raises:
        FileAccessError: If its file can't be removed.
    """
    file = _file(membership.team_id, is_begun=True)
    try:
        file.unlink(missing_ok=True)
    except OSError as err:
        raise FileAccessError(f"can't remove `{file}`: {err.strerror or err}") from err


def read_private_file(file: Path, *, what: str) -> dict[str, Any]:
    """The JSON object in a file that only its owner may read, for it holds credentials.

    Raises:
        FileAccessError: If it can't be read, is another user's, others may read or write it, or it is no such object.
    """
    try:
        with file.open("rb") as opened:
            _require_private(opened.fileno())
            document = json.loads(opened.read(MAX_BYTES + 1).decode("utf-8"))
    except FileNotFoundError as err:
        raise FileAccessError(f"there is no {what} `{file}`") from err
    except (OSError, ValueError, RecursionError) as err:
        reason = getattr(err, "strerror", None) or str(err)
        raise FileAccessError(f"can't read the {what} `{file}`: {reason}") from err
    if not isinstance(document, dict):
        raise FileAccessError(f"can't read the {what} `{file}`: it is no object of JSON")
    return document


def require_format(document: Mapping[str, Any], format_: str) -> None:
    """Refuse a document of another format.

    Raises:
        ValueError, KeyError: If it is one.
    """
    if document["format"] != format_:
        message = f"its format is `{str(document['format'])[:50]}`, not `{format_}`"
        raise ValueError(message)


def _require_private(handle: int) -> None:
    found = os.fstat(handle)
    if found.st_size > MAX_BYTES:
        message = f"it is larger than {MAX_BYTES:,} bytes"
        raise ValueError(message)
    if sys.platform == "win32":
        return
    if found.st_uid != os.getuid():
        message = "it belongs to another user"
        raise ValueError(message)
    if found.st_mode & 0o077:
        message = "others may read or write it; `chmod 600` makes it yours alone"
        raise ValueError(message)


def _file(team_id: str, *, is_begun: bool = False) -> Path:
    return user.data_folder() / FOLDER / f"{team_id}{'.begun' if is_begun else '.json'}"


def _read(file: Path) -> Membership:
    document = read_private_file(file, what="membership")
    try:
        require_format(document, FORMAT)
        return Membership(
            team_id=_id(document["team_id"]),
            team=str(document["team"]),
            member=str(document["member"]),
            conninfo=str(document["conninfo"]),
            password=str(document["password"]),
            signing_key=_key(document["signing_key"]),
            sealing_key=_key(document["sealing_key"]),
            is_isolated=document["is_isolated"] is not False,
            repositories={each.id: each for each in map(repository_of, document["repositories"])},
            known_keys=keys_of(document["known_keys"]),
            revoked=frozenset(map(str, document["revoked"])),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as err:
        raise FileAccessError(
            f"can't read the membership `{file}`: {err}",
            hint="remove it, and ask for a new invitation",
        ) from err


def repository_of(row: Any) -> TeamRepository:  # noqa: ANN401 - JSON
    """A repository as `repository_document` writes it.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: If it is none.
    """
    return TeamRepository(
        id=_id(row["id"]),
        name=str(row["name"]),
        project=str(row["project"]),
        store_url=str(row["store_url"]),
        role=str(row["role"]),
        key_generation=int(row["key_generation"]),
        keys={int(generation): _key(key) for generation, key in row["keys"].items()},
        publishers=keys_of(row["publishers"]),
    )


def keys_of(row: Any) -> dict[str, bytes]:  # noqa: ANN401 - JSON
    """Keys of 32 bytes by name, from hexadecimal digits.

    Raises:
        ValueError, AttributeError: If it is none.
    """
    return {str(name): _key(key) for name, key in row.items()}


def repository_document(repository: TeamRepository) -> dict[str, object]:
    """A repository as JSON; keys are hexadecimal."""
    return {
        "id": repository.id,
        "name": repository.name,
        "project": repository.project,
        "store_url": repository.store_url,
        "role": repository.role,
        "key_generation": repository.key_generation,
        "keys": {str(generation): key.hex() for generation, key in repository.keys.items()},
        "publishers": {name: key.hex() for name, key in repository.publishers.items()},
    }


def _document(membership: Membership) -> dict[str, object]:
    return {
        "format": FORMAT,
        "team_id": membership.team_id,
        "team": membership.team,
        "member": membership.member,
        "conninfo": membership.conninfo,
        "password": membership.password,
        "signing_key": membership.signing_key.hex(),
        "sealing_key": membership.sealing_key.hex(),
        "is_isolated": membership.is_isolated,
        "repositories": [repository_document(each) for each in membership.repositories.values()],
        "known_keys": {name: key.hex() for name, key in membership.known_keys.items()},
        "revoked": sorted(membership.revoked),
    }


def _id(value: Any) -> str:  # noqa: ANN401 - JSON
    if not isinstance(value, str) or not _ID.fullmatch(value):
        message = f"`{str(value)[:50]}` is no id"
        raise ValueError(message)
    return value


def _key(value: Any) -> bytes:  # noqa: ANN401 - JSON
    key = bytes.fromhex(value) if isinstance(value, str) else b""
    if len(key) != 32:
        message = "a key has 32 bytes"
        raise ValueError(message)
    return key


def remember_grants(membership: Membership, *repositories: TeamRepository) -> Membership:
    """The membership with these repositories in the place of what it knew of them; not saved yet.

    A key that is held stays, and no older generation than before is used: publications would open with a key of who has left. The
    project stays, too: else the database could have a workspace published under the key of another repository.
    """
    from dataclasses import replace

    merged = dict(membership.repositories)
    for each in repositories:
        older = merged.get(each.id)
        keys = {**each.keys, **(older.keys if older else {})}
        generation = max(each.key_generation, older.key_generation if older else 0)
        project = older.project if older else each.project
        merged[each.id] = replace(each, project=project, keys=keys, key_generation=generation)
    return replace(membership, repositories=merged)
