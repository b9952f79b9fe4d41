"""Requests to a search node, signed by a member with the key that joining made.

Signed are the method, the path, the SHA-256 of the body, the node's name as the request has it in `Host`, the member, the time and a
nonce. So a request says nothing to another node, with another body, or later.

    codecairn-member: ann
    codecairn-time: 1764313200
    codecairn-nonce: 5f0c…                  16 random bytes in hexadecimal digits
    codecairn-signature: Q0NTMQ…            a signed document without its payload, in base64
"""

import base64
import binascii
import hashlib
import re
import secrets
from collections.abc import Mapping

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteUntrusted
from codecairn.objects.signature import open_signed, sign
from codecairn.team.membership import Membership

MEMBER = "codecairn-member"
TIME = "codecairn-time"
NONCE = "codecairn-nonce"
SIGNATURE = "codecairn-signature"

_KIND = "search node request"
_NONCE_BYTES = 16
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,30}")
_SECONDS = re.compile(r"[0-9]{1,12}")
_NONCE = re.compile(r"[0-9a-f]{32}")
_MAX_SIGNATURE_CHARACTERS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRequest:
    """What is signed of a request, and who signed it.

    Attributes:
        method: "GET" or "POST".
        path: The path.
        body: The body.
        node: The node's name: host and port, as in `Host`.
        member: The member's name.
        time_s: When it was made, in seconds since 1970.
        nonce: 32 hexadecimal digits.
        signature: The signed document without its payload; empty before it is signed.
    """

    method: str
    path: str
    body: bytes
    node: str
    member: str
    time_s: int
    nonce: str
    signature: bytes = b""

    @property
    def _payload(self) -> bytes:
        digest = hashlib.sha256(self.body).hexdigest()
        parts = (self.method, self.path, digest, self.node, self.member, self.time_s, self.nonce)
        return "\n".join(map(str, parts)).encode("utf-8", "surrogateescape")

    def headers(self, membership: Membership) -> dict[str, str]:
        """The headers by which a node knows the member."""
        signed = sign(_KIND, membership.team_id, self._payload, private_key=membership.signing_key)
        signature = signed.removesuffix(self._payload)
        return {
            MEMBER: self.member,
            TIME: str(self.time_s),
            NONCE: self.nonce,
            SIGNATURE: base64.b64encode(signature).decode(),
        }

    def require_signed(self, team_id: str, key: bytes) -> None:
        """Refuse a request that was not signed for this team with the private half of this key.

        Raises:
            RemoteUntrusted: If it was not.
        """
        document = self.signature + self._payload
        if open_signed(_KIND, team_id, document, accepted={key}).payload != self._payload:
            raise RemoteUntrusted("the request is not the one that was signed")


def new_request(
    membership: Membership, *, method: str, path: str, body: bytes, node: str, time_s: int
) -> NodeRequest:
    """A request of a member, made now."""
    return NodeRequest(
        method=method,
        path=path,
        body=body,
        node=node,
        member=membership.member,
        time_s=time_s,
        nonce=secrets.token_hex(_NONCE_BYTES),
    )


def read_request(
    headers: Mapping[str, str], *, method: str, path: str, body: bytes, node: str
) -> NodeRequest | None:
    """The request that these headers, with names in lower case, belong to; `None` if they are not those of a signed one."""
    member, time, nonce = (headers.get(name, "") for name in (MEMBER, TIME, NONCE))
    encoded = headers.get(SIGNATURE, "")
    is_plain = _NAME.fullmatch(member) and _SECONDS.fullmatch(time) and _NONCE.fullmatch(nonce)
    if not is_plain or not 0 < len(encoded) <= _MAX_SIGNATURE_CHARACTERS:
        return None
    try:
        signature = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    return NodeRequest(
        method=method,
        path=path,
        body=body,
        node=node,
        member=member,
        time_s=int(time),
        nonce=nonce,
        signature=signature,
    )
