"""All occurrences of a name, with an exact count for each role."""

from collections import Counter
from collections.abc import Collection

from codecairn.core.graph_engine import GraphEngine
from codecairn.core.types.graph import ROLES, Mention, Uses
from codecairn.errors import UsageError


def find_occurrences(
    engine: GraphEngine,
    name: str,
    *,
    roles: Collection[str] = (),
    path: str | None = None,
    limit: int | None = None,
) -> Uses:
    """All occurrences of a name as a word; the count includes every one.

    Raises:
        UsageError: If the name is no plain name, or a role is unknown.
    """
    wanted = name.strip().removesuffix("()")
    # Private members of JavaScript begin with the sign.
    plain = wanted.removeprefix("#")
    if not plain or not all(char.isalnum() or char in "_$?!" for char in plain):
        raise UsageError(
            f"`{name}` is no plain name",
            hint="give a name without scopes, such as `get` for `Session.get`",
        )
    unknown = sorted(set(roles) - set(ROLES))
    if unknown:
        raise UsageError(f"there is no role `{unknown[0]}`", hint=f"one of {', '.join(ROLES)}")
    found = engine.occurrences(wanted)
    counts = Counter(each.role for each in found)
    places = [each for each in found if _passes(each, roles=roles, path=path)]
    return Uses(
        name=wanted,
        counts=tuple((role, counts[role]) for role in ROLES if counts[role]),
        total=len(found),
        files=len({each.path for each in found}),
        places=tuple(places[:limit]),
        left_out=len(places) - len(places[:limit]),
    )


def _passes(found: Mention, *, roles: Collection[str], path: str | None) -> bool:
    is_there = path is None or found.path == path or found.path.startswith(path.rstrip("/") + "/")
    return is_there and (not roles or found.role in roles)
