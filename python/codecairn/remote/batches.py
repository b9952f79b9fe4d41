"""Splits texts into requests by count and by tokens, and texts above a model's limit into parts."""

from collections.abc import Iterable, Iterator, Sequence

from codecairn.core.light_dataclass import dataclass

BYTES_PER_TOKEN = 3
"""What a token is taken for where limits must hold: code has fewer tokens than that in most places."""


def tokens_in(text: str) -> int:
    """The tokens of a text, estimated on the high side."""
    return len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A text, or a part of one that is too long. `weight` is its share when parts are pooled."""

    text: str
    weight: int


def parts_of(text: str, *, max_tokens: int, prompt: str = "") -> list[Part]:
    """The text in parts that a model can take, each with the prompt before it; one part if it is short enough.

    Parts end at line ends where there are any.
    """
    room = max(32, max_tokens - tokens_in(prompt)) if prompt else max_tokens
    if tokens_in(text) <= room:
        return [Part(text=prompt + text, weight=1)]
    max_bytes = max(16, room * BYTES_PER_TOKEN - BYTES_PER_TOKEN)
    return [
        Part(text=prompt + piece, weight=tokens_in(piece)) for piece in _pieces(text, max_bytes)
    ]


def _pieces(text: str, max_bytes: int) -> Iterator[str]:
    piece: list[str] = []
    size = 0
    for line in text.splitlines(keepends=True):
        for bit in _cut(line, max_bytes):
            length = len(bit.encode("utf-8", "surrogatepass"))
            if piece and size + length > max_bytes:
                yield "".join(piece)
                piece, size = [], 0
            piece.append(bit)
            size += length
    if piece:
        yield "".join(piece)


def _cut(line: str, max_bytes: int) -> Iterator[str]:
    if len(line.encode("utf-8", "surrogatepass")) <= max_bytes:
        yield line
        return
    width = max(1, max_bytes // 4)  # no character has more bytes
    if line.isascii():
        width = max_bytes
    for start in range(0, len(line), width):
        yield line[start : start + width]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A text to embed with the key by which its vector is wanted."""

    key: bytes
    parts: Sequence[Part]

    @property
    def tokens(self) -> int:
        """Its tokens, estimated on the high side."""
        return sum(tokens_in(part.text) for part in self.parts)


def batches_of(items: Iterable[Item], *, max_texts: int, max_tokens: int) -> Iterator[list[Item]]:
    """Items in order, in batches within both limits; an item that alone exceeds one has a batch of its own."""
    batch: list[Item] = []
    texts = tokens = 0
    for item in items:
        too_many = texts + len(item.parts) > max_texts or tokens + item.tokens > max_tokens
        if batch and too_many:
            yield batch
            batch, texts, tokens = [], 0, 0
        batch.append(item)
        texts += len(item.parts)
        tokens += item.tokens
    if batch:
        yield batch
