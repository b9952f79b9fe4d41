"""The typed face of what the Rust core packs of an index for another store, and takes in from one. It decides nothing.

Texts are not exported. *Records* hold what was read from each text, *segments* terms and vectors of documents, and their
*numbering* the chunks that these documents are. All parts are compressed, and hold words of the code: names, terms,
headings. They carry no signature: whose parts are used is the caller's decision.

    transfer = IndexTransfer(engine)                    # where the index is
    files = transfer.contents()
    pack = transfer.records([(file.digest, file.language) for file in files])
    numbering, segments = transfer.numbering(), transfer.segments()

    transfer = IndexTransfer(other)                     # where the files are
    transfer.adopt(numbering, segments)
    report = transfer.index([pack], progress=None)      # report.parsed == 0
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codecairn import _native
from codecairn.core.engine import Engine, ProgressCallback, translated
from codecairn.core.light_dataclass import dataclass
from codecairn.core.results import report_of

if TYPE_CHECKING:
    from codecairn.core.types.indexing import IndexReport


@dataclass(frozen=True, slots=True)
class IndexedContent:
    """A file of a branch, by what names its content in every store.

    Attributes:
        path: Relative to the root, with `/`.
        digest: BLAKE3 of the decoded text, 32 bytes.
        language: The id of the language that it is read as.
    """

    path: str
    digest: bytes
    language: str


@dataclass(frozen=True, slots=True)
class Numbering:
    """Which chunks a range of documents are, 33 bytes a document; equal documents give equal bytes.

    Attributes:
        first: The first document.
        count: How many there are.
        data: The packed chunks, compressed.
    """

    first: int
    count: int
    data: bytes


@dataclass(frozen=True, slots=True)
class ExportedSegment:
    """A segment without its place; equal documents give equal bytes.

    Attributes:
        kind: `lexical`, or `vector:` with the id of the built-in model.
        first: Its first document.
        count: How many it covers.
        data: The segment, compressed.
    """

    kind: str
    first: int
    count: int
    data: bytes


class IndexTransfer:
    """One export of an engine's index, or the import of one.

    All parts of an export are of the state of the index that the first one was of. After another run has changed the
    index, every further part raises `UsageError`: begin with a new `IndexTransfer`.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._native = _native.IndexTransfer(engine.native)

    def format(self) -> str:
        """All versions that must be equal where parts are made and where they are used, as one text."""
        with translated():
            return self._native.format()

    def contents(self, branch: str | None = None) -> tuple[IndexedContent, ...]:
        """The files of a branch, of the current one by default, in order of their paths.

        Raises:
            NotIndexed: It is not indexed.
        """
        with translated():
            found = self._native.contents(branch)
        return tuple(IndexedContent(*row) for row in found)

    def records(self, digests: Sequence[tuple[bytes, str]]) -> bytes:
        """The records of texts, given by digest and language, as one pack in this order.

        A text whose parse was broken off by its time limit has none. A pack takes about half a million contents.

        Raises:
            UsageError: A text is not in the index, or there are too many.
        """
        with translated():
            return self._native.records(list(digests))

    def numbering(self) -> tuple[Numbering, ...]:
        """Parts that cover all documents of the segments from 0 on, cut where the lexical segments are."""
        with translated():
            found = self._native.numbering()
        return tuple(Numbering(*row) for row in found)

    def segments(self) -> tuple[ExportedSegment, ...]:
        """The segments of terms, then those of the built-in model's vectors, each in order of documents.

        Raises:
            UsageError: They do not cover the same documents, because an indexing run was broken off.
        """
        with translated():
            found = self._native.segments()
        return tuple(ExportedSegment(*row) for row in found)

    def adopt(self, numbering: Sequence[Numbering], segments: Sequence[ExportedSegment]) -> int:
        """Take the documents of another store, which no branch has yet; returns how many.

        Then `index` finds their chunks known, and derives neither terms nor vectors from them. Everything is checked
        first, and one transaction numbers the documents and lists the segments: after an error the store is as it was.

        Raises:
            UsageError: The store has documents already, or parts are missing.
            IndexPartDamaged: A part is not what it should be; the message names it.
        """
        with translated():
            return self._native.adopt(
                [(part.first, part.count, part.data) for part in numbering],
                [(part.kind, part.first, part.count, part.data) for part in segments],
            )

    def index(self, packs: Sequence[bytes], *, progress: ProgressCallback | None) -> "IndexReport":
        """Bring the current branch up to date as `Engine.index` does, with records in the place of parses.

        The report's `reused` counts the texts whose record was taken, `parsed` those that were parsed, `rejected` those
        among them whose record did not fit.

        Raises:
            IndexPartDamaged: A pack is not what it should be; what was committed before stays, and the next run goes on.
        """
        with translated():
            report = self._native.index(list(packs), progress)
        return report_of(report)
