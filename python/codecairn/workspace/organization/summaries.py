"""A summary of each repository: in how many of its texts each stem is. Questions are routed by it while the index stays closed.

A summary is a file in the user's data folder, named as a store there would be:

| bytes | content |
|---|---|
| 8 | `CAIRNSUM` |
| 16 | BLAKE2b of the state of the index that it was made from |
| 8 | the sum of the counts of all stems |
| 8 | the number of stems that are listed, `n` |
| 8 n | the first 8 bytes of the BLAKE2b of each stem, as numbers that rise |
| 4 n | their counts |

Numbers have the byte order of the machine, which the file never leaves. A file that is anything else is made again from the index.
"""

import mmap
import os
import struct
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from codecairn.core.light_dataclass import dataclass
from codecairn.paths import store, user
from codecairn.paths.atomic_write import write_atomically
from codecairn.paths.root import STORE_NAME
from codecairn.workspace.organization.query_likelihood import StemCounts

MIN_TEXTS = 2
"""Stems in fewer texts are not listed: half of all stems, without which questions are routed as well."""

_MAGIC = b"CAIRNSUM"
_HEADER = struct.Struct("=8s16sQQ")
_ENTRY_BYTES = 12
_MAX_COUNT = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of one repository.

    Attributes:
        state: The state of the index that it was made from.
        total: The sum of the counts of all stems.
        hashes: The hashes of stems, which rise.
        counts: In how many texts each is.
    """

    state: bytes
    total: int
    hashes: Sequence[int]
    counts: Sequence[int]

    @classmethod
    def of(cls, counts: Iterable[tuple[str, int]], *, state: bytes) -> "Summary":
        """The summary of an index that has these stems in so many texts each."""
        everything = list(counts)
        listed = sorted(
            (_hash(stem), min(count, _MAX_COUNT))
            for stem, count in everything
            if count >= MIN_TEXTS
        )
        return cls(
            state,
            sum(count for _, count in everything),
            array("Q", (hash_ for hash_, _ in listed)),
            array("I", (count for _, count in listed)),
        )

    def stem_counts(self, stems: Iterable[str]) -> StemCounts:
        """What it has of these stems."""
        found = {}
        for stem in stems:
            hash_ = _hash(stem)
            at = bisect_left(self.hashes, hash_)
            if at < len(self.hashes) and self.hashes[at] == hash_:
                found[stem] = self.counts[at]
        return StemCounts(self.total, found)


def current(
    root: Path, stores: Sequence[Path], count: Callable[[], Iterable[tuple[str, int]]]
) -> Summary:
    """The summary of the index that is in one of these folders now: the one that is kept, or of what `count` finds there.

    Raises:
        CodecairnError: What `count` raises.
    """
    summary, state = read(root), _state_of(stores)
    if summary is None or summary.state != state:
        summary = Summary.of(count(), state=state)
        with suppress(OSError):  # without room for it, the next search counts again
            write(root, summary)
    return summary


def usual_stores(root: Path) -> tuple[Path, Path]:
    """The folders that the index of a repository may lie in."""
    return root / STORE_NAME, store.global_store(user.data_folder(), root)


def _state_of(stores: Iterable[Path]) -> bytes:
    """What changes whenever the index does, from size and time of its database and of its log."""
    found: list[str] = []
    for folder in stores:
        for name in (store.INDEX_FILE, f"{store.INDEX_FILE}-wal"):
            with suppress(OSError):
                status = (folder / name).stat()
                found.append(f"{folder}/{name}:{status.st_size}:{status.st_mtime_ns}")
    return blake2b(os.fsencode("\n".join(found)), digest_size=16).digest()


def read(root: Path) -> Summary | None:
    """The summary of a repository; `None` if there is none."""
    try:
        with _file(root).open("rb") as file:
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):  # a file of no bytes can't be mapped
        return None
    return _parsed(mapped)


def write(root: Path, summary: Summary) -> None:
    """Keep the summary of a repository.

    Raises:
        OSError: If it can't be written.
    """
    hashes, counts = array("Q", summary.hashes), array("I", summary.counts)
    header = _HEADER.pack(_MAGIC, summary.state, summary.total, len(hashes))
    user.make_data_folder()
    _folder().mkdir(mode=0o700, exist_ok=True)
    write_atomically(_file(root), header + hashes.tobytes() + counts.tobytes())


def remove_others(roots: Iterable[Path]) -> None:
    """Remove the summaries of all other repositories."""
    kept = {_file(root) for root in roots}
    with suppress(OSError):
        for file in list(_folder().iterdir()):
            if file not in kept:
                file.unlink(missing_ok=True)


def _parsed(data: memoryview) -> Summary | None:
    if len(data) < _HEADER.size:
        return None
    magic, state, total, length = _HEADER.unpack_from(data)
    if magic != _MAGIC or len(data) != _HEADER.size + _ENTRY_BYTES * length:
        return None
    middle = _HEADER.size + 8 * length
    return Summary(state, total, data[_HEADER.size : middle].cast("Q"), data[middle:].cast("I"))


def _folder() -> Path:
    return user.data_folder() / "summaries"


def _file(root: Path) -> Path:
    return _folder() / store.global_name(root)


def _hash(stem: str) -> int:
    digest = blake2b(stem.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
