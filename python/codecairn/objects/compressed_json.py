"""JSON documents of bounded size, compressed: how manifests, pointers and tree nodes are written and read."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

from codecairn.errors import RemoteUntrusted

_LEVEL = 9


def packed(document: object) -> bytes:
    """A document as compressed JSON with sorted keys: equal documents give equal bytes."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)


def unpacked(data: bytes, *, what: str, max_bytes: int) -> Mapping[str, Any]:
    """The JSON object in `data`, which has at most `max_bytes` when it is decompressed.

    Raises:
        RemoteUntrusted: If it is no such document, or a larger one.
    """
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, max_bytes)
        if not stream.eof or stream.unused_data:
            raise RemoteUntrusted(
                f"the {what} of the shared index is cut off, or has more than {max_bytes:,} bytes"
            )
        document = json.loads(text.decode("utf-8", "surrogatepass"))
    except (zlib.error, ValueError, RecursionError) as err:
        raise RemoteUntrusted(f"the {what} of the shared index can't be read") from err
    if not isinstance(document, dict):
        raise RemoteUntrusted(f"the {what} of the shared index is no document")
    return document
