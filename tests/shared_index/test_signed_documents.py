"""Pointers and manifests count only with the signature of a publisher that the grant names."""

from dataclasses import replace

import pytest

from codecairn import RemoteConflict, RemoteIncompatible, RemoteUntrusted, UsageError
from codecairn.objects.compressed_json import packed, unpacked
from codecairn.objects.folder_store import FolderStore
from codecairn.objects.manifest import DocumentRange, Manifest, Pack, open_manifest
from codecairn.objects.pointer import Pointer, open_pointer
from codecairn.objects.ref_store import ObjectRefStore
from codecairn.objects.seal import Sealer
from codecairn.objects.sealed_objects import ObjectName
from codecairn.objects.signature import (
    new_private_key,
    open_signed,
    payload_of,
    public_key_of,
    sign,
)
from shared_index.conftest import REPOSITORY

PRIVATE, OTHER = new_private_key(), new_private_key()
ACCEPTED = frozenset({public_key_of(PRIVATE)})
NAME = ObjectName("ab" * 32, 100)

POINTER = Pointer(
    repository=REPOSITORY,
    branch="feature/söme branch",
    epoch=7,
    commit="c0ffee",
    manifest="cd" * 32,
    manifest_bytes=1234,
    made_ns=1_795_824_000_000_000_000,
)

MANIFEST = Manifest(
    repository=REPOSITORY,
    format="extractor 3, records 1",
    branch="main",
    commit="c0ffee",
    epoch=7,
    made_ns=1_795_824_000_000_000_000,
    tree=NAME,
    files=3,
    packs=(Pack(objects=(NAME, NAME), index=(NAME,), contents=3),),
    numbering=(
        DocumentRange(kind="numbering", first=0, count=5, objects=(NAME,)),
        DocumentRange(kind="numbering", first=5, count=2, objects=(NAME,)),
    ),
    segments=(DocumentRange(kind="lexical", first=0, count=7, objects=(NAME,)),),
)


def _open(document: bytes, *, branch: str = POINTER.branch) -> Pointer:
    return open_pointer(document, repository=REPOSITORY, branch=branch, accepted=ACCEPTED)[0]


def _open_manifest(document: bytes) -> Manifest:
    return open_manifest(document, repository=REPOSITORY, accepted=ACCEPTED)


def test_signed_documents_come_back() -> None:
    assert _open(POINTER.signed(PRIVATE)) == POINTER
    assert _open_manifest(MANIFEST.signed(PRIVATE)) == MANIFEST
    assert MANIFEST.documents == 7
    assert len(list(MANIFEST.objects)) == 7


def test_foreign_signature_is_refused_with_the_command_that_accepts_it() -> None:
    for use in (
        lambda: _open(POINTER.signed(OTHER)),
        lambda: _open_manifest(MANIFEST.signed(OTHER)),
    ):
        with pytest.raises(
            RemoteUntrusted, match="a publisher that your grant does not list"
        ) as caught:
            use()
        assert "codecairn remote accept" in caught.value.hint


@pytest.mark.parametrize("at", [4, 40, 67, 68, 99, 100, 101, 130, -1])
def test_forged_byte_is_refused(at: int) -> None:
    for signed in (POINTER.signed(PRIVATE), MANIFEST.signed(PRIVATE)):
        forged = bytearray(signed)
        forged[at] ^= 1
        with pytest.raises(RemoteUntrusted):
            _open(bytes(forged))
        with pytest.raises(RemoteUntrusted):
            _open_manifest(bytes(forged))


def test_unsigned_or_truncated_document_is_refused() -> None:
    signed = POINTER.signed(PRIVATE)
    for length in (0, 2, 4, 50, 99):
        with pytest.raises(RemoteUntrusted, match="is not signed"):
            _open(signed[:length])
    with pytest.raises(RemoteUntrusted, match="is not signed"):
        _open(POINTER.payload)
    with pytest.raises(RemoteUntrusted, match="not valid"):
        _open(signed[:-1])
    with pytest.raises(RemoteIncompatible, match="signed in another format"):
        _open(b"CCS9" + signed[4:])


