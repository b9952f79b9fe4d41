"""Decides which packs of records a publication keeps, and which contents it packs again.

Packs are immutable. Each publication adds one for its new contents, so packs are merged when eight of about the same size have
come together, as levels of a log-structured merge tree are: a content is uploaded again O(log n) times, and there are at most
eight packs for each power of eight.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from codecairn.core.light_dataclass import dataclass
from codecairn.objects.manifest import Pack

MAX_CONTENTS = 2048
"""Contents of a new pack: some 5 MB."""

FAN_OUT = 8
MIN_LIVE = 0.5
"""A pack with a smaller share of contents that are still there is packed again."""

Content: TypeAlias = tuple[bytes, str]
"""BLAKE3 of a text, and the language that it was parsed as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPack:
    """A pack that was published before, and the contents in it."""

    pack: Pack
    contents: frozenset[Content]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackPlan:
    """What a publication does: `kept` packs stay as they are, and each group of `new` contents becomes a pack."""

    kept: tuple[KnownPack, ...]
    new: tuple[tuple[Content, ...], ...]


def plan_packs(known: Sequence[KnownPack], contents: Sequence[Content]) -> PackPlan:
    """The packs for `contents`, in the order given, of which `known` have some."""
    wanted = frozenset(contents)
    kept = list(_still_worth(known, wanted))
    covered = frozenset[Content]().union(*(each.contents for each in kept))
    count = len(wanted - covered)
    while True:
        merged = _one_tier(kept, count)
        if not merged:
            break
        kept = [each for each in kept if each not in merged]
        covered = frozenset[Content]().union(*(each.contents for each in kept))
        count = len(wanted - covered)
    new = [content for content in dict.fromkeys(contents) if content not in covered]
    return PackPlan(kept=tuple(kept), new=tuple(_groups(new)))


def _still_worth(known: Iterable[KnownPack], wanted: frozenset[Content]) -> Iterator[KnownPack]:
    """Packs of which enough is wanted and not in an earlier one."""
    covered: set[Content] = set()
    for each in sorted(known, key=lambda each: -len(each.contents)):
        useful = (each.contents & wanted) - covered
        if useful and len(useful) >= MIN_LIVE * len(each.contents):
            covered |= useful
            yield each


def _one_tier(packs: Sequence[KnownPack], new: int) -> list[KnownPack]:
    """Packs of one size that should become one together with the new contents; none if no size has too many."""
    for tier in sorted({_tier(len(each.contents)) for each in packs}):
        same = [each for each in packs if _tier(len(each.contents)) == tier]
        is_new_one = new > 0 and _tier(new) == tier
        is_mergeable = FAN_OUT ** (tier + 1) <= MAX_CONTENTS
        if is_mergeable and len(same) + is_new_one >= FAN_OUT:
            return same
    return []


def _tier(count: int) -> int:
    tier = 0
    while FAN_OUT ** (tier + 1) <= count:
        tier += 1
    return tier


def _groups(contents: Sequence[Content]) -> Iterator[tuple[Content, ...]]:
    for start in range(0, len(contents), MAX_CONTENTS):
        yield tuple(contents[start : start + MAX_CONTENTS])
