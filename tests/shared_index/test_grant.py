"""A grant holds what it takes to read or publish, and shows its keys nowhere."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codecairn import UsageError
from codecairn.objects.grant import Grant, Publisher, read_grant
from codecairn.objects.signature import new_private_key, public_key_of
from support.people import People, Person


def test_grant_comes_back(make_grant: Callable[[], Grant]) -> None:
    grant = make_grant()
    assert read_grant(grant.document(), source="file") == grant
    assert grant.may_publish
    assert grant.private_key is not None
    assert grant.accepted == {public_key_of(grant.private_key)}


def test_reader_gets_no_private_key(make_grant: Callable[[], Grant]) -> None:
    grant = make_grant()
    reader = read_grant(grant.for_reader().document(), source="file")
    assert not reader.may_publish
    assert reader.key == grant.key
    assert b"private_key" not in grant.for_reader().document()


def test_new_publisher_is_accepted_beside_the_others(make_grant: Callable[[], Grant]) -> None:
    grant = make_grant()
    own, given = grant.with_publisher("ci")
    assert own.private_key == grant.private_key
    assert given.private_key not in {None, grant.private_key}
    assert own.publishers == given.publishers
    assert [each.name for each in own.publishers] == ["ann", "ci"]
    with pytest.raises(UsageError, match="there is a publisher `ci` already"):
        own.with_publisher("ci")


def test_keys_show_in_no_representation_and_no_error(make_grant: Callable[[], Grant]) -> None:
    grant = make_grant()
    assert grant.private_key is not None
    shown = [repr(grant), str(grant)]
    row = json.loads(grant.document())
    for broken in (row | {"publishers": []}, row | {"repository": "zz"}, row | {"url": 3}):
        with pytest.raises(UsageError) as caught:
            read_grant(json.dumps(broken).encode(), source="file")
        shown += [str(caught.value), repr(caught.value), caught.value.hint]
        assert caught.value.__cause__ is None
    for key in (grant.key, grant.private_key):
        for form in (base64.b64encode(key).decode(), key.hex(), repr(key)):
            assert not [text for text in shown if form in text]


@pytest.mark.parametrize("name", ["key", "private_key", "publishers", "repository", "url", "name"])
def test_damaged_grant_is_refused(make_grant: Callable[[], Grant], name: str) -> None:
    row = json.loads(make_grant().document())
    harmless = {"private_key": (None,), "url": ("AAAA",), "name": ("AAAA",)}
    for value in (None, "", "AAAA", 7, [], "\x1b"):
        if value in harmless.get(name, ()):
            continue
        with pytest.raises(UsageError, match=r"damaged|does not name"):
            read_grant(json.dumps(row | {name: value}).encode(), source="file")


def test_grant_that_does_not_name_its_own_key_is_refused(make_grant: Callable[[], Grant]) -> None:
    row, other = (json.loads(make_grant().document()) for _ in range(2))
    row["private_key"] = other["private_key"]
    with pytest.raises(UsageError, match="does not name its own publisher"):
        read_grant(json.dumps(row).encode(), source="file")


@pytest.mark.parametrize("document", [b"", b"{}", b"[]", b"\xff", b"[" * 100_000, b'{"key": 1}'])
def test_what_is_no_grant_is_refused(document: bytes) -> None:
    with pytest.raises(UsageError, match="`file` is no grant"):
        read_grant(document, source="file")


def test_grant_of_a_newer_version_is_named(make_grant: Callable[[], Grant]) -> None:
    row = json.loads(make_grant().document()) | {"codecairn-grant": 2}
    with pytest.raises(UsageError, match="newer version"):
        read_grant(json.dumps(row).encode(), source="file")


def test_grant_that_differs_from_a_held_one_is_shown_and_needs_a_word(
    people: People, owner: Person, reader: Person, shared_folder: Path
) -> None:
    with reader.workspace() as workspace:
        held = workspace.remote.grant()
        other = Publisher(name="ann", key=public_key_of(new_private_key()))
        forged = replace(held, url="s3://elsewhere/index", key=bytes(32), publishers=(other,))
        with pytest.raises(
            UsageError, match="differs from the one that you hold for `shop`"
        ) as caught:
            workspace.remote.accept(forged.document(), source="mail.grant")
        assert workspace.remote.grant() == held
        shown = caught.value.message
        for part in (
            "`mail.grant`",
            f"lie in `s3://elsewhere/index`, not in `{shared_folder}`",
            "opens objects with another key",
            f"accepts the publisher `ann` ({other.key.hex()[:16]})",
            f"no longer accepts the publisher `owner` ({held.publishers[0].key.hex()[:16]})",
        ):
            assert part in shown
        assert base64.b64encode(held.key).decode() not in shown
        assert workspace.remote.accept(held.document(), source="again") == held
        assert (
            workspace.remote.accept(forged.document(), source="mail.grant", is_replacing=True)
            == forged
        )


def test_key_to_publish_is_not_replaced_unseen(people: People, owner: Person) -> None:
    ci = people.grant(owner, "--publisher", "ci")
    refused = owner.run("remote", "accept", str(ci))
    assert refused.code == 2
    assert "it replaces the key that you publish with" in refused.err
    assert "private" not in refused.err
    owner.done("remote", "accept", str(people.grant(owner)))  # a reader's takes nothing away
    owner.done("index", "--publish", "shop")
    owner.done("remote", "accept", str(ci), "--replace")
