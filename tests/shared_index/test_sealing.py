"""Objects open for holders of the key alone, as what they were sealed for, and unchanged."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codecairn import ObjectMissing, RemoteIncompatible, RemoteUntrusted, UsageError
from codecairn.objects import sealed_objects
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.seal import OVERHEAD_BYTES, Sealer
from codecairn.objects.sealed_objects import ObjectName, SealedObjects
from shared_index.conftest import KEY, REPOSITORY


@given(content=st.binary(max_size=300), kind=st.sampled_from(["segment", "tree"]))
def test_content_comes_back_and_equal_content_is_sealed_equally(content: bytes, kind: str) -> None:
    sealer = Sealer(REPOSITORY, KEY)
    sealed = sealer.seal(kind, content)
    assert sealer.open(kind, sealed) == content
    assert Sealer(REPOSITORY, KEY).seal(kind, content) == sealed
    assert len(sealed) == len(content) + OVERHEAD_BYTES


def test_sealed_object_shows_nothing_of_its_content(sealer: Sealer) -> None:
    content = b"def load_basket(customer): return baskets[customer]\n" * 50
    sealed = sealer.seal("segment", content)
    for word in (b"basket", b"customer", b"return"):
        assert word not in sealed
    zeros = sealer.seal("segment", bytes(4096))
    assert len(set(zeros)) > 200


@given(at=st.integers(0, 10**6), flip=st.integers(1, 255))
def test_changed_byte_anywhere_is_noticed(at: int, flip: int) -> None:
    sealer = Sealer(REPOSITORY, KEY)
    sealed = bytearray(sealer.seal("segment", b"some content of a segment"))
    sealed[at % len(sealed)] ^= flip
    with pytest.raises((RemoteUntrusted, RemoteIncompatible)):
        sealer.open("segment", bytes(sealed))


@pytest.mark.parametrize(
    ("repository", "key", "kind"),
    [
        (REPOSITORY, bytes(32), "segment"),
        ("f" * 32, KEY, "segment"),
        (REPOSITORY, KEY, "tree"),
    ],
)
def test_object_opens_for_no_other_key_repository_or_kind(
    sealer: Sealer, repository: str, key: bytes, kind: str
) -> None:
    sealed = sealer.seal("segment", b"content")
    with pytest.raises(RemoteUntrusted, match=f"a {kind} .* does not open"):
        Sealer(repository, key).open(kind, sealed)


def test_other_format_of_a_seal_is_named(sealer: Sealer) -> None:
    with pytest.raises(RemoteIncompatible, match="sealed in another format"):
        sealer.open("segment", b"CCO9" + bytes(64))
    for cut in (b"", b"CCO1", b"CCO1" + bytes(20), b"plain text that was never sealed at all"):
        with pytest.raises(RemoteUntrusted):
            sealer.open("segment", cut)


def test_hidden_name_depends_on_the_key(sealer: Sealer) -> None:
    name = sealer.hidden_name("branch main")
    assert name == Sealer(REPOSITORY, KEY).hidden_name("branch main")
    assert name != Sealer(REPOSITORY, bytes(32)).hidden_name("branch main")
    assert name != sealer.hidden_name("branch other")


def test_key_of_a_wrong_length_is_refused() -> None:
    with pytest.raises(UsageError, match="has 32 bytes, not 16"):
        Sealer(REPOSITORY, bytes(16))


def _only_key(store: FolderStore) -> str:
    (key,) = store.keys(f"{REPOSITORY}/objects")
    return key


def test_object_is_named_by_its_stored_bytes_and_stored_once(
    objects: SealedObjects, folder_store: FolderStore
) -> None:
    sealed = objects.sealed("tree", b"content")
    objects.store(sealed)
    objects.store(sealed)
    stored = folder_store.get(_only_key(folder_store))
    assert hashlib.sha256(stored).hexdigest() == sealed.name.sha256
    assert (objects.uploaded, objects.uploaded_bytes) == (1, len(stored))
    assert objects.read("tree", sealed.name) == b"content"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda _data: b"",
        lambda data: data + b"x",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    ],
    ids=["a byte cut off", "half", "empty", "longer", "a bit"],
)
def test_damaged_object_is_refused(
    objects: SealedObjects, folder_store: FolderStore, damage: object
) -> None:
    sealed = objects.sealed("tree", b"content")
    objects.store(sealed)
    key = _only_key(folder_store)
    folder_store.put(key, damage(folder_store.get(key)))  # type: ignore[operator]
    with pytest.raises(RemoteUntrusted, match=r"damaged|more than"):
        objects.read("tree", sealed.name)


def test_swapped_objects_are_refused(objects: SealedObjects, folder_store: FolderStore) -> None:
    one, two = (objects.sealed("tree", content) for content in (b"content 1", b"content 2"))
    for sealed in (one, two):
        objects.store(sealed)
    keys = list(folder_store.keys(f"{REPOSITORY}/objects"))
    first, second = (folder_store.get(key) for key in keys)
    folder_store.put(keys[0], second)
    folder_store.put(keys[1], first)
    for sealed in (one, two):
        with pytest.raises(RemoteUntrusted, match="damaged"):
            objects.read("tree", sealed.name)


def test_object_that_is_gone_is_missing(objects: SealedObjects, folder_store: FolderStore) -> None:
    sealed = objects.sealed("tree", b"content")
    objects.store(objects.sealed("tree", b"other"))
    with pytest.raises(ObjectMissing, match="has no object"):
        objects.read("tree", sealed.name)


def test_claim_of_an_absurd_size_is_refused_before_anything_is_read(
    objects: SealedObjects,
) -> None:
    with pytest.raises(RemoteUntrusted, match="claims"):
        objects.read("tree", ObjectName("0" * 64, 1 << 50))


def test_large_content_is_stored_in_parts_that_can_not_change_places(
    objects: SealedObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealed_objects, "PART_BYTES", 1000)
    content = bytes(2000) + b"rest"
    parts = list(objects.sealed_parts("segment", content))
    for part in parts:
        objects.store(part)
    names = [part.name for part in parts]
    assert len({name.sha256 for name in names}) == 3
    assert objects.read_parts("segment", names) == content
    with pytest.raises(RemoteUntrusted, match="does not open"):
        objects.read_parts("segment", [names[1], names[0], names[2]])


def test_fetched_object_is_read_from_the_cache_and_checked_there(
    folder_store: FolderStore, sealer: Sealer, tmp_path: object
) -> None:
    cache = FolderStore(tmp_path / "cache")  # type: ignore[operator]
    objects = SealedObjects(folder_store, sealer, cache=cache)
    sealed = objects.sealed("tree", b"content")
    objects.store(sealed)
    objects.fetch("tree", sealed.name)
    assert objects.fetched_bytes == len(sealed.data)
    assert objects.read("tree", sealed.name) == b"content"
    assert objects.fetched_bytes == len(sealed.data)
    (key,) = cache.keys(f"{REPOSITORY}/objects")
    cache.put(key, b"x" * len(sealed.data))
    assert objects.read("tree", sealed.name) == b"content"
    assert objects.fetched_bytes == 2 * len(sealed.data)
