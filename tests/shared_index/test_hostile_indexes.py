"""Whatever is done to a shared index where it lies, a reader takes none of it and says what is wrong."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codecairn import (
    CodecairnError,
    NotIndexed,
    ObjectMissing,
    RemoteConflict,
    RemoteIncompatible,
    RemoteUntrusted,
)
from codecairn.core.index_transfer import IndexTransfer
from codecairn.errors import IndexPartDamaged
from codecairn.objects import tree
from codecairn.objects.compressed_json import packed
from codecairn.objects.grant import Grant, Publisher
from codecairn.objects.manifest import DocumentRange, Manifest
from codecairn.objects.sealed_objects import ObjectName
from codecairn.objects.signature import new_private_key, public_key_of
from codecairn.replication.remote_index import RemoteIndex
from support.people import People, Person, stored


def _pull(person: Person) -> None:
    with person.workspace() as workspace:
        workspace.remote.pull()


def _assert_nothing_was_taken(person: Person) -> None:
    with person.workspace() as workspace, pytest.raises(NotIndexed):
        workspace.paths()


def _assert_refused(
    person: Person,
    error: type[CodecairnError] | tuple[type[CodecairnError], ...],
    words: str | None = None,
) -> str:
    with pytest.raises(error, match=words) as caught:
        _pull(person)
    found: CodecairnError = caught.value
    assert found.hint
    return found.message


@contextmanager
def _changed(path: Path, content: bytes | None) -> Iterator[None]:
    before = path.read_bytes()
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    yield
    path.write_bytes(before)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: data[: len(data) // 2], id="truncated"),
        pytest.param(lambda _data: b"", id="empty"),
        pytest.param(lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:], id="bit"),
        pytest.param(lambda data: data + bytes(100), id="longer"),
        pytest.param(lambda _data: None, id="gone"),
    ],
)
def test_any_damaged_object_stops_a_pull_and_the_next_one_goes_on(
    reader: Person, shared_folder: Path, damage: Callable[[bytes], bytes | None]
) -> None:
    used = 0
    for path in sorted(shared_folder.rglob("*")):
        if not path.is_file() or path.name == "repository":
            continue
        with _changed(path, damage(path.read_bytes())), reader.workspace() as workspace:
            try:
                workspace.remote.pull()
            except (RemoteUntrusted, ObjectMissing) as err:
                used += 1
                assert err.hint  # noqa: PT017
                with pytest.raises(NotIndexed):
                    workspace.paths()
        shutil.rmtree(reader.home / "data" / "stores", ignore_errors=True)
        shutil.rmtree(
            next((reader.home / "data" / "remotes").glob("*/")) / "cache", ignore_errors=True
        )
    assert used >= 5
    assert reader.done("pull", "--json").document["index"]["parsed"] == 0


def test_swapped_objects_are_refused(reader: Person, shared_folder: Path) -> None:
    paths = sorted((shared_folder).glob("*/objects/*/*"), key=lambda path: path.stat().st_size)
    largest, second = paths[-1].read_bytes(), paths[-2].read_bytes()
    paths[-1].write_bytes(second)
    paths[-2].write_bytes(largest)
    _assert_refused(reader, RemoteUntrusted, r"damaged|more than")
    _assert_nothing_was_taken(reader)


def _grant(person: Person) -> Grant:
    with person.workspace() as workspace:
        return workspace.remote.grant()


def _forge(
    person: Person, change: Callable[[RemoteIndex, Manifest], Manifest], grant: Grant
) -> None:
    """Publish a changed manifest as a person who can write to the store and holds this grant."""
    with person.here():
        opened = RemoteIndex(grant)
        epoch = opened.epoch("main")
        accepted = RemoteIndex(_grant(person)).latest("main")
        assert accepted is not None
        forged = replace(change(opened, accepted.manifest), epoch=epoch + 1)
        opened.move(forged, expected_epoch=epoch)


def test_reader_who_writes_to_the_store_is_no_publisher(
    reader: Person, people: People, owner: Person
) -> None:
    mallory = people.person("mallory")
    mallory.done("remote", "accept", str(people.grant(owner)))
    private_key = new_private_key()
    grant = _grant(mallory)
    own = replace(
        grant,
        private_key=private_key,
        publishers=(*grant.publishers, Publisher(name="me", key=public_key_of(private_key))),
    )
    _forge(mallory, lambda _, manifest: replace(manifest, commit="forged"), own)
    _assert_refused(reader, RemoteUntrusted, "a publisher that your grant does not list")
    _assert_nothing_was_taken(reader)


def test_manifest_of_an_unknown_publisher_behind_a_good_pointer_is_refused(
    reader: Person, owner: Person
) -> None:
    with owner.here():
        opened = RemoteIndex(_grant(owner))
        found = opened.latest("main")
        assert found is not None
        sealed = opened.objects.sealed("manifest", found.manifest.signed(new_private_key()))
        opened.objects.store(sealed)
        key = opened.grant.private_key
        assert key is not None
        pointer = replace(
            found.pointer,
            epoch=2,
            manifest=sealed.name.sha256,
            manifest_bytes=sealed.name.size_bytes,
        )
        opened.refs.publish("main", pointer, pointer.signed(key), expected_epoch=1, objects=())
    _assert_refused(
        reader, RemoteUntrusted, "manifest .* a publisher that your grant does not list"
    )


def test_old_state_that_is_put_back_is_refused(
    owner: Person, reader: Person, shared_folder: Path
) -> None:
    (pointer,) = shared_folder.glob("*/refs/*")
    old = pointer.read_bytes()
    owner.clone.write("new.py", "def newly():\n    return 1\n")
    owner.clone.commit()
    owner.done("index", "--publish", "shop")
    _pull(reader)
    pointer.write_bytes(old)
    message = _assert_refused(reader, RemoteUntrusted, "an old state was put back")
    assert "at epoch 1, but was at 2 before" in message
    status = reader.done("remote", "status", "--json").document
    assert "an old state was put back" in status["problem"]
    owner.clone.write("newer.py", "def newer():\n    return 1\n")
    owner.clone.commit()
    assert owner.done("index", "--publish", "shop", "--json").document["published"]["epoch"] == 3
    _pull(reader)


def test_old_state_of_another_publisher_is_refused_too(
    owner: Person, reader: Person, people: People, shared_folder: Path
) -> None:
    (pointer,) = shared_folder.glob("*/refs/*")
    of_owner = pointer.read_bytes()
    ci = people.person("ci")
    ci.done("remote", "accept", str(people.grant(owner, "--publisher", "ci")))
    ci.clone.write("new.py", "def newly():\n    return 1\n")
    ci.clone.commit()
    ci.done("index", "--publish", "shop")
    fresh = people.person("fresh")
    fresh.done("remote", "accept", str(people.grant(owner)))
    _pull(fresh)  # it has read ci's epoch 2, and nothing of the owner
    pointer.write_bytes(of_owner)
    message = _assert_refused(fresh, RemoteUntrusted, "an old state was put back")
    assert "at epoch 1, but was at 2 before" in message
    # A publisher who has read it goes on after it, whoever published it.
    again = ci.done("index", "--publish", "shop", "--json").document["published"]
    assert again["epoch"] == 3
    _pull(fresh)


def test_pointer_of_another_branch_in_its_place_is_refused(
    owner: Person, reader: Person, shared_folder: Path
) -> None:
    (main,) = shared_folder.glob("*/refs/*")
    owner.done("index", "--publish", "shop", "--branch", "other")
    (other,) = set(shared_folder.glob("*/refs/*")) - {main}
    main.write_bytes(other.read_bytes())
    _assert_refused(reader, RemoteUntrusted, "another branch, `other`")


def test_index_of_another_version_is_refused_and_named(
    owner: Person, reader: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(IndexTransfer, "format", lambda _self: "another format")
        owner.clone.write("new.py", "def newly():\n    return 1\n")
        owner.clone.commit()
        with owner.workspace() as workspace:
            workspace.index()
            done = workspace.remote.publish("shop")
        assert done.contents == done.files  # records of another format are packed again
    _assert_refused(reader, RemoteIncompatible, "made by another version .* `another format`")
    _assert_nothing_was_taken(reader)
    found = reader.done("search", "where are tokens verified", "--json")
    assert found.document["results"][0]["path"] == "shop/tokens.py"
    assert "made by another version" in found.err


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "a/../../b.py"])
def test_path_that_leads_out_of_the_workspace_is_refused(
    owner: Person, reader: Person, path: str
) -> None:
    def with_path(opened: RemoteIndex, manifest: Manifest) -> Manifest:
        row = [path, "A" * 43 + "=", "python"]
        sealed = opened.objects.sealed(tree.KIND, packed({"leaf": [row]}))
        opened.objects.store(sealed)
        return replace(manifest, tree=sealed.name)

    _forge(owner, with_path, _grant(owner))
    _assert_refused(reader, RemoteUntrusted, "leads out of the workspace")
    _assert_nothing_was_taken(reader)


def _stored_parts(opened: RemoteIndex, kind: str, data: bytes) -> tuple[ObjectName, ...]:
    parts = list(opened.objects.sealed_parts(kind, data))
    for part in parts:
        opened.objects.store(part)
    return tuple(part.name for part in parts)


def _bomb() -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=19).compress(bytes(300 << 20))


@pytest.mark.parametrize("content", [b"", b"no pack at all", "bomb", "half"])
def test_broken_pack_of_an_accepted_publisher_is_refused(
    owner: Person, reader: Person, content: bytes | str
) -> None:
    def with_pack(opened: RemoteIndex, manifest: Manifest) -> Manifest:
        pack = manifest.packs[0]
        real = opened.objects.read_parts("records", pack.objects)
        by_name = {"bomb": _bomb, "half": lambda: real[: len(real) // 2]}
        data = by_name[content]() if isinstance(content, str) else content
        return replace(
            manifest,
            packs=(replace(pack, objects=_stored_parts(opened, "records", data)),),
        )

    _forge(owner, with_pack, _grant(owner))
    _assert_refused(reader, IndexPartDamaged)
    found = reader.done("search", "where are tokens verified", "--json")
    assert found.document["results"][0]["path"] == "shop/tokens.py"
    assert "codecairn doctor" not in found.err
    assert reader.done("doctor", "--json").document["problems"] == []


@pytest.mark.parametrize("kind", ["numbering", "segments"])
@pytest.mark.parametrize("content", [b"", b"nothing", "bomb", "half"])
def test_broken_documents_of_an_accepted_publisher_are_refused(
    owner: Person, reader: Person, kind: str, content: bytes | str
) -> None:
    def with_part(opened: RemoteIndex, manifest: Manifest) -> Manifest:
        parts: tuple[DocumentRange, ...] = getattr(manifest, kind)
        part = parts[-1]
        sealed_as = "numbering" if kind == "numbering" else f"segment {part.kind}"
        real = opened.objects.read_parts(sealed_as, part.objects)
        by_name = {"bomb": _bomb, "half": lambda: real[: len(real) // 2]}
        data = by_name[content]() if isinstance(content, str) else content
        broken = replace(part, objects=_stored_parts(opened, sealed_as, data))
        return replace(manifest, **{kind: (*parts[:-1], broken)})

    _forge(owner, with_part, _grant(owner))
    _assert_refused(reader, IndexPartDamaged)
    _assert_nothing_was_taken(reader)
    assert reader.done("search", "where are tokens verified", "--json").document["results"]
    assert reader.done("doctor", "--json").document["problems"] == []


@pytest.mark.parametrize("count", [(16 << 20) + 1, 2**32, 2**53 - 1])
@pytest.mark.parametrize("field", ["first", "count"])
def test_numbers_of_documents_without_bounds_are_refused_and_a_search_goes_on(
    owner: Person, reader: Person, count: int, field: str
) -> None:
    def with_count(_: RemoteIndex, manifest: Manifest) -> Manifest:
        parts = manifest.numbering if field == "count" else manifest.segments
        forged = (replace(parts[0], **{field: count}), *parts[1:])
        return replace(manifest, **{"numbering" if field == "count" else "segments": forged})

    _forge(owner, with_count, _grant(owner))
    found = reader.done("search", "where are tokens verified", "--json")
    assert found.document["results"][0]["path"] == "shop/tokens.py"
    assert "no shared index is used" in found.err
    assert "internal error" not in found.err
    _assert_refused(reader, RemoteUntrusted)


def test_one_object_named_a_thousand_times_is_refused_before_it_fills_the_memory(
    owner: Person, reader: Person
) -> None:
    def with_repeats(_: RemoteIndex, manifest: Manifest) -> Manifest:
        part = manifest.numbering[0]
        large = replace(part.objects[0], size_bytes=16 << 20)
        return replace(manifest, numbering=(replace(part, objects=(large,) * 1000),))

    _forge(owner, with_repeats, _grant(owner))
    _assert_refused(reader, RemoteUntrusted, "at most 8,589,934,592 are taken")
    _assert_nothing_was_taken(reader)


def test_documents_with_a_gap_in_their_segments_are_refused(owner: Person, reader: Person) -> None:
    def without_vectors(_: RemoteIndex, manifest: Manifest) -> Manifest:
        return replace(manifest, segments=manifest.segments[:1])

    _forge(owner, without_vectors, _grant(owner))
    _assert_refused(reader, (RemoteUntrusted, IndexPartDamaged))
    _assert_nothing_was_taken(reader)


def test_member_without_a_grant_reads_nothing(
    owner: Person, people: People, shared_folder: Path
) -> None:
    stranger = people.person("stranger")
    refused = stranger.run("pull", "--remote", str(shared_folder))
    assert refused.code == 2
    assert "you hold no grant" in refused.err
    with_wrong_key = replace(_grant(owner), key=bytes(32), private_key=None)
    stranger.done("remote", "accept", "-", stdin=with_wrong_key.document().decode())
    refused = stranger.run("pull")
    assert refused.code == 1
    assert "has no branch `main`" in refused.err  # even the names of branches are hidden


def test_two_publishers_at_one_moment_lose_nothing(
    owner: Person, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    ci = people.person("ci")
    ci.done("remote", "accept", str(people.grant(owner, "--publisher", "ci")))
    ci.done("pull")
    owner.clone.write("new.py", "def newly():\n    return 1\n")
    owner.clone.commit()
    owner.done("index")
    move = RemoteIndex.move

    def move_after_ci(self: RemoteIndex, manifest: Manifest, **named: Any) -> object:
        monkeypatch.setattr(RemoteIndex, "move", move)
        ci.clone.write("ci.py", "def of_ci():\n    return 1\n")
        ci.clone.commit()
        ci.done("index", "--publish", "shop")
        return move(self, manifest, **named)

    monkeypatch.setattr(RemoteIndex, "move", move_after_ci)
    with owner.workspace() as workspace, pytest.raises(RemoteConflict, match="at epoch 2"):
        workspace.remote.publish("shop")
    with owner.workspace() as workspace:
        workspace.remote.accept_file(people.grant(ci))
        assert workspace.remote.publish("shop").epoch == 3


@pytest.mark.parametrize("year", [1970, 2100])
def test_wrong_clock_of_a_publisher_changes_nothing(
    owner: Person, reader: Person, monkeypatch: pytest.MonkeyPatch, year: int
) -> None:
    from codecairn.clock import SystemClock

    owner.clone.write("new.py", "def newly():\n    return 1\n")
    owner.clone.commit()
    with owner.workspace() as workspace:
        workspace.index()
        with monkeypatch.context() as patch:
            patch.setattr(SystemClock, "now_ns", lambda _self: (year - 1970) * 31_557_600 * 10**9)
            assert workspace.remote.publish("shop").epoch == 2
    _pull(reader)
    status = reader.done("remote", "status", "--json").document
    assert (status["epoch"], status["problem"]) == (2, "")


def test_names_in_a_hostile_manifest_cannot_steer_a_terminal(owner: Person, reader: Person) -> None:
    _forge(owner, lambda _, manifest: replace(manifest, commit="\x1b[2J\x07"), _grant(owner))
    shown = reader.run("remote", "status")
    assert "\x1b" not in shown.out + shown.err
    _assert_refused(reader, RemoteUntrusted, "no valid `commit`")


def test_shared_folder_holds_only_sealed_objects(owner: Person, shared_folder: Path) -> None:
    assert all(data.startswith(b"CCO1") for data in stored(shared_folder).values())
