"""An invitation: a file of mode 0600 that people hand over, with what a new member needs to log in and to open objects."""

import json
import os
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import FileAccessError
from codecairn.paths.atomic_write import write_atomically
from codecairn.team.membership import (
    TeamRepository,
    read_private_file,
    repository_document,
    repository_of,
    require_format,
)

FORMAT = "codecairn-invitation-v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """What a new member gets.

    Attributes:
        team_id: The team's id.
        team: Its name.
        member: The new member's name.
        conninfo: How the database is reached, with the member's login role and without a password.
        password: The password until the invitation is accepted; accepting it sets another.
        repositories: Those that come with it, with their keys.
    """

    team_id: str
    team: str
    member: str
    conninfo: str
    password: str = field(repr=False)
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
        return Invitation(
            repositories=repositories,
            **{name: _text(document[name]) for name in _TEXTS},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as err:
        raise FileAccessError(f"`{file}` is no invitation: {err}") from err


_TEXTS = ("team_id", "team", "member", "conninfo", "password")


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 4096:
        message = "a text is missing"
        raise ValueError(message)
    return value