def test_signature_serves_for_no_other_kind_and_no_other_repository() -> None:
    as_manifest = sign("manifest", REPOSITORY, POINTER.payload, private_key=PRIVATE)
    with pytest.raises(RemoteUntrusted, match="not valid"):
        _open(as_manifest)
    elsewhere = sign("pointer", "f" * 32, POINTER.payload, private_key=PRIVATE)
    with pytest.raises(RemoteUntrusted, match="not valid"):
        _open(elsewhere)


def test_pointer_of_another_branch_or_repository_is_refused() -> None:
    with pytest.raises(RemoteUntrusted, match="another branch, `feature/söme branch`"):
        _open(POINTER.signed(PRIVATE), branch="main")
    foreign = replace(POINTER, repository="f" * 32).payload
    signed = sign("pointer", REPOSITORY, foreign, private_key=PRIVATE)
    with pytest.raises(RemoteUntrusted, match="another repository"):
        _open(signed)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"version": 2}, RemoteIncompatible, "another format"),
        ({"epoch": 0}, RemoteUntrusted, "no epoch"),
        ({"epoch": -1}, RemoteUntrusted, "no valid `epoch`"),
        ({"epoch": 1.5}, RemoteUntrusted, "no valid `epoch`"),
        ({"epoch": True}, RemoteUntrusted, "no valid `epoch`"),
        ({"epoch": 2**53}, RemoteUntrusted, "no valid `epoch`"),
        ({"manifest": "../secret"}, RemoteUntrusted, "no valid `manifest`"),
        ({"manifest": None}, RemoteUntrusted, "no valid `manifest`"),
        ({"branch": "a\nb"}, RemoteUntrusted, "no valid `branch`"),
        ({"branch": "a\x1b[2J"}, RemoteUntrusted, "no valid `branch`"),
        ({"commit": "x" * 5000}, RemoteUntrusted, "no valid `commit`"),
        ({"manifest_bytes": "10"}, RemoteUntrusted, "no valid `manifest_bytes`"),
    ],
)
def test_signed_nonsense_is_refused(
    change: dict[str, object], error: type[Exception], words: str
) -> None:
    document = dict(unpacked(POINTER.payload, what="pointer", max_bytes=10**6)) | change
    signed = sign("pointer", REPOSITORY, packed(document), private_key=PRIVATE)
    with pytest.raises(error, match=words):
        _open(signed)


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        (replace(MANIFEST, repository="f" * 32), "another repository"),
        (replace(MANIFEST, numbering=MANIFEST.numbering[1:]), "has gaps"),
        (replace(MANIFEST, numbering=MANIFEST.numbering[:1]), "does not number"),
        (replace(MANIFEST, numbering=(replace(MANIFEST.numbering[0], count=0),)), "has gaps"),
        (replace(MANIFEST, numbering=(replace(MANIFEST.numbering[0], kind="x"),)), "has gaps"),
        (replace(MANIFEST, segments=(replace(MANIFEST.segments[0], first=1),)), "not number"),
        (replace(MANIFEST, tree=ObjectName("x", 1)), "no valid `sha256`"),
        (replace(MANIFEST, tree=ObjectName("ab" * 32, -1)), "no valid `bytes`"),
        (replace(MANIFEST, packs=(Pack(objects=(), index=(NAME,), contents=1),)), "no `objects`"),
    ],
)
def test_signed_manifest_that_does_not_fit_together_is_refused(
    manifest: Manifest, words: str
) -> None:
    from codecairn.objects.manifest import _document

    signed = sign("manifest", REPOSITORY, packed(_document(manifest)), private_key=PRIVATE)
    with pytest.raises(RemoteUntrusted, match=words):
        _open_manifest(signed)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"not compressed",
        packed([1, 2]),
        packed({"a": 1})[:-2],
        packed({"a": 1}) + b"x",
        packed({"a": " " * 10_000_000}),
        packed({"branch": [[]] * 100_000}),
    ],
    ids=["empty", "plain", "list", "cut", "longer", "bomb", "wide"],
)
def test_bombs_and_broken_documents_are_refused(payload: bytes) -> None:
    assert len(payload) < 20_000
    signed = sign("pointer", REPOSITORY, payload, private_key=PRIVATE)
    with pytest.raises(RemoteUntrusted):
        _open(signed)


