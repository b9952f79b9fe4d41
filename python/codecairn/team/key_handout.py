"""Hands out keys of repositories: each sealed to one trusted member, and signed by the caller."""

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from codecairn.core.light_dataclass import dataclass
from codecairn.errors import RemoteUntrusted, UsageError
from codecairn.team.catalog import KEY_BYTES, Catalog, CatalogRepository
from codecairn.team.connection import translated
from codecairn.team.key_sealing import seal_key
from codecairn.team.member_keys import known_keys, sealing_key_of
from codecairn.team.membership import Membership, TeamRepository

if TYPE_CHECKING:
    from psycopg import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyHandout:
    """What became of a repository's key that was handed out.

    Attributes:
        repository: The repository's name.
        generation: The key's number.
        without: Members who have not joined yet and need a new invitation for it.
        refused: Members with a grant who did not get it: no trusted member introduced them, they did not sign the key
            to seal to, or the caller revoked their grant before.
    """

    repository: str
    generation: int
    without: tuple[str, ...]
    refused: tuple[str, ...] = ()


def handed_over(
    repository: CatalogRepository, role: str, known: TeamRepository | None
) -> TeamRepository:
    """What a member with a role gets of a repository: its key in use, and none before it.

    Raises:
        UsageError: If the caller does not hold that key.
    """
    if known is None or known.key is None:
        raise UsageError(
            f"you do not hold the key of `{repository.name}`",
            hint="another administrator grants it to you, or invites",
        )
    return replace(known, role=role, keys={known.key_generation: known.key})


def rotate(
    membership: Membership,
    connection: "Connection[tuple[Any, ...]]",
    catalog: Catalog,
    repository: CatalogRepository,
) -> KeyHandout:
    """Change a repository's key: what is published from now on opens with the new one alone.

    Number and keys are changed in one transaction. Of two administrators who do so at once, one changes nothing.

    Raises:
        RemoteRefused: If the caller is no administrator, or another changed the key meanwhile.
    """
    known = membership.repositories.get(repository.id)
    newest = max(repository.key_generation, known.key_generation if known else 0)
    generation, key = newest + 1, secrets.token_bytes(KEY_BYTES)
    with translated(), connection.transaction():
        catalog.advance_key(repository, generation)
        return hand_out(membership, catalog, repository, generation, key)


def hand_out(
    membership: Membership,
    catalog: Catalog,
    repository: CatalogRepository,
    generation: int,
    key: bytes,
    *,
    only: str | None = None,
) -> KeyHandout:
    """Seal a key to the trusted members with a grant, or to `only` that one.

    Raises:
        RemoteUntrusted: If that one is not known.
    """
    members = catalog.members()
    known = known_keys(membership, members)
    holders = set(catalog.holders(repository)) if only is None else {only}
    sealed: dict[int, bytes] = {}
    without, refused = [], sorted(holders - {each.name for each in members})
    for each in members:
        if each.name not in holders:
            continue
        if each.keys is None:
            without.append(each.name)
            continue
        if grant_name(repository, each.name) in membership.revoked:
            refused.append(each.name)
            continue
        try:
            sealed[each.id] = seal_key(
                key,
                sealing_key_of(membership, each, known),
                repository=repository.id,
                generation=generation,
                signing_key=membership.signing_key,
            )
        except RemoteUntrusted:
            if only is not None:
                raise
            refused.append(each.name)
    catalog.put_key(repository, generation, sealed)
    return KeyHandout(
        repository=repository.name,
        generation=generation,
        without=tuple(without),
        refused=tuple(sorted(refused)),
    )


def grant_name(repository: CatalogRepository, member: str) -> str:
    """What a revoked grant is called in a membership."""
    return f"{repository.id}/{member}"
