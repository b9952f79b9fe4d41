"""Encrypts objects under a repository's key, so that equal content gives equal bytes and nothing else shows.

AES-256-GCM-SIV (RFC 8452) with a nonce made by HMAC-SHA-256 of what is sealed. Two objects under one nonce are equal, and GCM-SIV
keeps its promise even under a repeated nonce. What is sealed for one repository, kind or format does not open as another: these
are associated data. A sealed object is `CCO1`, 12 bytes of nonce, and the ciphertext with its tag of 16 bytes.
"""

import hashlib
import hmac
from typing import TYPE_CHECKING

from codecairn.errors import RemoteIncompatible, RemoteUntrusted, UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

KEY_BYTES = 32
MAGIC = b"CCO1"
_MAGIC_FAMILY = b"CCO"
_NONCE_BYTES = 12
_TAG_BYTES = 16
OVERHEAD_BYTES = len(MAGIC) + _NONCE_BYTES + _TAG_BYTES


class Sealer:
    """Seals and opens the objects of one repository. Safe for several threads.

    Args:
        repository: The repository's id.
        key: Its key, 32 random bytes.
    """

    def __init__(self, repository: str, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise UsageError(f"a repository's key has {KEY_BYTES} bytes, not {len(key)}")
        self.repository = repository
        self._nonce_key = _derived(key, "nonce")
        self._name_key = _derived(key, "name")
        self._cipher = _cipher(_derived(key, "seal"))

    def seal(self, kind: str, content: bytes) -> bytes:
        """The content as an object of a kind; equal for equal content."""
        associated = self._associated(kind)
        mac = hmac.new(self._nonce_key, associated, hashlib.sha256)
        mac.update(content)
        nonce = mac.digest()[:_NONCE_BYTES]
        return MAGIC + nonce + self._cipher.encrypt(nonce, content, associated)

    def open(self, kind: str, sealed: bytes) -> bytes:
        """The content of an object of a kind.

        Raises:
            RemoteUntrusted: If it was not sealed with this key, for this repository and as this kind, or was changed.
            RemoteIncompatible: If it is sealed in another format.
        """
        from cryptography.exceptions import InvalidTag

        if not sealed.startswith(MAGIC) and sealed.startswith(_MAGIC_FAMILY):
            raise RemoteIncompatible(f"a {kind} of the shared index is sealed in another format")
        start = len(MAGIC) + _NONCE_BYTES
        if not sealed.startswith(MAGIC) or len(sealed) < OVERHEAD_BYTES:
            raise RemoteUntrusted(f"a {kind} of the shared index is not a sealed object")
        try:
            return self._cipher.decrypt(
                sealed[len(MAGIC) : start], sealed[start:], self._associated(kind)
            )
        except InvalidTag as err:
            raise RemoteUntrusted(
                f"a {kind} of the shared index does not open with the repository's key"
            ) from err

    def hidden_name(self, name: str) -> str:
        """A name, such as a branch's, that only holders of the key can find: 64 hexadecimal digits."""
        return hmac.new(self._name_key, name.encode(), hashlib.sha256).hexdigest()

    def _associated(self, kind: str) -> bytes:
        return MAGIC + b"\0" + self.repository.encode() + b"\0" + kind.encode()


def _derived(key: bytes, purpose: str) -> bytes:
    """A key for one purpose: HMAC-SHA-256 of its name, as the expansion of HKDF (RFC 5869) for one block."""
    return hmac.new(key, b"codecairn 1 " + purpose.encode() + b"\x01", hashlib.sha256).digest()


def _cipher(key: bytes) -> "AESGCMSIV":
    from codecairn.objects.packages import needs

    with needs("cryptography", extra="remote"):
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
    try:
        return AESGCMSIV(key)
    except UnsupportedAlgorithm as err:
        raise UsageError(
            "the installed `cryptography` has no AES-GCM-SIV",
            hint="install its wheel, or build it with OpenSSL 3.2 or newer",
        ) from err
