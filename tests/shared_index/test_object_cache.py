"""The bounded cache of objects: what was read last stays, and damaged objects are fetched again."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from codecairn.errors import ObjectMissing, RemoteUntrusted
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.object_cache import ObjectCache
from codecairn.objects.seal import Sealer
from codecairn.objects.sealed_objects import SealedObjects

REPOSITORY = "0" * 32


def _key(number: int) -> str:
    return f"{REPOSITORY}/objects/{number:02}/{number:062}"


def _read_at(cache: ObjectCache, folder: Path, number: int, when_s: int) -> None:
    cache.get(_key(number))
    os.utime(folder / _key(number), (when_s, when_s))


def test_objects_that_were_not_read_for_longest_make_room(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, max_bytes=1_000)
    for number in range(10):
        cache.put(_key(number), bytes(100))
        os.utime(tmp_path / _key(number), (number, number))
    _read_at(cache, tmp_path, 0, 100)
    cache.put(_key(10), bytes(100))
    assert cache.size_bytes <= 1_000
    assert cache.get(_key(0)) == cache.get(_key(10)) == bytes(100)
    with pytest.raises(ObjectMissing):
        cache.get(_key(1))


def test_a_cache_that_is_opened_again_counts_what_is_there(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, max_bytes=1_000)
    cache.put(_key(0), bytes(600))
    (tmp_path / REPOSITORY / ".killed.while.writing").write_bytes(bytes(300))
    again = ObjectCache(tmp_path, max_bytes=1_000)
    assert again.size_bytes == 600
    again.put(_key(1), bytes(600))
    assert again.size_bytes == 600
    assert [*again.keys(REPOSITORY)] == [_key(1)]


def test_what_is_larger_than_the_cache_is_not_kept(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, max_bytes=1_000)
    cache.put(_key(0), bytes(500))
    cache.put(_key(1), bytes(1_001))
    assert [*cache.keys(REPOSITORY)] == [_key(0)]
    assert not cache.exists(_key(1))


def test_objects_are_put_and_read_by_several_threads(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, max_bytes=2_000)

    def work(number: int) -> None:
        cache.put(_key(number % 40), bytes([number % 40]) * 100)
        with suppress(ObjectMissing):  # another thread made room
            assert cache.get(_key(number % 40)) == bytes([number % 40]) * 100

    with ThreadPoolExecutor(8) as pool:
        for each in [pool.submit(work, number) for number in range(400)]:
            each.result()
    assert sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()) <= 2_000


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 2_000])
def test_a_damaged_object_is_fetched_again_and_replaced(tmp_path: Path, content: bytes) -> None:
    store = FolderStore(tmp_path / "store")
    cache = ObjectCache(tmp_path / "cache", max_bytes=1 << 20)
    objects = SealedObjects(store, Sealer(REPOSITORY, bytes(32)), cache=cache)
    sealed = objects.sealed("kind", b"content")
    objects.store(sealed)
    assert objects.read("kind", sealed.name) == b"content"
    (file,) = (each for each in (tmp_path / "cache").rglob("*") if each.is_file())
    file.write_bytes(content)
    assert objects.read("kind", sealed.name) == b"content"
    assert file.read_bytes() == sealed.data
    (stored,) = (each for each in (tmp_path / "store").rglob("*") if each.is_file())
    stored.write_bytes(content)
    assert objects.read("kind", sealed.name) == b"content"  # of the cache
    file.unlink()
    with pytest.raises(RemoteUntrusted):
        objects.read("kind", sealed.name)
