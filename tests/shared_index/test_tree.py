"""The tree of paths comes back as it was, shares equal parts, and leads nowhere else."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codecairn import RemoteUntrusted
from codecairn.objects import tree
from codecairn.objects.compressed_json import packed
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.seal import Sealer
from codecairn.objects.sealed_objects import ObjectName, SealedObject, SealedObjects
from codecairn.objects.tree import TreeEntry
from shared_index.conftest import KEY, REPOSITORY


class MemoryStore(FolderStore):
    """Keeps objects in memory, for the many trees of a property."""

    def __init__(self) -> None:
        self._held: dict[str, bytes] = {}

    def get(self, key: str, *, max_bytes: int = 0) -> bytes:  # noqa: ARG002
        return self._held[key]

    def put(self, key: str, data: bytes) -> None:
        self._held[key] = data

    def exists(self, key: str) -> bool:
        return key in self._held


def _entry(path: str, content: str = "") -> TreeEntry:
    digest = hashlib.sha256(f"{path} {content}".encode("utf-8", "surrogatepass")).digest()
    return TreeEntry(path=path, digest=digest, language="python")


def _entries(count: int, *, changed: tuple[int, ...] = ()) -> list[TreeEntry]:
    return [
        _entry(f"src/package{at // 40:03}/module{at:05}.py", "changed" if at in changed else "")
        for at in range(count)
    ]


def _stored(objects: SealedObjects, entries: list[TreeEntry]) -> list[SealedObject]:
    nodes = list(tree.build(entries, objects))
    for node in nodes:
        objects.store(node)
    return nodes


def _in_memory() -> SealedObjects:
    return SealedObjects(MemoryStore(), Sealer(REPOSITORY, KEY))


names = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1)
paths = st.lists(names, min_size=1, max_size=4).map("/".join).filter(tree.is_portable)


@settings(max_examples=30)
@given(paths=st.sets(paths, max_size=150))
def test_tree_comes_back_whatever_the_paths_are(paths: set[str]) -> None:
    objects, entries = _in_memory(), [_entry(path) for path in sorted(paths)]
    nodes = _stored(objects, entries)
    assert list(tree.read(objects, nodes[-1].name)) == entries
    assert len({node.name for node in nodes}) == len(nodes)


@pytest.mark.parametrize("count", [0, 1, 2, 31, 2000])
def test_tree_of_any_size_comes_back(count: int) -> None:
    objects, entries = _in_memory(), _entries(count)
    nodes = _stored(objects, entries)
    assert list(tree.read(objects, nodes[-1].name)) == entries
    assert len({node.name for node in nodes}) == len(nodes)


def test_three_changed_files_of_six_thousand_change_few_small_nodes() -> None:
    objects = _in_memory()
    _stored(objects, _entries(6_000))
    before = objects.uploaded_bytes
    _stored(objects, _entries(6_000, changed=(17, 3_000, 5_999)))
    assert objects.uploaded_bytes - before < 12_000


def test_order_of_history_does_not_show() -> None:
    grown = list(tree.build(_entries(500), _in_memory()))[-1].name
    objects = _in_memory()
    _stored(objects, _entries(300))
    assert _stored(objects, _entries(500))[-1].name == grown


def _forged(objects: SealedObjects, node: object) -> ObjectName:
    sealed = objects.sealed(tree.KIND, packed(node))
    objects.store(sealed)
    return sealed.name


DIGEST = "A" * 43 + "="


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ({"leaf": [["../outside", DIGEST, "c"]]}, "leads out of the workspace: `../outside`"),
        ({"leaf": [["a/../../b", DIGEST, "c"]]}, "leads out of the workspace"),
        ({"leaf": [["/etc/passwd", DIGEST, "c"]]}, "leads out of the workspace"),
        ({"leaf": [["a//b", DIGEST, "c"]]}, "leads out of the workspace"),
        ({"leaf": [["a/./b", DIGEST, "c"]]}, "leads out of the workspace"),
        ({"leaf": [["", DIGEST, "c"]]}, "leads out of the workspace"),
        ({"leaf": [["a\0b", DIGEST, "c"]]}, "leads out of the workspace"),
        ({"leaf": [["a\\..\\b", DIGEST, "c"]]}, "leads out of the workspace"),
        ({"leaf": [["\\\\server\\share", DIGEST, "c"]]}, "leads out of the workspace"),
        ({"leaf": [["C:x", DIGEST, "c"]]}, "leads out of the workspace"),
        ({"leaf": [["c:/x", DIGEST, "c"]]}, "leads out of the workspace"),
        ({"leaf": [["b", DIGEST, "c"], ["a", DIGEST, "c"]]}, "not sorted"),
        ({"leaf": [["a", DIGEST, "c"], ["a", DIGEST, "c"]]}, "not sorted"),
        ({"leaf": [["a", "AAAA", "c"]]}, "has no digest"),
        ({"leaf": [["a", "~" * 44, "c"]]}, "has no digest"),
        ({"leaf": [["a", DIGEST]]}, "is no file"),
        ({"leaf": ["a"]}, "is no file"),
        ({"leaf": 3}, "is no node"),
        ({"leaf": [["a", DIGEST, "c"]] * 1000}, "is no node"),
        ({"leaf": [], "inner": []}, "is no node"),
        ({"other": []}, "is no node"),
        ({"inner": [["a", "zz", 3]]}, "no valid `sha256`"),
        ({"inner": [["a", "ab" * 32, "3"]]}, "is no node"),
        ({"inner": [["a", "ab" * 32, 1 << 60]]}, "no valid `bytes`"),
        ({"inner": [["a", "ab" * 32, 1 << 40]]}, "claims"),
    ],
)
def test_forged_node_is_refused(objects: SealedObjects, node: object, words: str) -> None:
    with pytest.raises(RemoteUntrusted, match=words):
        list(tree.read(objects, _forged(objects, node)))


def test_tree_without_end_is_refused(objects: SealedObjects) -> None:
    name = _forged(objects, {"leaf": []})
    for _ in range(40):
        name = _forged(objects, {"inner": [["a", name.sha256, name.size_bytes]]})
    with pytest.raises(RemoteUntrusted, match="has no end"):
        list(tree.read(objects, name))


@pytest.mark.timeout(30)
@pytest.mark.parametrize("leaf", [[], [["a", DIGEST, "c"]]])
def test_tree_that_names_each_node_512_times_is_refused_at_once(
    objects: SealedObjects, leaf: list[object]
) -> None:
    name = _forged(objects, {"leaf": leaf})
    for _ in range(9):
        name = _forged(objects, {"inner": [["a", name.sha256, name.size_bytes]] * 512})
    with pytest.raises(RemoteUntrusted, match="is in it twice"):
        list(tree.read(objects, name))


@pytest.mark.parametrize("count", [0, 1, 40, 3000])
def test_sample_has_paths_from_the_first_to_the_last_part(count: int) -> None:
    objects, entries = _in_memory(), _entries(count)
    sampled = tree.sample(objects, _stored(objects, entries)[-1].name, leaves=8)
    paths = [entry.path for entry in entries]
    assert set(sampled) <= set(paths)
    assert len(sampled) >= min(count, 8)
    if count == 3000:
        assert len(sampled) < 1500
        assert {path[:14] for path in sampled} >= {"src/package000"}
        assert max(sampled) > paths[2000]
