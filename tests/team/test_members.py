"""Invitations, grants and keys: who gets in, and who can open what."""

import os

import psycopg
import pytest

from codecairn.errors import RemoteRefused, RemoteUnavailable, RemoteUntrusted, UsageError
from codecairn.objects.signature import public_key_of
from codecairn.team.catalog import Catalog
from codecairn.team.connection import connected
from codecairn.team.key_handout import hand_out
from codecairn.team.key_sealing import new_sealing_key, open_key, seal_key, sealing_public_key
from codecairn.team.member_keys import known_keys
from codecairn.team.membership import TeamRepository
from support.team import Team

HOSTILE = (
    'x"; DROP SCHEMA codecairn CASCADE; --', "x'); DROP TABLE codecairn.facts; --", "a\nb", "a\0b", "a\x1b[31m",
    "A", "é", "", "x" * 32, "../etc", "%s", "%I", "$1", "null\\", "ann\t",
)  # fmt: skip


def opened(team: Team, name: str, catalog: Catalog) -> TeamRepository:
    """`shop` as a member opens it."""
    own = team.membership(name)
    known = known_keys(own, catalog.members())
    return catalog.opened(team.repositories["shop"], sealing_key=own.sealing_key, known=known)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_no_member_may_have_are_refused_and_change_nothing(
    team: Team, name: str
) -> None:
    with connected(team.owner_url) as connection:
        catalog = Catalog(connection)
        before = catalog.members(), catalog.grants()
        with pytest.raises(UsageError):
            catalog.invite(name, password="p", days=7)
        with pytest.raises(UsageError):
            catalog.grant(team.repositories["shop"], name, "reader")
        assert (catalog.members(), catalog.grants()) == before


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31m", "", "x" * 1001, "a\0b"])
def test_names_that_no_repository_may_have_are_refused(team: Team, name: str) -> None:
    with connected(team.owner_url) as connection:
        with pytest.raises(UsageError):
            Catalog(connection).add_repository(name, project="p", store_url="s3://b")
        with pytest.raises(UsageError):
            Catalog(connection).add_repository("new", project=name, store_url="s3://b")
        assert {each.name for each in Catalog(connection).repositories()} == {"bank", "shop"}


def test_quotes_in_the_name_of_a_repository_are_only_quotes(team: Team) -> None:
    name = 'o\'hara "x"; DROP TABLE codecairn.refs; --'
    with connected(team.owner_url) as connection:
        catalog = Catalog(connection)
        added = catalog.add_repository(name, project=name, store_url="s3://b")
        assert catalog.repository(name) == added
        catalog.grant(added, "eve", "reader")
    with connected(team.conninfo("eve")) as connection:
        assert [each.name for each in Catalog(connection).repositories()] == [name]


def test_an_invitation_is_accepted_once(team: Team) -> None:
    team.invite("zoe")
    team.join("zoe")
    with pytest.raises(UsageError, match="accepted before"):
        team.join("zoe")
    with pytest.raises(UsageError, match="is a member"):
        team.invite("zoe")


def test_an_invitation_that_was_lost_is_made_again(team: Team) -> None:
    older = team.invite("zoe").password
    newer = team.invite("zoe")
    assert older != newer.password
    team.join("zoe")
    newer.password = older
    with pytest.raises(RemoteUnavailable, match="password authentication failed"):
        team.join("zoe")


def test_an_invitation_expires_by_the_clock_of_the_server(team: Team) -> None:
    zoe = team.invite("zoe", days=1)
    with connected(team.owner_url) as connection:
        (until,) = connection.execute(
            "SELECT rolvaliduntil - now() FROM pg_roles WHERE rolname = %s", [zoe.role]
        ).fetchone() or (None,)
        assert until is not None
        assert 0.9 < until.total_seconds() / 86_400 <= 1
        connection.execute(f"ALTER ROLE \"{zoe.role}\" VALID UNTIL '2001-01-01'".encode())
    with pytest.raises(RemoteUnavailable):
        team.join("zoe")


