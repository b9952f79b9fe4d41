"""A statement of a team's memory as its author signs it, and how a reader verifies it.

A record is a signed document (`codecairn.objects.signature`) of the kind `team fact`, so that it counts for one repository, and as
nothing else. It asserts a statement, ends it, or asks for its erasure. A statement is identified by the hash of its content, as in
the files of `codecairn.memory.team`, so both ways of sharing know it under one id.
"""

import json
from collections.abc import Mapping
from typing import Any

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.memory import FACT_TYPES, ORIGINS
from codecairn.errors import RemoteError
from codecairn.memory.team.record_file import Shared
from codecairn.memory.team.shareable import NOT_SHARED
from codecairn.objects.signature import open_signed, sign

KIND = "team fact"
VERSION = 1
MAX_BODY_BYTES = 128 << 10
MAX_TEXT_BYTES = 64 << 10
MAX_LABEL_CHARACTERS = 1_000
"""Of a title, a tag, a subject or a predicate."""

MAX_TAGS = 64
MAX_MS = 10**14
"""A time after it (in the year 5138) is none."""

ASSERTED, ENDED, ERASED = "asserted", "ended", "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRecord:
    """What a member says of a statement.

    Attributes:
        kind: `asserted`, `ended` (it no longer holds) or `erased` (no copy shall remain).
        signer: The member who signed the record.
        author: The member who asserted the statement: the signer, unless an administrator ends it.
        id: The statement's id.
        signed_ms: When it was signed, by the signer's clock: of two records of an author on a statement the later one counts.
        valid_to_ms: Until when the statement holds; `None` if that is open.
        statement: The statement; `None` where it ends.
    """

    kind: str
    signer: str
    author: str
    id: str
    signed_ms: int
    valid_to_ms: int | None = None
    statement: Shared | None = None

    def signed(self, team: str, repository: str, *, private_key: bytes) -> bytes:
        """The signed document."""
        row: dict[str, object] = {
            "version": VERSION,
            "team": team,
            "repository": repository,
            "kind": self.kind,
            "signer": self.signer,
            "author": self.author,
            "id": self.id,
            "signed_ms": self.signed_ms,
            "valid_to_ms": self.valid_to_ms,
        }
        if self.statement is not None:
            row["statement"] = {
                "text": self.statement.text,
                "type": self.statement.type,
                "title": self.statement.title,
                "tags": list(self.statement.tags),
                "subject": self.statement.subject,
                "predicate": self.statement.predicate,
                "origin": self.statement.origin,
                "valid_from_ms": self.statement.valid_from_ms,
                "replaces": list(self.statement.replaces),
            }
        payload = json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return sign(KIND, repository, payload.encode("utf-8", "replace"), private_key=private_key)


def read_record(
    body: bytes, *, team: str, repository: str, signer: str, public_key: bytes, is_by_admin: bool
) -> FactRecord:
    """The record that a member signed for this team and repository. Only an administrator ends what another said.

    Raises:
        ValueError: If it is none, or signed by another; says why.
    """
    if len(body) > MAX_BODY_BYTES:
        message = f"it has more than {MAX_BODY_BYTES:,} bytes"
        raise ValueError(message)
    try:
        payload = open_signed(KIND, repository, body, accepted={public_key}).payload
    except RemoteError as err:
        message = f"it does not carry the signature of `{signer}`"
        raise ValueError(message) from err
    try:
        row = json.loads(payload.decode("utf-8"))
        record = _record(row, team=team, repository=repository, signer=signer)
    except (KeyError, TypeError, AttributeError, RecursionError, UnicodeDecodeError) as err:
        message = f"it has no valid field {err}"
        raise ValueError(message) from err
    _require(is_by_admin or record.author == signer, "it ends what another said")
    return record


def _record(row: Mapping[str, Any], *, team: str, repository: str, signer: str) -> FactRecord:
    _require(row["version"] == VERSION, "a newer version of codecairn wrote it")
    _require((row["team"], row["repository"]) == (team, repository), "it belongs elsewhere")
    _require(row["signer"] == signer, "it names another signer")
    kind = row["kind"]
    _require(kind in {ASSERTED, ENDED, ERASED}, "it neither asserts nor ends")
    valid_to = row["valid_to_ms"]
    statement = _statement(row) if kind == ASSERTED else None
    if statement is not None:
        _require(row["id"] == statement.id, "its id is not the hash of what it says")
        _require(row["author"] == signer, "it asserts in the name of another")
    return FactRecord(
        kind=kind,
        signer=signer,
        author=_label(row["author"]),
        id=_label(row["id"]),
        signed_ms=_ms(row["signed_ms"]),
        valid_to_ms=None if valid_to is None else _ms(valid_to),
        statement=statement,
    )


def _statement(row: Mapping[str, Any]) -> Shared:
    given = row["statement"]
    text, type_, tags = given["text"], given["type"], given["tags"]
    _require(isinstance(text, str) and bool(text.strip()), "it has no text")
    _require(len(text.encode("utf-8", "replace")) <= MAX_TEXT_BYTES, "its text is too long")
    _require(type_ in FACT_TYPES and type_ not in NOT_SHARED, "its type is none of a statement")
    _require(isinstance(tags, list) and len(tags) <= MAX_TAGS, "it has too many tags")
    _require(given["origin"] in ORIGINS, "its origin is none")
    replaces = given["replaces"]
    _require(isinstance(replaces, list) and len(replaces) <= MAX_TAGS, "it replaces too many")
    return Shared(
        text=text,
        type=type_,
        title=_label(given["title"]),
        tags=tuple(map(_label, tags)),
        subject=_label(given["subject"]),
        predicate=_label(given["predicate"]),
        origin=given["origin"],
        valid_from_ms=_ms(given["valid_from_ms"]),
        at_ms=_ms(row["signed_ms"]),
        replaces=tuple(map(_label, replaces)),
    )


def _label(value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_LABEL_CHARACTERS:
        message = "one of its names is no short text"
        raise ValueError(message)
    return value


def _ms(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_MS:
        message = "one of its times is none"
        raise ValueError(message)
    return value


def _require(is_so: bool, message: str) -> None:  # noqa: FBT001 - a condition
    if not is_so:
        raise ValueError(message)
