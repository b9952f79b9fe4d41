"""Seals a repository's key to one member, signed by the one who hands it out: the database that keeps it can neither open nor make one.

An ephemeral X25519 key (RFC 7748) agrees on a secret with the member's; HKDF-SHA-256 (RFC 5869) of it is the key of AES-256-GCM, used
once. A sealed key is a signed document (`codecairn.objects.signature`) of the ephemeral public key (32 bytes) and the ciphertext with
its tag. Repository and generation of the key are associated data.
"""

from collections.abc import Collection

from codecairn.errors import RemoteIncompatible, RemoteUntrusted
from codecairn.objects.packages import needs
from codecairn.objects.signature import open_signed, sign

_KIND = "team key"
_PUBLIC_BYTES = 32
_NONCE = bytes(12)
"""Each key of the cipher is used once, so the nonce may be constant."""


def new_sealing_key() -> bytes:
    """A fresh private key of X25519, 32 bytes."""
    with needs("cryptography", extra="team"):
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    return X25519PrivateKey.generate().private_bytes_raw()


def sealing_public_key(private_key: bytes) -> bytes:
    """The public key of a private one, 32 bytes."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return X25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw()


def seal_key(
    key: bytes, public_key: bytes, *, repository: str, generation: int, signing_key: bytes
) -> bytes:
    """A repository's key, sealed to the member with this public key, and signed.

    Raises:
        RemoteUntrusted: If nothing can be sealed to that key.
    """
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    ephemeral = X25519PrivateKey.generate()
    own = ephemeral.public_key().public_bytes_raw()
    try:
        secret = ephemeral.exchange(X25519PublicKey.from_public_bytes(public_key))
    except ValueError as err:
        raise RemoteUntrusted("a member's key is none that can be sealed to") from err
    cipher = AESGCM(_derived(secret, own, public_key))
    sealed = own + cipher.encrypt(_NONCE, key, _associated(repository, generation))
    return sign(_KIND, repository, sealed, private_key=signing_key)


def open_key(
    document: bytes,
    private_key: bytes,
    *,
    repository: str,
    generation: int,
    accepted: Collection[bytes],
) -> bytes:
    """The repository's key, handed out by the holder of one of the `accepted` public keys.

    Raises:
        RemoteUntrusted: If another handed it out, or it was sealed to another member, for another repository or generation, or was
            changed.
    """
    with needs("cryptography", extra="team"):
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.asymmetric.x25519 import (
            X25519PrivateKey,
            X25519PublicKey,
        )
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    try:
        sealed = open_signed(_KIND, repository, document, accepted=accepted).payload
        theirs = sealed[:_PUBLIC_BYTES]
        secret = X25519PrivateKey.from_private_bytes(private_key).exchange(
            X25519PublicKey.from_public_bytes(theirs)
        )
        cipher = AESGCM(_derived(secret, theirs, sealing_public_key(private_key)))
        return cipher.decrypt(_NONCE, sealed[_PUBLIC_BYTES:], _associated(repository, generation))
    except (InvalidTag, ValueError, RemoteUntrusted, RemoteIncompatible) as err:
        raise RemoteUntrusted(
            "the key of the repository in the team's database is not one that a trusted member sealed to you",
            hint="ask an administrator of the repository to grant it again",
        ) from err


def _derived(secret: bytes, ephemeral: bytes, public_key: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = b"codecairn team key 1" + ephemeral + public_key
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(secret)


def _associated(repository: str, generation: int) -> bytes:
    return f"{repository}/{generation}".encode()
