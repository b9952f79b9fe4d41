"""An invitation: a file of mode 0600 that people hand over, with what a new member needs to log in and to open objects."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import FileAccessError, UsageError
from codecairn.paths.atomic_write import write_atomically
from codecairn.team.connection import is_local, parsed
from codecairn.team.membership import (
    TeamRepository,
    keys_of,
    read_private_file,
    repository_document,
    repository_of,
    require_format,
)

FORMAT = "codecairn-invitation-v1"

_PARAMETERS = frozenset(
    {
        "host",
        "port",
        "dbname",
        "user",
        "password",
        "sslmode",
        "channel_binding",
        "target_session_attrs",
    }
)
"""What an invitation may decide of a connection. Others of libpq read files of the user, or run what they name."""

_REQUIRED = ("host", "dbname", "user")
_VERIFIED = "verify-full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """What a new member gets.

    Attributes:
        team_id: The team's id.
        team: Its name.
        member: The new member's name.
        conninfo: How the database is reached, with the member's login role and without a password.
        password: The password until the invitation is accepted; accepting it sets another.
        key: The private key of Ed25519 that was made for the invitation; it signs the new member's own.
        introduction: The member's name and the public half of `key`, signed by the inviting member.
        known_keys: The signing keys of the members that the inviting one knows, by name.
        repositories: Those that come with it, with their keys.
    """

    team_id: str
    team: str
    member: str
    conninfo: str
    password: str = field(repr=False)
    key: bytes = field(repr=False)
    introduction: bytes
    known_keys: Mapping[str, bytes]
    repositories: Sequence[TeamRepository]

    def write(self, file: Path) -> None:
        """Write it for its user alone.

        Raises:
            FileAccessError: If the file is there already, or can't be written.
        """
        if os.path.lexists(file):
            raise FileAccessError(f"`{file}` is there already", hint="choose another name")
        document = {
            "format": FORMAT,
            "team_id": self.team_id,
            "team": self.team,
            "member": self.member,
            "conninfo": self.conninfo,
            "password": self.password,
            "key": self.key.hex(),
            "introduction": self.introduction.hex(),
            "known_keys": {name: key.hex() for name, key in self.known_keys.items()},
            "repositories": [repository_document(each) for each in self.repositories],
        }
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        try:
            write_atomically(file, text.encode("utf-8"), mode=0o600)
        except OSError as err:
            raise FileAccessError(f"can't write `{file}`: {err.strerror or err}") from err


def read_invitation(file: Path) -> Invitation:
    """The invitation in a file.

    Raises:
        FileAccessError: If it can't be read, others may read it, or it is no invitation.
    """
    document = read_private_file(file, what="invitation")
    try:
        require_format(document, FORMAT)
        repositories = [repository_of(row) for row in document["repositories"]]
        texts = {name: _text(document[name]) for name in _TEXTS}
        _require_parameters(parsed(texts["conninfo"]), texts["password"])
        return Invitation(
            key=keys_of({"key": document["key"]})["key"],
            introduction=bytes.fromhex(document["introduction"]),
            known_keys=keys_of(document["known_keys"]),
            repositories=repositories,
            **texts,
        )
    except UsageError as err:
        raise FileAccessError(f"`{file}` is no invitation: {err.message}") from err
    except (ValueError, KeyError, TypeError, AttributeError) as err:
        raise FileAccessError(f"`{file}` is no invitation: {err}") from err


def conninfo_for(connection_parameters: Mapping[str, str], *, login: str) -> dict[str, str]:
    """How a new member reaches the database: as the inviting one does, by another role and without a service, files or a password.

    A server elsewhere has to show a valid certificate, however the inviting member reaches it.
    """
    host = connection_parameters["host"]
    kept = {
        name: connection_parameters[name]
        for name in ("port", "dbname", "channel_binding", "target_session_attrs")
        if connection_parameters.get(name)
    }
    sslmode = connection_parameters.get("sslmode", "") if is_local(host) else _VERIFIED
    return {"host": host, "user": login, **kept, **({"sslmode": sslmode} if sslmode else {})}


def _require_parameters(given: Mapping[str, str], password: str) -> None:
    """Refuse an address that would read more of this machine than itself, or that does not verify a server elsewhere.

    Raises:
        ValueError: If it is one.
    """
    for name in sorted(given.keys() - _PARAMETERS):
        message = f"an invitation does not set `{name}` of a connection"
        raise ValueError(message)
    for name in _REQUIRED:
        if not given.get(name):
            message = f"it does not name the `{name}` of the database"
            raise ValueError(message)
    if not password or given.get("password", password) != password:
        message = "it has no password"
        raise ValueError(message)
    if not is_local(given["host"]) and given.get("sslmode", _VERIFIED) != _VERIFIED:
        message = f"its database is on another machine, and `sslmode={given['sslmode']}` does not verify which"
        raise ValueError(message)


_TEXTS = ("team_id", "team", "member", "conninfo", "password")


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 4096:
        message = "a text is missing"
        raise ValueError(message)
    return value
