"""Whose keys count in a team: those of trusted members.

A member trusts itself, the keys that it has seen before, and every member that a trusted one has introduced. The database is not
believed on it. An invitation holds a private key that was made for it. The inviting member signs the new member's
name with its public half; the new member signs its own key of Ed25519 with the private half, and with that key its key of X25519. So
who has the key of one member that it trusts recognises all others, and a key that was put in the place of another is none of a member.
All these are signed documents (`codecairn.objects.signature`) of kinds of their own, for one team.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteError, RemoteUntrusted
from codecairn.objects.signature import open_signed, public_key_of, sign
from codecairn.team.key_sealing import sealing_public_key

if TYPE_CHECKING:
    from codecairn.team.catalog import CatalogMember
    from codecairn.team.membership import Membership

_INTRODUCTION = "team introduction"
_ACCEPTANCE = "team acceptance"
_SEALING_KEY = "team sealing key"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberKeys:
    """A member's public keys, and what shows that they are its own.

    Attributes:
        signing_key: Verifies what the member signs: Ed25519, 32 bytes.
        sealing_key: To it, keys of repositories are sealed: X25519, 32 bytes.
        sealing_signature: `sealing_key`, signed by the member.
        introduction: The member's name and the invitation's public key, signed by the inviting member; empty for the first member.
        acceptance: `signing_key`, signed by the invitation's key; empty for the first member.
    """

    signing_key: bytes
    sealing_key: bytes
    sealing_signature: bytes
    introduction: bytes = b""
    acceptance: bytes = b""


def introduction(team: str, member: str, invitation_key: bytes, *, private_key: bytes) -> bytes:
    """A new member's name with the public half of `invitation_key`, signed by the inviting member's `private_key`."""
    payload = _payload(member, public_key_of(invitation_key))
    return sign(_INTRODUCTION, team, payload, private_key=private_key)


def member_keys(
    team: str,
    member: str,
    *,
    signing_key: bytes,
    sealing_key: bytes,
    introduced_by: bytes = b"",
    invitation_key: bytes = b"",
) -> MemberKeys:
    """The public halves of a member's private keys, with what shows that they are its own.

    Args:
        team: The team's id.
        member: The member's name.
        signing_key: The member's private key of Ed25519.
        sealing_key: The member's private key of X25519.
        introduced_by: The introduction in the invitation; empty for the first member.
        invitation_key: The private key in the invitation, likewise.
    """
    public, sealing = public_key_of(signing_key), sealing_public_key(sealing_key)
    return MemberKeys(
        signing_key=public,
        sealing_key=sealing,
        sealing_signature=sign(
            _SEALING_KEY, team, _payload(member, sealing), private_key=signing_key
        ),
        introduction=introduced_by,
        acceptance=sign(_ACCEPTANCE, team, _payload(member, public), private_key=invitation_key)
        if invitation_key
        else b"",
    )


def known_keys(membership: "Membership", members: Collection["CatalogMember"]) -> dict[str, bytes]:
    """The signing key of each member that `membership` knows, by name: its own, those known before, and those that these introduced.

    A key that is known stays, whatever the database has for that name by now. Cost: a verification for each new member.
    """
    team = membership.team_id
    found = {**membership.known_keys, membership.member: public_key_of(membership.signing_key)}
    waiting = [each for each in members if each.keys is not None and each.name not in found]
    while True:
        accepted = frozenset(found.values())
        new = {
            each.name: each.keys.signing_key
            for each in waiting
            if each.keys is not None and _is_introduced(team, each.name, each.keys, accepted)
        }
        if not new:
            return found
        found |= new
        waiting = [each for each in waiting if each.name not in new]


def sealing_key_of(
    membership: "Membership", member: "CatalogMember", known: Mapping[str, bytes]
) -> bytes:
    """The key that a member's keys of repositories are sealed to.

    Raises:
        RemoteUntrusted: If the member is not known, or did not sign the key.
    """
    keys, key = member.keys, known.get(member.name)
    if keys is None or key is None or key != keys.signing_key:
        raise RemoteUntrusted(
            f"the team's database has a key for `{member.name}` that no trusted member introduced",
            hint="the database may have been tampered with; invite that person again, under another name",
        )
    try:
        _require_signed_sealing_key(membership.team_id, member.name, keys)
    except (RemoteError, ValueError) as err:
        raise RemoteUntrusted(
            f"the team's database has a key to seal to for `{member.name}` that the member did not sign",
            hint="the database may have been tampered with; invite that person again, under another name",
        ) from err
    return keys.sealing_key


def _is_introduced(team: str, name: str, keys: MemberKeys, accepted: frozenset[bytes]) -> bool:
    try:
        introduced = open_signed(_INTRODUCTION, team, keys.introduction, accepted=accepted).payload
        invitation_key = introduced.removeprefix(_payload(name, b""))
        acceptance = open_signed(_ACCEPTANCE, team, keys.acceptance, accepted={invitation_key})
        _require_signed_sealing_key(team, name, keys)
    except (RemoteError, ValueError):
        return False
    is_named = introduced == _payload(name, invitation_key)
    return is_named and acceptance.payload == _payload(name, keys.signing_key)


def _require_signed_sealing_key(team: str, name: str, keys: MemberKeys) -> None:
    signed = open_signed(_SEALING_KEY, team, keys.sealing_signature, accepted={keys.signing_key})
    if signed.payload != _payload(name, keys.sealing_key):
        message = "another sealing key was signed"
        raise ValueError(message)


def _payload(member: str, key: bytes) -> bytes:
    return member.encode() + b"\0" + key