def test_an_accepted_password_does_not_expire_and_can_be_changed(team: Team) -> None:
    zoe = team.invite("zoe")
    team.join("zoe")
    with connected(team.conninfo("zoe")) as connection:
        Catalog(connection).set_password('it\'s "new" \\ now')
        row = connection.execute(
            "SELECT rolvaliduntil = 'infinity' FROM pg_roles WHERE rolname = %s", [zoe.role]
        )
        assert row.fetchone() == (True,)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(team.conninfo("zoe"))
    given = f"host=127.0.0.1 port={team.server.port} dbname={team.database} user={zoe.role}"
    with connected(given, password='it\'s "new" \\ now') as connection:
        assert Catalog(connection).current_member() is not None


def test_an_administrator_invites_and_grants_what_they_administer(team: Team) -> None:
    with connected(team.conninfo("bob")) as connection:
        catalog = Catalog(connection)
        catalog.invite("zoe", password="p", days=7)
        catalog.grant(team.repositories["bank"], "zoe", "reader")
        with pytest.raises(RemoteRefused):
            catalog.grant(team.repositories["shop"], "zoe", "reader")
        with pytest.raises(UsageError, match="no role `owner`"):
            catalog.grant(team.repositories["bank"], "zoe", "owner")
        assert ("bank", "zoe") in {(each.repository, each.member) for each in catalog.grants()}
        with pytest.raises(RemoteRefused):
            catalog.remove_member("ann")


def test_publishers_are_those_whose_signatures_count_now(team: Team) -> None:
    shop = team.repositories["shop"]
    with connected(team.owner_url) as connection:
        catalog = Catalog(connection)
        catalog.grant(shop, "bob", "reader")
        with connected(team.conninfo("bob")) as bobs:
            of_bob = opened(team, "bob", Catalog(bobs))
            assert set(of_bob.publishers) == {"ann", "owner"}
            catalog.revoke(shop, "ann")
            of_bob = opened(team, "bob", Catalog(bobs))
            assert set(of_bob.publishers) == {"owner"}
            catalog.revoke(shop, "bob")
            of_bob = opened(team, "bob", Catalog(bobs))
            assert not of_bob.publishers


def test_a_changed_key_reaches_those_with_a_grant_alone(team: Team) -> None:
    shop, key = team.repositories["shop"], os.urandom(32)
    team.invite("zoe")
    with connected(team.owner_url) as connection:
        catalog = Catalog(connection)
        catalog.grant(shop, "zoe", "reader")
        catalog.advance_key(shop, 2)
        with pytest.raises(RemoteRefused):
            catalog.advance_key(shop, 2)
        shop = catalog.repository("shop")
        assert shop.key_generation == 2
        handed_out = hand_out(team.membership("owner"), catalog, shop, 2, key)
        assert (handed_out.without, handed_out.refused) == (("zoe",), ())
    for name, found in (("ann", {2: key}), ("bob", {})):
        with connected(team.conninfo(name)) as connection:
            assert opened(team, name, Catalog(connection)).keys == found
    with connected(team.conninfo("ann")) as connection, pytest.raises(RemoteRefused):
        Catalog(connection).advance_key(shop, 3)


def test_a_sealed_key_opens_for_its_member_repository_and_generation_alone() -> None:
    key, private, other = os.urandom(32), new_sealing_key(), new_sealing_key()
    signing, accepted = bytes(range(32)), {public_key_of(bytes(range(32)))}
    sealed = seal_key(
        key, sealing_public_key(private), repository="r", generation=1, signing_key=signing
    )
    assert key not in sealed
    assert open_key(sealed, private, repository="r", generation=1, accepted=accepted) == key
    with pytest.raises(RemoteUntrusted):
        open_key(sealed, private, repository="r", generation=1, accepted={bytes(32)})
    changed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    for document, by, repository, generation in (
        (sealed, other, "r", 1),
        (sealed, private, "s", 1),
        (sealed, private, "r", 2),
        (changed, private, "r", 1),
        (bytes(80), private, "r", 1),
        (b"", private, "r", 1),
    ):
        with pytest.raises(RemoteUntrusted):
            open_key(document, by, repository=repository, generation=generation, accepted=accepted)


