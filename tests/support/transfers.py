"""Parts of an index, and stores that take them in."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from codecairn.core.engine import Engine
from codecairn.core.index_transfer import ExportedSegment, IndexTransfer, Numbering
from codecairn.core.options import EngineOptions
from codecairn.core.types.indexing import IndexReport
from support.stores import store_of


@dataclass(frozen=True)
class Parts:
    """All that is exported of an index."""

    packs: tuple[bytes, ...]
    numbering: tuple[Numbering, ...]
    segments: tuple[ExportedSegment, ...]

    @property
    def size_bytes(self) -> int:
        """How long all parts are."""
        return sum(map(len, self.blobs()))

    def blobs(self) -> tuple[bytes, ...]:
        """The bytes of all parts, as they would be stored: equal ones are one."""
        datas = [part.data for part in (*self.numbering, *self.segments)]
        return tuple(dict.fromkeys((*self.packs, *datas)))


def engine_of(root: Path, *, embedder: str = "static") -> Engine:
    """The engine on the store of a workspace."""
    options = EngineOptions(
        root=root, store=store_of(root), embedder=embedder, outside=None,
        include=(), exclude=(), read_only=False, writer="test", user_ignore=None,
    )  # fmt: skip
    return Engine(options)


def exported(root: Path) -> Parts:
    """The parts of the index of a workspace, which is brought up to date."""
    engine = engine_of(root)
    engine.index(force=False, progress=None)
    transfer = IndexTransfer(engine)
    keys = [(content.digest, content.language) for content in transfer.contents()]
    parts = Parts(
        packs=(transfer.records(keys),),
        numbering=transfer.numbering(),
        segments=transfer.segments(),
    )
    engine.close()
    return parts


def imported(root: Path, parts: Parts, *, with_segments: bool = True) -> IndexReport:
    """Index a workspace from parts; its store has no documents if segments are taken in."""
    engine = engine_of(root)
    try:
        transfer = IndexTransfer(engine)
        if with_segments:
            transfer.adopt(parts.numbering, parts.segments)
        return transfer.index(parts.packs, progress=None)
    finally:
        engine.close()


def without_store(root: Path) -> None:
    """Remove the index of a workspace."""
    shutil.rmtree(store_of(root), ignore_errors=True)


def flipped(data: bytes, at: int) -> bytes:
    """The same with one bit changed."""
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def with_segment(parts: Parts, number: int, data: bytes) -> Parts:
    """The same with other bytes in a segment."""
    segments = list(parts.segments)
    segments[number] = replace(segments[number], data=data)
    return replace(parts, segments=tuple(segments))
