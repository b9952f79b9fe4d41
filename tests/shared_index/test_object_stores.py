"""Each object store keeps bytes under names, and says clearly what is wrong."""

import os
import sys
from pathlib import Path

import pytest

from codecairn import ObjectMissing, RemoteUnavailable, RemoteUntrusted, UnsafeEndpoint, UsageError
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.object_store import ObjectStore
from codecairn.objects.opening import normalised, open_store


def test_bytes_come_back_under_their_key(object_store: ObjectStore) -> None:
    object_store.put("a/one", b"first")
    object_store.put("a/two", b"")
    object_store.put("a/one", b"second")
    assert object_store.get("a/one") == b"second"
    assert object_store.get("a/two") == b""
    assert object_store.exists("a/one")
    assert sorted(object_store.keys("a")) == ["a/one", "a/two"]


def test_what_is_not_there_is_missing_and_can_be_removed(object_store: ObjectStore) -> None:
    object_store.put("a/one", b"first")
    with pytest.raises(ObjectMissing, match="has no object `a/three`"):
        object_store.get("a/three")
    assert not object_store.exists("a/three")
    object_store.delete("a/three")
    object_store.delete("a/one")
    assert not object_store.exists("a/one")
    assert list(object_store.keys("a")) == []
    assert list(object_store.keys("b")) == []


def test_larger_object_than_expected_is_refused(object_store: ObjectStore) -> None:
    object_store.put("a/one", b"12345")
    assert object_store.get("a/one", max_bytes=5) == b"12345"
    with pytest.raises(RemoteUntrusted, match="more than 4 bytes"):
        object_store.get("a/one", max_bytes=4)


@pytest.mark.parametrize(
    "key", ["", "/a", "a/", "a//b", "../a", "a/../b", "a/.b", "A", "a\\b", "a b", "a\0b", "x" * 201]
)
def test_key_that_could_lead_elsewhere_is_refused(object_store: ObjectStore, key: str) -> None:
    for use in (object_store.get, object_store.exists, object_store.delete):
        with pytest.raises(UsageError, match="is no name of an object"):
            use(key)
    with pytest.raises(UsageError, match="is no name of an object"):
        object_store.put(key, b"")


def test_folder_that_is_gone_is_no_missing_object(folder_store: FolderStore) -> None:
    with pytest.raises(RemoteUnavailable, match="is not there"):
        folder_store.get("a/one")


def test_object_that_is_being_written_is_not_listed(
    folder_store: FolderStore, tmp_path: Path
) -> None:
    folder_store.put("a/one", b"1")
    (tmp_path / "objects/a/.two.x1y2").write_bytes(b"half")
    assert list(folder_store.keys("a")) == ["a/one"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows needs a privilege for symbolic links")
def test_object_that_is_a_link_is_not_followed(folder_store: FolderStore, tmp_path: Path) -> None:
    folder_store.put("a/one", b"1")
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "objects/a/two").symlink_to(tmp_path / "secret")
    with pytest.raises(RemoteUnavailable, match="it is a link"):
        folder_store.get("a/two")


def test_folder_that_is_a_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = FolderStore(tmp_path / "file")
    with pytest.raises(RemoteUnavailable, match="can't be used"):
        store.put("a/one", b"1")


def test_bucket_that_is_not_there_is_unavailable(s3_environment: str) -> None:
    with pytest.raises(RemoteUnavailable, match="there is no bucket `none-of-these`"):
        open_store("s3://none-of-these/x").get("a/one")


def test_server_that_is_gone_is_unavailable_and_shows_no_secret(
    s3_environment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(RemoteUnavailable, match="`s3://indexes/x` does not answer") as caught:
        open_store("s3://indexes/x").get("a/one")
    assert os.environ["AWS_SECRET_ACCESS_KEY"] not in str(caught.value) + repr(caught.value)


def test_endpoint_elsewhere_is_not_asked_unencrypted(
    s3_environment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_: [(0, 0, 0, "", ("8.8.8.8", 0))])
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://objects.example.com")
    with pytest.raises(UnsafeEndpoint, match="unencrypted"):
        open_store("s3://indexes/x").get("a/one")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "is empty"),
        ("http://example.com/x", "no object store has addresses"),
        ("s3://UPPER/x", "is no name of a bucket"),
        ("s3:///x", "is no name of a bucket"),
        ("s3://user:password@bucket/x", "holds its name and a prefix alone"),
        ("s3://bucket/x?versioning", "holds its name and a prefix alone"),
        ("s3://bucket/a/../b", "is no prefix"),
        ("file://elsewhere/x", "names another machine"),
    ],
)
def test_address_that_is_none_is_refused_without_its_password(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        open_store(normalised(url))
    assert "password" not in str(caught.value)


def test_folder_is_kept_by_its_full_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert normalised("shared") == str(tmp_path / "shared")
    assert open_store(normalised("shared")).place == str(tmp_path / "shared")
    assert open_store((tmp_path / "a b").as_uri()).place == str(tmp_path / "a b")
