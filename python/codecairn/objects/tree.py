"""A Merkle search tree of paths and contents: equal parts of two commits are equal nodes, which are stored once.

The sorted paths are cut into leaves where a hash of the path says so, the leaves are listed by inner nodes that are cut the same
way, up to one root (a prolly tree, as in Noms). A cut depends on nothing but the path before it, so one changed file changes one
leaf and the nodes above it, about 32 entries each, however large its folder is and however deep. Building takes O(n).
"""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteUntrusted
from codecairn.objects import fields
from codecairn.objects.compressed_json import packed, unpacked
from codecairn.objects.sealed_objects import ObjectName, SealedObject, SealedObjects

KIND = "tree"
USUAL_ENTRIES = 32
"""Entries of a node on average; a cut is made after every 32nd path by its hash."""

MIN_ENTRIES = 2
"""So every level has at most half the nodes of the one below, whatever the paths are."""

MAX_ENTRIES = 512
MAX_NODE_BYTES = 8 << 20
MAX_NODES = 1_000_000
"""Nodes that a reader visits. It visits none twice: paths are sorted, so no node can be in a tree at two places."""

MAX_DEPTH = 32
DIGEST_BYTES = 32
_DRIVE = re.compile("[A-Za-z]:")


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """A file of a commit.

    Attributes:
        path: Relative to the root, with `/`.
        digest: BLAKE3 of its decoded text, 32 bytes.
        language: The language that it was parsed as.
    """

    path: str
    digest: bytes
    language: str


def build(entries: Sequence[TreeEntry], objects: SealedObjects) -> Iterator[SealedObject]:
    """The nodes of a tree, the root last; `entries` are sorted by path, and their paths are portable."""
    rows: list[list[Any]] = [[each.path, _text(each.digest), each.language] for each in entries]
    level = 0
    nodes = [objects.sealed(KIND, packed({"leaf": group})) for group in _groups(rows, level)]
    firsts = [group[0][0] for group in _groups(rows, level)] if rows else [""]
    yield from nodes
    while len(nodes) > 1:
        level += 1
        rows = [
            [first, node.name.sha256, node.name.size_bytes]
            for first, node in zip(firsts, nodes, strict=True)
        ]
        groups = list(_groups(rows, level))
        nodes = [objects.sealed(KIND, packed({"inner": group})) for group in groups]
        firsts = [group[0][0] for group in groups]
        yield from nodes


def read(objects: SealedObjects, root: ObjectName) -> Iterator[TreeEntry]:
    """The files of a tree by path.

    Raises:
        RemoteUntrusted: If a node is not what it should be, or a path leads out of the workspace.
        ObjectMissing, RemoteUnavailable: As for reading an object.
    """
    before = ""
    for node in _nodes(objects, root):
        for row in node.get("leaf", ()):
            entry = _entry(row)
            if before and entry.path <= before:
                raise RemoteUntrusted("the tree of the shared index is not sorted")
            before = entry.path
            yield entry


def sample(objects: SealedObjects, root: ObjectName, *, leaves: int) -> list[str]:
    """Some paths of a tree: those of a few leaves that lie far apart. Errors as for `read`."""
    level = [root]
    for _ in range(MAX_DEPTH):
        nodes = [_node(objects, name) for name in level]
        if any("leaf" in node for node in nodes):
            return [_entry(row).path for node in nodes for row in node.get("leaf", ())]
        children = [_child(row) for node in nodes for row in node["inner"]]
        step = max(1, -(-len(children) // leaves))
        level = children[::step]
    raise RemoteUntrusted("the tree of the shared index has no end")


def _nodes(objects: SealedObjects, root: ObjectName) -> Iterator[Mapping[str, Any]]:
    """The leaves, in order."""
    pending, visited = [(root, 0)], set[str]()
    while pending:
        name, depth = pending.pop()
        if name.sha256 in visited:
            raise RemoteUntrusted("a node of the tree of the shared index is in it twice")
        visited.add(name.sha256)
        _require_bounded(len(visited), depth)
        node = _node(objects, name)
        if "leaf" in node:
            yield node
        pending += [(_child(row), depth + 1) for row in reversed(node.get("inner", ()))]


def _node(objects: SealedObjects, name: ObjectName) -> Mapping[str, Any]:
    node = unpacked(objects.read(KIND, name), what="tree", max_bytes=MAX_NODE_BYTES)
    lists = [node[part] for part in ("leaf", "inner") if part in node]
    if len(lists) != 1 or not isinstance(lists[0], list) or len(lists[0]) > MAX_ENTRIES:
        raise RemoteUntrusted("a node of the tree of the shared index is no node")
    return node


def _groups(rows: Sequence[list[Any]], level: int) -> Iterator[Sequence[list[Any]]]:
    """The rows cut after those whose path's hash says so; one empty group for none."""
    start = 0
    for at, row in enumerate(rows, start=1):
        count = at - start
        if count >= MAX_ENTRIES or (count >= MIN_ENTRIES and _is_cut(row[0], level)):
            yield rows[start:at]
            start = at
    if start < len(rows) or not rows:
        yield rows[start:]


def _is_cut(path: str, level: int) -> bool:
    hashed = hashlib.sha256(f"{level} {path}".encode("utf-8", "surrogatepass")).digest()
    return hashed[0] % USUAL_ENTRIES == 0


def _entry(row: object) -> TreeEntry:
    match row:
        case [str(path), str(digest), str(language)]:
            return TreeEntry(path=_checked(path), digest=_bytes(digest), language=language)
    raise RemoteUntrusted("an entry of the tree of the shared index is no file")


def _child(row: object) -> ObjectName:
    match row:
        case [str(_), str(sha256), int(size)]:
            named = {"sha256": sha256, "bytes": size}
            return ObjectName(fields.digest(named, "sha256"), fields.count(named, "bytes"))
    raise RemoteUntrusted("an entry of the tree of the shared index is no node")


def is_portable(path: str) -> bool:
    r"""Whether a path is relative and leads nowhere else on any system: on Windows `\` separates, and `C:x` names a drive."""
    if not path or "\0" in path or "\\" in path or _DRIVE.match(path):
        return False
    return not any(part in {"", ".", ".."} for part in path.split("/"))


def _checked(path: str) -> str:
    if not is_portable(path):
        raise RemoteUntrusted(
            f"a path in the tree of the shared index leads out of the workspace: `{path:.200}`"
        )
    return path


def _require_bounded(count: int, depth: int) -> None:
    if count > MAX_NODES or depth > MAX_DEPTH:
        raise RemoteUntrusted("the tree of the shared index has no end")


def _text(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def _bytes(text: str) -> bytes:
    try:
        digest = base64.b64decode(text, validate=True)
    except ValueError:
        digest = b""
    if len(digest) != DIGEST_BYTES:
        raise RemoteUntrusted("an entry of the tree of the shared index has no digest")
    return digest
