"""The shared index of a team's repository: opened by what the database grants at that moment."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codecairn import Workspace
from codecairn.errors import (
    FileAccessError,
    RemoteConflict,
    RemoteRefused,
    RemoteUnavailable,
    RemoteUntrusted,
    UsageError,
)
from codecairn.objects.grant import Grant, read_grant
from codecairn.objects.manifest import Manifest
from codecairn.replication import grant_folder
from codecairn.replication.remote_index import RemoteIndex
from codecairn.replication.team_index import attach_index, opened_index
from codecairn.team import administration
from codecairn.team.catalog import Catalog
from codecairn.team.connection import connected
from codecairn.team.index_access import member_of, publishing
from codecairn.team.membership import Membership, membership, save
from support.postgres import PostgresServer
from support.repository import Repository

ORIGIN = "https://git.example.com/acme/shop.git"


class Members:
    """Members on one machine each, which is a home folder."""

    def __init__(self, postgres: PostgresServer, tmp_path: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder = tmp_path
        self._postgres = postgres
        self._patch = patch
        self.url = self.make_team("acme", "olga")

    def make_team(self, name: str, owner: str) -> str:
        """A team with the repository `shop`; returns the address of its database."""
        url = self._postgres.url(self._postgres.new_database())
        self.be(owner)
        self._patch.setenv("CODECAIRN_TEAM_URL", url)
        administration.init(name, owner)
        self._patch.delenv("CODECAIRN_TEAM_URL")
        administration.add_repository(
            membership(None), "shop", project="git.example.com/acme/shop",
            store_url=str(self.folder / f"objects of {name}"),
        )  # fmt: skip
        return url

    def be(self, name: str) -> None:
        self._patch.setenv("CODECAIRN_HOME", str(self.folder / f"{name}-home"))

    def join(self, name: str, role: str) -> Grant:
        """A new member, who is the user from now on, with the grant of their clone."""
        self.be("olga")
        file = self.folder / f"{name}.invitation"
        administration.invite(membership(None), name, grants=[("shop", role)], days=7, output=file)
        self.be(name)
        administration.join(file)
        return self.attach(name)

    def attach(self, name: str) -> Grant:
        root = self.folder / name
        if not root.is_dir():
            clone = Repository.make(root)
            clone.write("a.py", "x = 1\n")
            clone.commit("first")
            clone.git("remote", "add", "origin", ORIGIN)
        found = attach_index(root, membership(None))
        assert found is not None
        assert grant_folder.find(root, "") == found
        return found


@pytest.fixture
def members(postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Members:
    return Members(postgres, tmp_path, monkeypatch)


def _publish(index: RemoteIndex, epoch: int, *, after: int | None = None) -> Manifest:
    """A publication of a manifest with one node of a tree."""
    node = index.objects.sealed("tree", os.urandom(40))
    index.objects.store(node)
    manifest = Manifest(
        repository=index.grant.repository, format="f", branch="main", commit="c", epoch=epoch,
        made_ns=0, tree=node.name, files=0, packs=(), numbering=(), segments=(),
    )  # fmt: skip
    index.move(manifest, expected_epoch=epoch - 1 if after is None else after, nodes=())
    return manifest


def test_what_one_member_publishes_another_reads(members: Members) -> None:
    grant = members.join("ann", "publisher")
    assert grant.may_publish
    first = opened_index(grant)
    assert first.latest("main") is None
    published = [_publish(first, epoch) for epoch in (1, 2)]
    grant = members.join("bob", "reader")
    assert not grant.may_publish
    index = opened_index(grant)
    found = index.latest("main")
    assert found is not None
    assert found.manifest == published[1]
    with pytest.raises(UsageError, match="lets you read"):
        _publish(index, 3)
    members.be("olga")
    (status,) = administration.status(membership(None)).repositories
    assert status.uses == {"publish": 2}


def test_a_pull_is_counted_once_and_takes_one_connection(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    _publish(opened_index(members.join("ann", "publisher")), 1)
    grant, opened = members.join("bob", "reader"), []

    def counted(*given: Any, **named: Any) -> Any:
        opened.append(given)
        return connected(*given, **named)

    monkeypatch.setattr(administration, "connected", counted)
    index = opened_index(grant, use="pull")
    assert index.latest_of(["elsewhere", "other", "main"]) is not None
    assert len(opened) == 1
    members.be("olga")
    (status,) = administration.status(membership(None)).repositories
    assert status.uses == {"publish": 1, "pull": 1}


def test_a_connection_that_broke_or_was_idle_is_opened_again(
    members: Members, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened_index(members.join("ann", "publisher"))
    _publish(index, 1)
    with postgres.connect("postgres", "super", autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'codecairn.%'"
        )
    with pytest.raises(RemoteUnavailable):
        index.latest("main")
    assert index.latest("main") is not None
    with postgres.connect("postgres", "super", autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'codecairn.%'"
        )
    monkeypatch.setattr("codecairn.team.index_access._MAX_IDLE_S", -1)
    assert index.latest("main") is not None


def test_an_invitation_names_members_of_its_repositories_alone(members: Members) -> None:
    members.be("olga")
    administration.add_repository(
        membership(None), "bank", project="git.example.com/acme/bank",
        store_url=str(members.folder / "objects"),
    )  # fmt: skip
    file = members.folder / "eve.invitation"
    administration.invite(membership(None), "eve", grants=[("bank", "admin")], days=7, output=file)
    members.be("eve")
    administration.join(file)
    members.join("ann", "publisher")
    members.be("olga")
    administration.refresh(membership(None))
    assert set(membership(None).known_keys) == {"ann", "eve", "olga"}
    made = administration.invite(
        membership(None),
        "bob",
        grants=[("shop", "reader")],
        days=7,
        output=members.folder / "bob.invitation",
    )
    assert set(made.known_keys) == {"ann", "olga"}


def test_an_older_epoch_is_another_publishers(members: Members) -> None:
    index = opened_index(members.join("ann", "publisher"))
    _publish(index, 1)
    with pytest.raises(RemoteConflict, match="another publisher was first"):
        _publish(index, 1)
    members.join("bob", "publisher")
    with publishing(members.attach("bob"), "main"), publishing(members.attach("bob"), "other"):
        members.be("ann")
        with (
            pytest.raises(RemoteConflict, match="`bob` holds the lease `branch main`"),
            publishing(members.attach("ann"), "main"),
        ):
            pass


def test_a_revoked_grant_opens_nothing_at_the_next_pull(members: Members) -> None:
    _publish(opened_index(members.join("ann", "publisher")), 1)
    grant = members.join("bob", "reader")
    held = opened_index(grant)
    found = held.latest("main")
    assert found is not None
    held.remember(found)
    members.be("olga")
    administration.revoke(membership(None), "bob", "shop", rotate_key=False)
    members.be("bob")
    with pytest.raises(RemoteRefused):
        held.latest("main")
    with pytest.raises(RemoteRefused):
        opened_index(grant)
    assert grant_folder.grants() == ()
    assert grant_folder.remembered_epoch(grant, "main") == 1
    assert membership(None).repositories == {}


def test_a_changed_key_opens_what_is_published_from_then_on(members: Members) -> None:
    members.join("bob", "reader")
    old_key = members.attach("bob").key
    grant = members.join("ann", "publisher")
    _publish(opened_index(grant), 1)
    members.be("olga")
    administration.revoke(membership(None), "bob", "shop", rotate_key=True)
    members.be("ann")
    index = opened_index(grant)
    assert index.grant.key != old_key
    published = _publish(index, 2)
    found = opened_index(members.attach("ann")).latest("main")
    assert found is not None
    assert found.manifest == published
    with_old_key = RemoteIndex(
        Grant(
            repository=grant.repository, name="shop", url=grant.url, branch="main", key=old_key,
            publishers=grant.publishers,
        ),
        refs=index.refs,
    )  # fmt: skip
    with pytest.raises(RemoteUntrusted):
        with_old_key.latest("main")


def test_who_lost_the_right_to_publish_is_no_publisher_for_readers(members: Members) -> None:
    _publish(opened_index(members.join("ann", "publisher")), 1)
    grant = members.join("bob", "reader")
    members.be("olga")
    administration.revoke(membership(None), "ann", "shop", rotate_key=False)
    members.be("bob")
    with pytest.raises(RemoteUntrusted, match="a publisher that your grant does not list"):
        opened_index(grant).latest("main")


def test_a_database_that_is_gone_is_an_error_that_says_so(members: Members) -> None:
    grant = members.join("ann", "publisher")
    own = membership(None)
    away = [word for word in own.conninfo.split() if not word.startswith("port=")]
    save(_moved(own, " ".join([*away, "port=1"])))
    with pytest.raises(RemoteUnavailable, match="does not answer"):
        opened_index(grant)
    assert membership(None).repositories[grant.repository].key == grant.key


def _moved(own: Membership, conninfo: str) -> Membership:
    return replace(own, conninfo=conninfo)


def test_a_workspace_of_another_origin_is_not_attached(
    members: Members, repository: Repository
) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit("first")
    assert attach_index(repository.root, membership(None)) is None
    repository.git("remote", "add", "origin", "https://git.example.com/acme/other.git")
    assert attach_index(repository.root, membership(None)) is None


def test_the_owner_may_be_no_superuser(members: Members) -> None:
    with connected(members.url) as connection:
        assert Catalog(connection).is_owner()
        row = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = session_user")
        assert row.fetchone() == (False,)


def test_another_team_with_the_same_repository_captures_nothing(members: Members) -> None:
    _publish(opened_index(members.join("ann", "publisher")), 1)
    grant = members.join("bob", "reader")
    url = members.make_team("a", "mallory")
    id_ = _give_id(membership(None), url, grant.repository)
    members.be("mallory")
    file = members.folder / "bob of mallory"
    administration.refresh(membership(None))
    administration.invite(membership(None), "bob", grants=[("shop", "reader")], days=7, output=file)
    members.be("bob")
    administration.join(file)
    root = members.folder / "bob"
    with pytest.raises(
        RemoteUntrusted, match="has the id of `shop`, which you have from elsewhere"
    ):
        attach_index(root, membership("a"))
    assert id_ == grant.repository
    assert grant_folder.find(root, "") == grant
    known = member_of(grant)
    assert known is not None
    assert known.team == "acme"
    assert opened_index(grant).latest("main") is not None


def _give_id(owner: Membership, url: str, id_: str) -> str:
    """The repository of a team gets the id of another team's."""
    with connected(url) as connection:
        for statement in (
            "ALTER TABLE codecairn.grants DROP CONSTRAINT grants_repository_fkey",
            "ALTER TABLE codecairn.locks DROP CONSTRAINT locks_repository_fkey",
            "ALTER TABLE codecairn.repository_keys DROP CONSTRAINT repository_keys_repository_fkey",
        ):
            connection.execute(statement.encode())
        for statement in (
            "UPDATE codecairn.repositories SET id = %s",
            "UPDATE codecairn.grants SET repository = %s",
            "INSERT INTO codecairn.locks SELECT %s, purpose FROM codecairn.locks",
            "DELETE FROM codecairn.repository_keys WHERE repository <> %s",
        ):
            connection.execute(statement.encode(), [id_])
    (old,) = owner.repositories.values()
    save(replace(owner, repositories={id_: replace(old, id=id_)}))
    return id_


