"""The manifest of one commit: every object of its index, signed by its publisher."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteIncompatible, RemoteUntrusted
from codecairn.objects import fields
from codecairn.objects.compressed_json import packed, unpacked
from codecairn.objects.sealed_objects import ObjectName
from codecairn.objects.signature import open_signed, sign

VERSION = 1
KIND = "manifest"
MAX_MANIFEST_BYTES = 32 << 20
MAX_ROWS = 100_000
"""Packs, parts or segments of one manifest."""

MAX_DOCUMENTS = 16 << 20
"""Documents of one index, as many as the core adopts: those of some ten gigabytes of source."""

MAX_OBJECTS_BYTES = 8 << 30
"""Of all objects of an index, each as often as it is named: a pull has no more of it in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """Records of contents.

    Attributes:
        objects: The parts of the pack.
        index: The parts of the list of the contents in it.
        contents: How many contents are in it.
    """

    objects: tuple[ObjectName, ...]
    index: tuple[ObjectName, ...]
    contents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRange:
    """What is kept for the documents from `first` on, `count` of them.

    Attributes:
        kind: "numbering", "lexical" or "vector:<embedder>".
    """

    kind: str
    first: int
    count: int
    objects: tuple[ObjectName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The index of one commit.

    Attributes:
        repository: The repository's id.
        format: What the core that made it can read: an index of another format is of no use.
        branch, commit: As in the pointer.
        epoch: As in the pointer.
        made_ns: When it was made, for people.
        tree: The root of the tree of paths and contents.
        files: How many paths the tree has.
        packs: The records of all contents of the tree.
        numbering: Which chunk each document is; covers all documents without gaps.
        segments: The words and vectors of documents; empty where they are derived from the files.
    """

    repository: str
    format: str
    branch: str
    commit: str
    epoch: int
    made_ns: int
    tree: ObjectName
    files: int
    packs: tuple[Pack, ...]
    numbering: tuple[DocumentRange, ...]
    segments: tuple[DocumentRange, ...]

    @property
    def documents(self) -> int:
        """How many documents the numbering covers."""
        return sum(part.count for part in self.numbering)

    @property
    def objects(self) -> Iterator[ObjectName]:
        """Every object but the tree's inner ones."""
        yield self.tree
        for pack in self.packs:
            yield from pack.objects
            yield from pack.index
        for part in (*self.numbering, *self.segments):
            yield from part.objects

    def signed(self, private_key: bytes) -> bytes:
        """The manifest with the signature of its publisher."""
        return sign(KIND, self.repository, packed(_document(self)), private_key=private_key)


def open_manifest(document: bytes, *, repository: str, accepted: Collection[bytes]) -> Manifest:
    """The manifest that an accepted publisher signed for this repository.

    Raises:
        RemoteUntrusted: If no accepted publisher signed it, or it is not consistent.
        RemoteIncompatible: If it has another format.
    """
    payload = open_signed(KIND, repository, document, accepted=accepted).payload
    row = unpacked(payload, what="manifest", max_bytes=MAX_MANIFEST_BYTES)
    if row.get("version") != VERSION:
        raise RemoteIncompatible("the manifest of the shared index has another format")
    manifest = Manifest(
        repository=fields.text(row, "repository"),
        format=fields.text(row, "format"),
        branch=fields.text(row, "branch"),
        commit=fields.text(row, "commit"),
        epoch=fields.count(row, "epoch"),
        made_ns=fields.moment_ns(row, "made_ns"),
        tree=_names(row, "tree")[0],
        files=fields.count(row, "files"),
        packs=tuple(map(_pack, fields.rows(row, "packs", max_rows=MAX_ROWS))),
        numbering=tuple(map(_range, fields.rows(row, "numbering", max_rows=MAX_ROWS))),
        segments=tuple(map(_range, fields.rows(row, "segments", max_rows=MAX_ROWS))),
    )
    _require_consistent(manifest, repository)
    return manifest


def _require_consistent(manifest: Manifest, repository: str) -> None:
    if manifest.repository != repository:
        raise RemoteUntrusted("the manifest of the shared index belongs to another repository")
    documents = 0
    for part in manifest.numbering:
        if part.first != documents or part.count < 1 or part.kind != "numbering":
            raise RemoteUntrusted("the numbering in the manifest of the shared index has gaps")
        documents += part.count
    if documents > MAX_DOCUMENTS:
        raise RemoteUntrusted(
            f"the manifest of the shared index has {documents:,} documents; at most {MAX_DOCUMENTS:,} are taken"
        )
    size_bytes = sum(name.size_bytes for name in manifest.objects)
    if size_bytes > MAX_OBJECTS_BYTES:
        raise RemoteUntrusted(
            f"the objects in the manifest of the shared index have {size_bytes:,} bytes; at most {MAX_OBJECTS_BYTES:,} are taken"
        )
    for segment in manifest.segments:
        if segment.first + segment.count > documents or not segment.kind:
            raise RemoteUntrusted(
                "the manifest of the shared index has segments of documents that it does not number"
            )


def _document(manifest: Manifest) -> Mapping[str, Any]:
    return {
        "version": VERSION,
        "repository": manifest.repository,
        "format": manifest.format,
        "branch": manifest.branch,
        "commit": manifest.commit,
        "epoch": manifest.epoch,
        "made_ns": manifest.made_ns,
        "tree": _pairs((manifest.tree,)),
        "files": manifest.files,
        "packs": [
            {
                "objects": _pairs(pack.objects),
                "index": _pairs(pack.index),
                "contents": pack.contents,
            }
            for pack in manifest.packs
        ],
        "numbering": list(map(_row, manifest.numbering)),
        "segments": list(map(_row, manifest.segments)),
    }


def _row(part: DocumentRange) -> Mapping[str, Any]:
    return {
        "kind": part.kind,
        "first": part.first,
        "count": part.count,
        "objects": _pairs(part.objects),
    }


def _pairs(names: tuple[ObjectName, ...]) -> list[Mapping[str, Any]]:
    return [{"sha256": name.sha256, "bytes": name.size_bytes} for name in names]


def _pack(row: Mapping[str, Any]) -> Pack:
    return Pack(
        objects=_names(row, "objects"),
        index=_names(row, "index"),
        contents=fields.count(row, "contents"),
    )


def _range(row: Mapping[str, Any]) -> DocumentRange:
    return DocumentRange(
        kind=fields.text(row, "kind"),
        first=fields.count(row, "first", maximum=MAX_DOCUMENTS),
        count=fields.count(row, "count", maximum=MAX_DOCUMENTS),
        objects=_names(row, "objects"),
    )


def _names(row: Mapping[str, Any], field: str) -> tuple[ObjectName, ...]:
    names = fields.rows(row, field, max_rows=MAX_ROWS)
    if not names:
        raise RemoteUntrusted(f"a row of the manifest of the shared index has no `{field}`")
    return tuple(
        ObjectName(fields.digest(each, "sha256"), fields.count(each, "bytes")) for each in names
    )
