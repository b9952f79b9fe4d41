"""Who runs the database changes its rows at will, and still gets no key of a repository, and no key of theirs counts as a member's."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from psycopg import Connection

from codecairn.errors import RemoteRefused, RemoteUntrusted
from codecairn.objects.signature import public_key_of, sign
from codecairn.team.catalog import Catalog
from codecairn.team.connection import connected
from codecairn.team.index_access import index_grant
from codecairn.team.key_handout import hand_out, rotate
from codecairn.team.key_sealing import seal_key, sealing_public_key
from codecairn.team.member_keys import introduction, known_keys, member_keys
from codecairn.team.membership import Membership, remember_grants
from support.team import Team

Connect = Callable[[str], "Connection[Any]"]

EVIL, EVIL_SEALING = bytes(range(32)), bytes(range(1, 33))
KEY = bytes(32)


def _run(team: Team, statement: str, *values: object) -> None:
    """What the owner of the database does by hand."""
    with connected(team.owner_url) as connection:
        connection.execute(statement.encode(), values)


def _rotate(
    team: Team, connection: "Connection[Any]", by: Membership | None = None
) -> tuple[str, ...]:
    catalog = Catalog(connection)
    own = by or team.membership("owner")
    return rotate(own, connection, catalog, catalog.repository("shop")).refused


def _sealed_to(team: Team) -> set[str]:
    with connected(team.owner_url) as connection:
        rows = connection.execute(
            "SELECT name FROM codecairn.repository_keys JOIN codecairn.members ON members.id = member"
        ).fetchall()
    return {name for (name,) in rows}


def _add_mallory(team: Team, role: str, **keys: Any) -> None:
    """A member that the owner of the database makes up, with a grant for `shop`."""
    made = member_keys(team.id, "mallory", signing_key=EVIL, sealing_key=EVIL_SEALING, **keys)
    _run(
        team,
        "INSERT INTO codecairn.members (name, role_name, joined_at, signing_key, sealing_key, sealing_signature, "
        "introduction, acceptance) VALUES ('mallory', 'mallory', now(), %s, %s, %s, %s, %s)",
        *(
            made.signing_key,
            made.sealing_key,
            made.sealing_signature,
            made.introduction,
            made.acceptance,
        ),
    )
    _run(
        team,
        "INSERT INTO codecairn.grants SELECT %s, id, %s FROM codecairn.members WHERE name = 'mallory'",
        *(team.repositories["shop"].id, role),
    )


def _opened(team: Team, name: str, connection: "Connection[Any]") -> Membership:
    own, catalog = team.membership(name), Catalog(connection)
    known = known_keys(own, catalog.members())
    shop = catalog.opened(catalog.repository("shop"), sealing_key=own.sealing_key, known=known)
    return remember_grants(own, shop)


def test_a_sealing_key_that_was_swapped_gets_no_key_and_stops_no_other(
    team: Team, as_member: Connect
) -> None:
    _run(team, "INSERT INTO codecairn.grants SELECT %s, id, 'reader' FROM codecairn.members WHERE name = 'eve'",
         team.repositories["shop"].id)  # fmt: skip
    _run(
        team, "UPDATE codecairn.members SET sealing_key = %s WHERE name = 'ann'",
        sealing_public_key(EVIL_SEALING),
    )  # fmt: skip
    assert _rotate(team, as_member("owner")) == ("ann",)
    assert _sealed_to(team) == {"eve", "owner"}


def test_keys_that_were_swapped_with_valid_signatures_get_no_key(
    team: Team, as_member: Connect
) -> None:
    for known in ({}, {"ann": public_key_of(team.members["ann"].signing_key)}):
        made = member_keys(
            team.id, "ann", signing_key=EVIL, sealing_key=EVIL_SEALING,
            introduced_by=team.members["ann"].introduction, invitation_key=EVIL,
        )  # fmt: skip
        _run(
            team,
            "UPDATE codecairn.members SET signing_key = %s, sealing_key = %s, sealing_signature = %s, acceptance = %s WHERE name = 'ann'",
            *(made.signing_key, made.sealing_key, made.sealing_signature, made.acceptance),
        )
        own = team.membership("owner")
        own = replace(own, known_keys={**own.known_keys, **known})
        assert _rotate(team, as_member("owner"), own) == ("ann",)
    assert _sealed_to(team) == {"owner"}


@pytest.mark.parametrize("introduced_by", ["nothing", "themselves", "the name of another"])
def test_a_member_that_no_member_introduced_gets_no_key(
    team: Team, as_member: Connect, introduced_by: str
) -> None:
    invitation_key = bytes(range(2, 34))
    document = {
        "nothing": b"",
        "themselves": introduction(team.id, "mallory", invitation_key, private_key=EVIL),
        "the name of another": team.members["ann"].introduction,
    }[introduced_by]
    key = team.members["ann"].invitation_key if "another" in introduced_by else invitation_key
    _add_mallory(team, "publisher", introduced_by=document, invitation_key=key)
    assert _rotate(team, as_member("owner")) == ("mallory",)
    assert _sealed_to(team) == {"ann", "owner"}
    with pytest.raises(RemoteUntrusted, match="`mallory` that no trusted member introduced"):
        hand_out(
            team.membership("owner"), Catalog(as_member("owner")), team.repositories["shop"], 1, KEY,
            only="mallory",
        )  # fmt: skip


def test_a_publisher_that_no_member_introduced_counts_for_no_reader(
    team: Team, as_member: Connect
) -> None:
    _add_mallory(team, "publisher")
    opened = _opened(team, "ann", as_member("ann")).repositories[team.repositories["shop"].id]
    assert set(opened.publishers) == {"ann", "owner"}


def test_a_key_that_the_database_made_up_seals_no_publication(
    team: Team, as_member: Connect
) -> None:
    shop = team.repositories["shop"].id
    _rotate(team, as_member("owner"))
    _add_mallory(team, "admin")
    ann = sealing_public_key(team.members["ann"].sealing_key)
    planted = seal_key(KEY, ann, repository=shop, generation=3, signing_key=EVIL)
    _run(
        team,
        "INSERT INTO codecairn.repository_keys SELECT %s, 3, id, %s FROM codecairn.members WHERE name = 'ann'",
        *(shop, planted),
    )
    _run(team, "UPDATE codecairn.repositories SET key_generation = 3 WHERE id = %s", shop)
    own = _opened(team, "ann", as_member("ann"))
    assert set(own.repositories[shop].keys) == {2}
    with pytest.raises(RemoteRefused, match="do not hold the key"):
        index_grant(own, own.repositories[shop], branch="main")


def test_a_generation_that_was_put_back_is_not_published_under(
    team: Team, as_member: Connect
) -> None:
    shop = team.repositories["shop"].id
    hand_out(
        team.membership("owner"), Catalog(as_member("owner")), team.repositories["shop"], 1, KEY
    )
    _rotate(team, as_member("owner"))
    own = _opened(team, "ann", as_member("ann"))
    assert own.repositories[shop].key != KEY
    _run(team, "UPDATE codecairn.repositories SET key_generation = 1 WHERE id = %s", shop)
    catalog = Catalog(as_member("ann"))
    known = known_keys(own, catalog.members())
    shown = catalog.opened(catalog.repository("shop"), sealing_key=own.sealing_key, known=known)
    assert shown.key == KEY
    again = remember_grants(own, shown).repositories[shop]
    assert (again.key_generation, again.key) == (2, own.repositories[shop].key)


def test_a_repository_keeps_the_project_that_it_was_known_by(
    team: Team, as_member: Connect
) -> None:
    shop = team.repositories["shop"].id
    own = _opened(team, "ann", as_member("ann"))
    _run(
        team, "UPDATE codecairn.repositories SET project = 'example.com/secret' WHERE id = %s", shop
    )
    catalog = Catalog(as_member("ann"))
    shown = catalog.opened(catalog.repository("shop"), sealing_key=own.sealing_key, known={})
    assert shown.project == "example.com/secret"
    assert remember_grants(own, shown).repositories[shop].project == "example.com/shop"


def test_a_key_that_is_handed_out_before_it_is_in_use_is_not_used(
    team: Team, as_member: Connect
) -> None:
    shop = team.repositories["shop"]
    for generation in (1, 7):
        hand_out(
            team.membership("owner"),
            Catalog(as_member("owner")),
            shop,
            generation,
            bytes([generation] * 32),
        )
    opened = _opened(team, "ann", as_member("ann")).repositories[shop.id]
    assert opened.key == bytes([1] * 32)


def test_of_two_administrators_who_change_a_key_at_once_one_changes_nothing(
    team: Team, as_member: Connect
) -> None:
    owner = as_member("owner")
    seen = Catalog(owner).repository("shop")
    _rotate(team, owner)
    before = _sealed_rows(team)
    with pytest.raises(RemoteRefused, match="was not changed"):
        rotate(team.membership("owner"), owner, Catalog(owner), seen)
    assert _sealed_rows(team) == before


def _sealed_rows(team: Team) -> list[Any]:
    with connected(team.owner_url) as connection:
        return connection.execute(
            "SELECT generation, member, sealed FROM codecairn.repository_keys ORDER BY 1, 2"
        ).fetchall()


def test_members_are_known_by_who_introduced_them_back_to_the_owner(
    team: Team, as_member: Connect
) -> None:
    with connected(team.owner_url) as owner:
        Catalog(owner).grant(team.repositories["bank"], "eve", "admin")
    team.invite("zoe", by="eve")
    with connected(team.conninfo("eve")) as connection:
        Catalog(connection).grant(team.repositories["bank"], "zoe", "admin")
    team.join("zoe")
    team.invite("dora", by="zoe")
    team.join("dora")
    with connected(team.owner_url) as owner:
        Catalog(owner).grant(team.repositories["shop"], "dora", "reader")
    own = team.membership("ann")
    found = known_keys(own, Catalog(as_member("ann")).members())
    expected = ("ann", "bob", "dora", "eve", "owner", "zoe")
    assert found == {name: public_key_of(team.members[name].signing_key) for name in expected}
    assert _rotate(team, as_member("owner")) == ()
    assert "dora" in _sealed_to(team)


def test_a_member_whose_sealing_key_takes_no_key_stops_no_other(
    team: Team, as_member: Connect
) -> None:
    low_order = bytes(32)
    signed = sign(
        "team sealing key",
        team.id,
        b"ann\0" + low_order,
        private_key=team.members["ann"].signing_key,
    )
    _run(
        team, "UPDATE codecairn.members SET sealing_key = %s, sealing_signature = %s WHERE name = 'ann'",
        low_order, signed,
    )  # fmt: skip
    assert _rotate(team, as_member("owner")) == ("ann",)
    assert _sealed_to(team) == {"owner"}


def test_a_grant_that_the_database_brought_back_gets_no_key_from_who_revoked_it(
    team: Team, as_member: Connect
) -> None:
    shop = team.repositories["shop"].id
    own = replace(team.membership("owner"), revoked=frozenset({f"{shop}/ann"}))
    assert _rotate(team, as_member("owner"), own) == ("ann",)
