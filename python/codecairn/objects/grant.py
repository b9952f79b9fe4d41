"""A grant: what it takes to read a shared index, and with a private key to publish it.

It is a small JSON document that one person gives to another over a channel that both trust. Its keys appear in no message and
no `repr`.
"""

import base64
import json
import secrets
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import UsageError
from codecairn.objects.opening import normalised
from codecairn.objects.seal import KEY_BYTES
from codecairn.objects.signature import (
    PRIVATE_KEY_BYTES,
    PUBLIC_KEY_BYTES,
    new_private_key,
    public_key_of,
)

VERSION = 1
MAX_GRANT_BYTES = 256 << 10
MAX_NAME_CHARACTERS = 64
MAX_PUBLISHERS = 1000
_ID_BYTES = 16
_MARK = "codecairn-grant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """Someone whose signature a reader accepts; `key` is the public key."""

    name: str
    key: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Access to the shared index of one repository.

    Attributes:
        repository: Its id: 32 hexadecimal digits.
        name: What people call it.
        url: Where its objects lie.
        branch: The branch whose index serves where one's own branch has none.
        key: The key under which its objects are sealed.
        publishers: Whose signatures are accepted.
        private_key: What this holder signs with; `None` for a reader.
        team: The id of the team whose database decides on it; empty for a shared index without a team.
    """

    repository: str
    name: str
    url: str
    branch: str
    key: bytes = field(repr=False)
    publishers: tuple[Publisher, ...]
    private_key: bytes | None = field(default=None, repr=False)
    team: str = ""

    @property
    def accepted(self) -> frozenset[bytes]:
        """The public keys of the publishers."""
        return frozenset(each.key for each in self.publishers)

    @property
    def may_publish(self) -> bool:
        """Whether it holds a private key."""
        return self.private_key is not None

    def for_reader(self) -> "Grant":
        """The same without the private key."""
        return replace(self, private_key=None)

    def with_publisher(self, name: str) -> "tuple[Grant, Grant]":
        """The same with one more publisher, and the grant for that one, with a fresh private key.

        Raises:
            UsageError: If a publisher has this name.
        """
        if name in {each.name for each in self.publishers}:
            raise UsageError(f"there is a publisher `{name}` already", hint="give another name")
        private_key = new_private_key()
        publisher = Publisher(name=_checked_name(name), key=public_key_of(private_key))
        own = replace(self, publishers=(*self.publishers, publisher))
        return own, replace(own, private_key=private_key)

    def changes_from(self, held: "Grant") -> list[str]:
        """What would be different if this grant took the place of another for the same repository, a clause each; no keys."""
        found = []
        if self.url != held.url:
            found.append(f"its objects lie in `{self.url}`, not in `{held.url}`")
        if self.name != held.name:
            found.append(f"it is called `{self.name}`, not `{held.name}`")
        if self.branch != held.branch:
            found.append(f"its branch is `{self.branch}`, not `{held.branch}`")
        if self.key != held.key:
            found.append("it opens objects with another key")
        found += [f"it accepts {each}" for each in _without(self.publishers, held.publishers)]
        found += [
            f"it no longer accepts {each}" for each in _without(held.publishers, self.publishers)
        ]
        if held.private_key is not None and self.private_key != held.private_key:
            what = "takes away" if self.private_key is None else "replaces"
            found.append(f"it {what} the key that you publish with")
        return found

    def document(self) -> bytes:
        """The grant as it is kept and handed over."""
        row: dict[str, object] = {
            _MARK: VERSION,
            "repository": self.repository,
            "name": self.name,
            "url": self.url,
            "branch": self.branch,
            "key": _text(self.key),
            "publishers": [{"name": each.name, "key": _text(each.key)} for each in self.publishers],
        }
        if self.private_key is not None:
            row["private_key"] = _text(self.private_key)
        if self.team:
            row["team"] = self.team
        return json.dumps(row, indent=2).encode() + b"\n"


def new_grant(*, url: str, name: str, branch: str, publisher: str) -> Grant:
    """A grant for a repository that is not shared yet, with fresh keys and its maker as the only publisher."""
    private_key = new_private_key()
    return Grant(
        repository=secrets.token_hex(_ID_BYTES),
        name=_checked_name(name),
        url=normalised(url),
        branch=branch,
        key=secrets.token_bytes(KEY_BYTES),
        publishers=(Publisher(name=_checked_name(publisher), key=public_key_of(private_key)),),
        private_key=private_key,
    )


def read_grant(document: bytes, *, source: str) -> Grant:
    """The grant in a document; `source` names the document in messages, which quote nothing of it.

    Raises:
        UsageError: If it is none, or one of a newer version.
    """
    try:
        row = json.loads(document)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or _MARK not in row or len(document) > MAX_GRANT_BYTES:
        raise UsageError(
            f"`{source}` is no grant", hint="`codecairn remote grant --output FILE` makes one"
        )
    if row[_MARK] != VERSION:
        raise UsageError(f"the grant in `{source}` is of a newer version", hint="upgrade codecairn")
    try:
        grant = _grant(row)
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"the grant in `{source}` is damaged", hint="have it sent again") from None
    if grant.private_key is not None and public_key_of(grant.private_key) not in grant.accepted:
        raise UsageError(f"the grant in `{source}` does not name its own publisher")
    return grant


def _without(publishers: tuple[Publisher, ...], others: tuple[Publisher, ...]) -> list[str]:
    """The publishers that are not among others, by name and the beginning of the public key."""
    known = {(each.name, each.key) for each in others}
    return [
        f"the publisher `{each.name}` ({each.key.hex()[:16]})"
        for each in publishers
        if (each.name, each.key) not in known
    ]


def _grant(row: Mapping[str, Any]) -> Grant:
    publishers = row["publishers"]
    if not isinstance(publishers, list) or not 1 <= len(publishers) <= MAX_PUBLISHERS:
        raise ValueError
    repository, team = _id(row["repository"]), row.get("team", "")
    private_key = row.get("private_key")
    return Grant(
        repository=repository,
        name=_checked_name(row["name"]),
        url=normalised(_checked_text(row["url"])),
        branch=_checked_text(row["branch"]),
        key=_bytes(row["key"], KEY_BYTES),
        publishers=tuple(
            Publisher(name=_checked_name(each["name"]), key=_bytes(each["key"], PUBLIC_KEY_BYTES))
            for each in publishers
        ),
        private_key=None if private_key is None else _bytes(private_key, PRIVATE_KEY_BYTES),
        team=_id(team) if team else "",
    )


def _id(value: object) -> str:
    id_ = str(value)
    if len(id_) != 2 * _ID_BYTES or bytes.fromhex(id_).hex() != id_:
        raise ValueError
    return id_


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_NAME_CHARACTERS:
        raise UsageError(f"a name has 1 to {MAX_NAME_CHARACTERS} characters")
    return _checked_text(name)


def _checked_text(text: object) -> str:
    if not isinstance(text, str) or len(text) > MAX_GRANT_BYTES or not text.isprintable():
        raise UsageError("a name or an address in a grant has characters that can't be printed")
    return text


def _text(key: bytes) -> str:
    return base64.b64encode(key).decode()


def _bytes(text: object, length: int) -> bytes:
    if not isinstance(text, str):
        raise TypeError
    key = base64.b64decode(text, validate=True)
    if len(key) != length:
        raise ValueError
    return key
