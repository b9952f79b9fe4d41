"""Seals a repository's key to one member, so that the database which keeps it can't open it.

An ephemeral X25519 key (RFC 7748) agrees on a secret with the member's; HKDF-SHA-256 (RFC 5869) of it is the key of AES-256-GCM, used
once. A sealed key is the ephemeral public key (32 bytes) and the ciphertext with its tag. Repository and generation of the key are
associated data.
"""

from codecairn.errors import RemoteUntrusted
from codecairn.objects.packages import needs

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


def seal_key(key: bytes, public_key: bytes, *, repository: str, generation: int) -> bytes:
    """A repository's key, sealed to the member with this public key."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    ephemeral = X25519PrivateKey.generate()
    own = ephemeral.public_key().public_bytes_raw()
    secret = ephemeral.exchange(X25519PublicKey.from_public_bytes(public_key))
    cipher = AESGCM(_derived(secret, own, public_key))
    return own + cipher.encrypt(_NONCE, key, _associated(repository, generation))


def open_key(sealed: bytes, private_key: bytes, *, repository: str, generation: int) -> bytes:
    """The repository's key.

    Raises:
        RemoteUntrusted: If it was sealed to another member, for another repository or generation, or was changed.
    """
    with needs("cryptography", extra="team"):
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.asymmetric.x25519 import (
            X25519PrivateKey,
            X25519PublicKey,
        )
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    theirs = sealed[:_PUBLIC_BYTES]
    try:
        secret = X25519PrivateKey.from_private_bytes(private_key).exchange(
            X25519PublicKey.from_public_bytes(theirs)
        )
        cipher = AESGCM(_derived(secret, theirs, sealing_public_key(private_key)))
        return cipher.decrypt(_NONCE, sealed[_PUBLIC_BYTES:], _associated(repository, generation))
    except (InvalidTag, ValueError) as err:
        raise RemoteUntrusted(
            "the key of the repository in the team's database does not open with yours",
            hint="ask an administrator of the repository to grant it again",
        ) from err


def _derived(secret: bytes, ephemeral: bytes, public_key: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = b"codecairn team key 1" + ephemeral + public_key
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(secret)


def _associated(repository: str, generation: int) -> bytes:
    return f"{repository}/{generation}".encode()