def test_a_membership_that_can_not_be_read_is_an_error_and_its_grant_no_plain_one(
    members: Members,
) -> None:
    grant = members.join("ann", "publisher")
    (file,) = (members.folder / "ann-home" / "data" / "team").glob("*.json")
    content = file.read_bytes()
    for broken in (b"{", content):
        file.write_bytes(broken)
        if broken == content:
            file.chmod(0o644)
        with pytest.raises(FileAccessError, match="membership"):
            opened_index(grant)
        with pytest.raises(FileAccessError), publishing(grant, "main"):
            pass
    file.unlink()
    with pytest.raises(RemoteRefused, match="a team that you do not belong to"):
        opened_index(grant)


def test_a_grant_of_a_team_is_neither_handed_on_nor_replaced_by_a_file(members: Members) -> None:
    grant = members.join("ann", "publisher")
    root = members.folder / "ann"
    with Workspace.open(root) as workspace:
        with pytest.raises(UsageError, match="its grants come from the team"):
            workspace.remote.hand_over()
        for document in (replace(grant, team="").document(), grant.document()):
            with pytest.raises(UsageError, match="its grants come from the team"):
                workspace.remote.accept(document, source="file")
    assert grant_folder.find(root, "") == grant
    assert read_grant(grant.document(), source="file") == grant


def test_epochs_that_one_publisher_used_up_are_not_remembered_by_readers(members: Members) -> None:
    index = opened_index(members.join("ann", "publisher"))
    _publish(index, 1)
    reader = opened_index(members.join("bob", "reader"))
    members.be("ann")
    _publish(index, 2**53 - 1, after=1)
    members.be("bob")
    with pytest.raises(RemoteUntrusted, match="which no number of publications reaches"):
        reader.latest("main")
    members.be("olga")
    assert administration.delete_branch(membership(None), "shop", "main")
    members.be("ann")
    published = _publish(opened_index(members.attach("ann")), 2, after=0)
    members.be("bob")
    found = reader.latest("main")
    assert found is not None
    assert found.manifest == published