def test_deeply_nested_document_is_refused() -> None:
    import zlib

    nested = zlib.compress(b'{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}")
    with pytest.raises(RemoteUntrusted, match="can't be read"):
        unpacked(nested, what="tree", max_bytes=10**6)


def test_private_key_of_a_wrong_length_is_refused() -> None:
    with pytest.raises(UsageError, match="has 32 bytes, not 31"):
        public_key_of(PRIVATE[:-1])


def test_payload_is_read_whoever_signed_it() -> None:
    assert payload_of(POINTER.signed(OTHER)) == POINTER.payload
    signed = open_signed("pointer", REPOSITORY, POINTER.signed(PRIVATE), accepted=ACCEPTED)
    assert signed.publisher == public_key_of(PRIVATE)


@pytest.fixture
def refs(folder_store: FolderStore, sealer: Sealer) -> ObjectRefStore:
    folder_store.put("mark", b"")  # a folder that is not there is an error of its own
    return ObjectRefStore(folder_store, sealer)


def _publish(refs: ObjectRefStore, pointer: Pointer, *, expected: int) -> None:
    refs.publish(
        pointer.branch, pointer, pointer.signed(PRIVATE), expected_epoch=expected, objects=()
    )


def test_branch_moves_from_the_epoch_that_is_expected_alone(refs: ObjectRefStore) -> None:
    first, second = replace(POINTER, epoch=1), replace(POINTER, epoch=2)
    assert refs.read(POINTER.branch) is None
    _publish(refs, first, expected=0)
    for late in (0, 2):
        with pytest.raises(RemoteConflict, match=f"at epoch 1, no longer at {late}"):
            _publish(refs, second, expected=late)
    _publish(refs, second, expected=1)
    assert refs.read(POINTER.branch) == second.signed(PRIVATE)


def test_names_of_branches_show_in_no_key(refs: ObjectRefStore, folder_store: FolderStore) -> None:
    for branch in ("feature/secret-plan", "../../etc/passwd", ""):
        _publish(refs, replace(POINTER, branch=branch, epoch=1), expected=0)
    keys = list(folder_store.keys(f"{REPOSITORY}/refs"))
    assert len(keys) == 3
    assert not [key for key in keys if "secret" in key or "passwd" in key or ".." in key]
    for branch in ("feature/secret-plan", "../../etc/passwd", ""):
        assert refs.read(branch) is not None


def test_publisher_who_is_overtaken_between_reading_and_writing_is_told(
    refs: ObjectRefStore, folder_store: FolderStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = FolderStore.put

    def put_and_be_overtaken(self: FolderStore, key: str, data: bytes) -> None:
        put(self, key, data)
        monkeypatch.setattr(FolderStore, "put", put)
        rival = replace(POINTER, epoch=1, commit="rival")
        refs._store.put(key, refs._sealer.seal("pointer", rival.signed(PRIVATE)))

    monkeypatch.setattr(FolderStore, "put", put_and_be_overtaken)
    with pytest.raises(RemoteConflict, match="at the same moment"):
        _publish(refs, replace(POINTER, epoch=1), expected=0)


def test_pointer_that_was_damaged_where_it_lies_can_be_replaced(
    refs: ObjectRefStore, folder_store: FolderStore
) -> None:
    _publish(refs, replace(POINTER, epoch=1), expected=0)
    (key,) = folder_store.keys(f"{REPOSITORY}/refs")
    folder_store.put(key, b"damaged")
    with pytest.raises(RemoteUntrusted, match="not a sealed object"):
        refs.read(POINTER.branch)
    _publish(refs, replace(POINTER, epoch=2), expected=0)
    assert refs.read(POINTER.branch) is not None
