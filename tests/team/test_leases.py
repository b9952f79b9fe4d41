"""Leases: one holder at a time, until the server's clock ends it."""

import pytest

from codecairn.errors import RemoteConflict, RemoteRefused, UsageError
from codecairn.team.connection import connected
from codecairn.team.leases import GARBAGE_COLLECTION, branch_lease, lease
from support.team import Team


def test_a_lease_has_one_holder_and_is_free_afterwards(team: Team) -> None:
    shop, name = team.repositories["shop"].id, branch_lease("main")
    with connected(team.conninfo("ann")) as ann, connected(team.owner_url) as owner:
        with lease(ann, shop, name, seconds=60) as held:
            held.renew()
            with (
                pytest.raises(
                    RemoteConflict, match=r"`ann` holds the lease `branch main`, for [56]\d more"
                ),
                lease(owner, shop, name, seconds=60),
            ):
                pass
            with lease(owner, shop, branch_lease("other"), seconds=60):
                pass
        with lease(owner, shop, name, seconds=60):
            pass


def test_a_lease_expires_by_the_clock_of_the_server(team: Team) -> None:
    shop, name = team.repositories["shop"].id, branch_lease("main")
    with connected(team.conninfo("ann")) as ann, connected(team.owner_url) as owner:
        with lease(ann, shop, name, seconds=3600) as held:
            # The holder's clock plays no part: only the row that the server compares with its own clock.
            owner.execute("UPDATE codecairn.leases SET expires_at = clock_timestamp()")
            with pytest.raises(RemoteConflict, match="has expired"):
                held.renew()
            with lease(owner, shop, name, seconds=60) as newer:
                with pytest.raises(RemoteConflict, match="has expired"):
                    held.renew()
                newer.renew()
        with lease(owner, shop, name, seconds=60):
            pass


def test_the_end_of_an_expired_lease_does_not_release_the_next_one(team: Team) -> None:
    shop, name = team.repositories["shop"].id, branch_lease("main")
    with (
        connected(team.conninfo("ann")) as ann,
        connected(team.owner_url) as owner,
        lease(ann, shop, name, seconds=60),
    ):
        owner.execute("UPDATE codecairn.leases SET expires_at = clock_timestamp()")
        with lease(ann, shop, name, seconds=60):
            pass
        row = owner.execute("SELECT count(*) FROM codecairn.leases").fetchone()
        assert row == (0,)


@pytest.mark.parametrize("seconds", [0, -1, 3601, 2**31 - 1])
def test_a_lease_lasts_an_hour_at_most(team: Team, seconds: int) -> None:
    with connected(team.conninfo("ann")) as ann:
        held = lease(ann, team.repositories["shop"].id, branch_lease("main"), seconds=seconds)
        with pytest.raises(UsageError, match="1 to 3600 seconds"), held:
            pass


@pytest.mark.parametrize(
    ("member", "repository", "name"),
    [("ann", "bank", "branch x"), ("eve", "shop", "branch x"), ("ann", "shop", GARBAGE_COLLECTION)],
)
def test_a_lease_needs_a_grant(team: Team, member: str, repository: str, name: str) -> None:
    with connected(team.conninfo(member)) as connection:
        held = lease(connection, team.repositories[repository].id, name, seconds=9)
        with pytest.raises(RemoteRefused), held:
            pass
