"""A grant holds what it takes to read or publish, and shows its keys nowhere."""

import base64
import json
from collections.abc import Callable

import pytest

from codecairn import UsageError
from codecairn.objects.grant import Grant, read_grant
from codecairn.objects.signature import public_key_of


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
