"""Bounds what is read of a server's answer: the client of MCP reads each to its end, and holds it in memory."""

from collections.abc import AsyncIterator

import httpx2

MAX_ANSWER_BYTES = 64 * 1024 * 1024


async def bound_answer(response: httpx2.Response) -> None:
    """A hook of `httpx2` that ends an answer with an error where it is longer, or packed, so that its size is not known."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx2.DecodingError("the answer is packed, although none was asked for")
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _BoundedStream(response.stream)


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for part in self._stream:
            count += len(part)
            if count > MAX_ANSWER_BYTES:
                raise httpx2.ReadError(f"the answer has more than {MAX_ANSWER_BYTES:,} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()
