"""Documents signed by a publisher with Ed25519 (RFC 8032): manifests and pointers.

A signed document is `CCS1`, the publisher's public key (32 bytes), the signature (64 bytes) and the payload. The kind of the
document and the repository are signed with it, so that none serves as another.
"""

from collections.abc import Collection

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteIncompatible, RemoteUntrusted, UsageError
from codecairn.objects.packages import needs

PUBLIC_KEY_BYTES = 32
PRIVATE_KEY_BYTES = 32
_SIGNATURE_BYTES = 64
_MAGIC = b"CCS1"
_MAGIC_FAMILY = b"CCS"
_HEADER_BYTES = len(_MAGIC) + PUBLIC_KEY_BYTES + _SIGNATURE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A document whose signature is valid.

    Attributes:
        payload: What was signed.
        publisher: The public key that it was signed with, which is one of those accepted.
    """

    payload: bytes
    publisher: bytes


def new_private_key() -> bytes:
    """A fresh private key, 32 bytes."""
    with needs("cryptography", extra="remote"):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    return Ed25519PrivateKey.generate().private_bytes_raw()


def public_key_of(private_key: bytes) -> bytes:
    """The public key of a private one, 32 bytes.

    Raises:
        UsageError: If that is no private key.
    """
    with needs("cryptography", extra="remote"):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    if len(private_key) != PRIVATE_KEY_BYTES:
        raise UsageError(f"a private key has {PRIVATE_KEY_BYTES} bytes, not {len(private_key)}")
    key = Ed25519PrivateKey.from_private_bytes(private_key)
    return key.public_key().public_bytes_raw()


def sign(kind: str, repository: str, payload: bytes, *, private_key: bytes) -> bytes:
    """A payload with the signature of a publisher."""
    with needs("cryptography", extra="remote"):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    public_key = public_key_of(private_key)
    key = Ed25519PrivateKey.from_private_bytes(private_key)
    signature = key.sign(_message(kind, repository, payload))
    return _MAGIC + public_key + signature + payload


def open_signed(
    kind: str, repository: str, document: bytes, *, accepted: Collection[bytes]
) -> Signed:
    """The payload of a document that one of the accepted publishers signed.

    Raises:
        RemoteUntrusted: If no accepted publisher signed it as this kind for this repository.
        RemoteIncompatible: If it is signed in another format.
    """
    with needs("cryptography", extra="remote"):
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    publisher, signature, payload = _parts(document, kind)
    if publisher not in accepted:
        raise RemoteUntrusted(
            f"the {kind} of the shared index was signed by `{publisher.hex()[:16]}`, a publisher that your grant does not list",
            hint="if that is a publisher of your team, accept a grant that names it: `codecairn remote accept FILE --replace`",
        )
    try:
        Ed25519PublicKey.from_public_bytes(publisher).verify(
            signature, _message(kind, repository, payload)
        )
    except (InvalidSignature, ValueError) as err:
        raise RemoteUntrusted(
            f"the signature of the {kind} of the shared index is not valid"
        ) from err
    return Signed(payload=payload, publisher=publisher)


def _message(kind: str, repository: str, payload: bytes) -> bytes:
    return b"codecairn signed 1\0" + kind.encode() + b"\0" + repository.encode() + b"\0" + payload


def payload_of(document: bytes) -> bytes:
    """The payload of a signed document, signed by any publisher or none: for what a forged one can't harm.

    Raises:
        RemoteUntrusted: If it is no signed document.
        RemoteIncompatible: If it is signed in another format.
    """
    return _parts(document)[2]


def _parts(document: bytes, kind: str = "document") -> tuple[bytes, bytes, bytes]:
    """The public key, the signature and the payload."""
    if not document.startswith(_MAGIC) and document.startswith(_MAGIC_FAMILY):
        raise RemoteIncompatible(f"the {kind} of the shared index is signed in another format")
    if not document.startswith(_MAGIC) or len(document) < _HEADER_BYTES:
        raise RemoteUntrusted(f"the {kind} of the shared index is not signed")
    at = len(_MAGIC)
    middle = at + PUBLIC_KEY_BYTES
    return document[at:middle], document[middle:_HEADER_BYTES], document[_HEADER_BYTES:]
