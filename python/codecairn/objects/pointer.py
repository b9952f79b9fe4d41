"""The pointer of a branch: which manifest it is at. The only part of a shared index that changes in place."""

from collections.abc import Collection

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteIncompatible, RemoteUntrusted
from codecairn.objects import fields
from codecairn.objects.compressed_json import packed, unpacked
from codecairn.objects.signature import open_signed, payload_of, sign

VERSION = 1
MAX_POINTER_BYTES = 64 << 10
"""Sealed, signed or decompressed: a branch's name and a commit's id need far less."""

KIND = "pointer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """What a branch of a repository is at.

    Attributes:
        repository: The repository's id.
        branch: The branch; empty without git.
        epoch: Counts the publications of the branch from 1; a reader refuses an older one than it has read.
        commit: The commit that was indexed; empty without git.
        manifest: The SHA-256 of the sealed manifest, in hexadecimal digits.
        manifest_bytes: The manifest's size, sealed.
        made_ns: When it was published, for people: nothing is decided by it.
    """

    repository: str
    branch: str
    epoch: int
    commit: str
    manifest: str
    manifest_bytes: int
    made_ns: int

    @property
    def payload(self) -> bytes:
        """The pointer as it is signed."""
        return packed(
            {
                "version": VERSION,
                "repository": self.repository,
                "branch": self.branch,
                "epoch": self.epoch,
                "commit": self.commit,
                "manifest": self.manifest,
                "manifest_bytes": self.manifest_bytes,
                "made_ns": self.made_ns,
            }
        )

    def signed(self, private_key: bytes) -> bytes:
        """The pointer with the signature of its publisher."""
        return sign(KIND, self.repository, self.payload, private_key=private_key)


def open_pointer(
    document: bytes, *, repository: str, branch: str, accepted: Collection[bytes]
) -> tuple[Pointer, bytes]:
    """The pointer of a branch, and the public key of the publisher who signed it.

    Raises:
        RemoteUntrusted: If no accepted publisher signed it, or it belongs to another repository or branch.
        RemoteIncompatible: If it has another format.
    """
    signed = open_signed(KIND, repository, document, accepted=accepted)
    pointer = pointer_of(signed.payload)
    if pointer.repository != repository:
        raise RemoteUntrusted("the pointer of the shared index belongs to another repository")
    if pointer.branch != branch:
        raise RemoteUntrusted(
            f"the pointer of `{branch}` in the shared index is that of another branch, `{pointer.branch}`"
        )
    return pointer, signed.publisher


def pointer_of(payload: bytes) -> Pointer:
    """The pointer that a payload is, whether or not it was signed.

    Raises:
        RemoteUntrusted: If it is none.
        RemoteIncompatible: If it has another format.
    """
    document = unpacked(payload, what="pointer", max_bytes=MAX_POINTER_BYTES)
    if document.get("version") != VERSION:
        raise RemoteIncompatible("the pointer of the shared index has another format")
    pointer = Pointer(
        repository=fields.text(document, "repository"),
        branch=fields.text(document, "branch"),
        epoch=fields.count(document, "epoch"),
        commit=fields.text(document, "commit"),
        manifest=fields.digest(document, "manifest"),
        manifest_bytes=fields.count(document, "manifest_bytes"),
        made_ns=fields.moment_ns(document, "made_ns"),
    )
    if pointer.epoch < 1:
        raise RemoteUntrusted("the pointer of the shared index has no epoch")
    return pointer


def epoch_of(signed: bytes) -> int:
    """The epoch of a signed pointer, whether or not its signature is valid; errors as for `pointer_of`."""
    return pointer_of(payload_of(signed)).epoch