def test_usage_is_counted_by_member_and_seen_by_administrators(team: Team) -> None:
    bank = team.repositories["bank"]
    for name in ("ann", "ann", "bob", "eve"):
        with connected(team.conninfo(name)) as connection:
            Catalog(connection).count_usage(bank.id, "pull")
    for name, counted in (("ann", {"pull": 2}), ("bob", {"pull": 3}), ("eve", {})):
        with connected(team.conninfo(name)) as connection:
            assert Catalog(connection).usage(bank.id, days=7) == counted


# Invitations that were not accepted yet


def test_an_administrator_neither_resets_nor_fills_the_invitation_of_another(team: Team) -> None:
    team.invite("zoe")
    with connected(team.owner_url) as owner:
        Catalog(owner).grant(team.repositories["shop"], "zoe", "admin")
    with connected(team.conninfo("bob")) as connection:
        catalog = Catalog(connection)
        with pytest.raises(UsageError, match="was invited by another member"):
            catalog.invite("zoe", password="mine", days=7)
        with pytest.raises(RemoteRefused, match="until a member joins"):
            catalog.grant(team.repositories["bank"], "zoe", "reader")
    team.join("zoe")
    with connected(team.conninfo("bob")) as connection:
        Catalog(connection).grant(team.repositories["bank"], "zoe", "reader")
    with connected(team.conninfo("zoe")) as connection:
        roles = {each.name: each.role for each in Catalog(connection).repositories()}
    assert roles == {"bank": "reader", "shop": "admin"}


def test_an_invitation_that_is_sent_again_keeps_no_grant_of_the_first(team: Team) -> None:
    team.invite("zoe", by="bob")
    with connected(team.conninfo("bob")) as connection:
        Catalog(connection).grant(team.repositories["bank"], "zoe", "admin")
    again = team.invite("zoe")
    team.join("zoe")
    with connected(team.conninfo("zoe")) as connection, pytest.raises(RemoteRefused):
        Catalog(connection).team()
    assert "zoe" not in again.role


def test_who_sent_an_invitation_takes_it_back_until_it_is_accepted(team: Team) -> None:
    for by in ("owner", "bob"):
        team.invite("zoe", by=by)
        with connected(team.conninfo("bob")) as connection:
            if by == "bob":
                assert Catalog(connection).remove_member("zoe")
                continue
            with pytest.raises(RemoteRefused, match="only the owner"):
                Catalog(connection).remove_member("zoe")
        with connected(team.owner_url) as owner:
            assert Catalog(owner).remove_member("zoe")
    team.invite("zoe", by="bob")
    team.join("zoe")
    with connected(team.conninfo("bob")) as connection, pytest.raises(RemoteRefused):
        Catalog(connection).remove_member("zoe")


def test_who_administers_no_more_has_no_use_of_invitations_that_are_not_accepted(
    team: Team,
) -> None:
    team.invite("zoe", by="bob")
    with connected(team.conninfo("bob")) as connection:
        Catalog(connection).grant(team.repositories["bank"], "zoe", "reader")
    with connected(team.owner_url) as owner:
        Catalog(owner).grant(team.repositories["bank"], "bob", "reader")
    team.join("zoe")
    with connected(team.conninfo("zoe")) as connection:
        assert Catalog(connection).repositories() == ()


def test_an_invitation_opens_nothing_before_it_is_accepted(team: Team) -> None:
    team.invite("zoe")
    with connected(team.owner_url) as owner:
        Catalog(owner).grant(team.repositories["shop"], "zoe", "admin")
    with connected(team.conninfo("zoe")) as connection:
        assert Catalog(connection).repositories() == ()
        with pytest.raises(RemoteRefused):
            Catalog(connection).invite("mallory", password="p", days=7)


def test_an_invitation_that_is_taken_back_frees_its_name(team: Team) -> None:
    lost = team.invite("zoe")
    with connected(team.owner_url) as owner:
        catalog = Catalog(owner)
        catalog.grant(team.repositories["shop"], "zoe", "reader")
        assert catalog.remove_member("zoe")
        assert not catalog.remove_member("zoe")
        assert "zoe" not in {each.member for each in catalog.grants()}
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(team.conninfo("zoe"))
    assert team.invite("zoe").password != lost.password
    team.join("zoe")
    with connected(team.owner_url) as owner:
        assert "zoe" in {each.name for each in Catalog(owner).members()}
