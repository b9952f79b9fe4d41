"""The list of the contents in a pack of records, by which a reader knows whether it needs the pack."""

import base64
from collections.abc import Sequence

from codecairn.errors import RemoteUntrusted
from codecairn.objects.compressed_json import packed, unpacked
from codecairn.objects.tree import DIGEST_BYTES
from codecairn.replication.pack_plan import Content

KIND = "record index"
MAX_INDEX_BYTES = 32 << 20
"""Decompressed: half a million contents."""


def pack_index(contents: Sequence[Content]) -> bytes:
    """The list of these contents."""
    languages = sorted({language for _, language in contents})
    by_language = {language: number for number, language in enumerate(languages)}
    return packed(
        {
            "languages": languages,
            "digests": base64.b64encode(b"".join(digest for digest, _ in contents)).decode(),
            "language_of": [by_language[language] for _, language in contents],
        }
    )


def read_pack_index(data: bytes) -> frozenset[Content]:
    """The contents in a list.

    Raises:
        RemoteUntrusted: If it is none.
    """
    document = unpacked(data, what="list of a pack", max_bytes=MAX_INDEX_BYTES)
    try:
        languages, numbers = document["languages"], document["language_of"]
        digests = base64.b64decode(document["digests"], validate=True)
        if len(digests) != DIGEST_BYTES * len(numbers) or min(numbers, default=0) < 0:
            raise ValueError  # noqa: TRY301 - the only place where all of it is known
        return frozenset(
            (digests[at * DIGEST_BYTES : (at + 1) * DIGEST_BYTES], str(languages[number]))
            for at, number in enumerate(numbers)
        )
    except (KeyError, IndexError, TypeError, ValueError) as err:
        raise RemoteUntrusted("the list of a pack of the shared index is damaged") from err
