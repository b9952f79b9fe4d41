"""A team as tests need one: made through the package, with members who have joined."""

import secrets
from dataclasses import dataclass, field

from codecairn.objects.signature import new_private_key, public_key_of
from codecairn.team.catalog import Catalog, CatalogRepository
from codecairn.team.connection import connected
from codecairn.team.key_sealing import new_sealing_key
from codecairn.team.member_keys import introduction, member_keys
from codecairn.team.membership import Membership
from codecairn.team.setup import make_team
from support.postgres import PostgresServer

GRANTS = (("shop", "ann", "publisher"), ("bank", "ann", "reader"), ("bank", "bob", "admin"))


@dataclass
class Member:
    """A member with a password and private keys."""

    name: str
    role: str
    password: str
    signing_key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    sealing_key: bytes = field(default_factory=new_sealing_key)
    invitation_key: bytes = field(default_factory=new_private_key)
    introduction: bytes = b""


@dataclass
class Team:
    """A team in a database of its own."""

    server: PostgresServer
    database: str
    members: dict[str, Member]
    repositories: dict[str, CatalogRepository]
    id: str = ""

    @classmethod
    def make(cls, server: PostgresServer) -> "Team":
        """A team; see the fixture of that name."""
        team = cls(server, server.new_database(), {}, {})
        with connected(team.owner_url) as connection:
            owner = Member("owner", "owner", server.password)
            team.id = make_team(
                connection, "acme", "owner",
                signing_key=owner.signing_key, sealing_key=owner.sealing_key,
            )  # fmt: skip
            team.members["owner"] = owner
            catalog = Catalog(connection)
            for name in ("shop", "bank"):
                found = catalog.add_repository(
                    name, project=f"example.com/{name}", store_url=f"s3://index/{name}"
                )
                team.repositories[name] = found
            for name in ("ann", "bob", "eve"):
                team.invite(name)
            for repository, member, role in GRANTS:
                catalog.grant(team.repositories[repository], member, role)
        for name in ("ann", "bob", "eve"):
            team.join(name)
        return team

    @property
    def owner_url(self) -> str:
        """How the owner connects."""
        return self.server.url(self.database)

    def invite(self, name: str, days: int = 7, by: str = "owner") -> Member:
        """A member who has not joined yet."""
        password = secrets.token_hex(12)
        with connected(self.conninfo(by)) as connection:
            role = Catalog(connection).invite(name, password=password, days=days)
        member = self.members[name] = Member(name, role, password)
        member.introduction = introduction(
            self.id, name, member.invitation_key, private_key=self.members[by].signing_key
        )
        return member

    def join(self, name: str) -> None:
        """Accept an invitation."""
        member = self.members[name]
        with connected(self.conninfo(name)) as connection:
            Catalog(connection).accept(
                member_keys(
                    self.id, name, signing_key=member.signing_key, sealing_key=member.sealing_key,
                    introduced_by=member.introduction, invitation_key=member.invitation_key,
                )
            )  # fmt: skip

    def membership(self, name: str) -> Membership:
        """What a member who has just joined keeps; they know the owner's key."""
        member = self.members[name]
        return Membership(
            team_id=self.id, team="acme", member=name, conninfo=self.conninfo(name), password="",
            signing_key=member.signing_key, sealing_key=member.sealing_key,
            known_keys={"owner": public_key_of(self.members["owner"].signing_key)},
        )  # fmt: skip

    def conninfo(self, name: str) -> str:
        """How a member connects."""
        if name == "owner":
            return self.owner_url
        member = self.members[name]
        return (
            f"host=127.0.0.1 port={self.server.port} dbname={self.database} "
            f"user={member.role} password={member.password}"
        )
