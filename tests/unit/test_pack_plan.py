"""Packs of records are kept while they are useful, and merged so that there are never many."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from codecairn.objects.manifest import Pack
from codecairn.objects.sealed_objects import ObjectName
from codecairn.replication.pack_plan import (
    FAN_OUT,
    MAX_CONTENTS,
    Content,
    KnownPack,
    PackPlan,
    plan_packs,
)


def _content(number: int) -> Content:
    return hashlib.sha256(str(number).encode()).digest(), "python"


def _contents(*numbers: int) -> list[Content]:
    return [_content(number) for number in numbers]


def _known(*numbers: int) -> KnownPack:
    name = ObjectName(hashlib.sha256(repr(numbers).encode()).hexdigest(), 1)
    pack = Pack(objects=(name,), index=(name,), contents=len(numbers))
    return KnownPack(pack=pack, contents=frozenset(_contents(*numbers)))


def _covered(plan: PackPlan) -> list[Content]:
    kept = [content for each in plan.kept for content in each.contents]
    return kept + [content for group in plan.new for content in group]


def test_first_publication_packs_everything_in_groups() -> None:
    plan = plan_packs([], _contents(*range(MAX_CONTENTS + 5)))
    assert plan.kept == ()
    assert [len(group) for group in plan.new] == [MAX_CONTENTS, 5]


def test_new_contents_become_one_pack_beside_what_is_there() -> None:
    plan = plan_packs([_known(*range(100))], _contents(*range(102)))
    assert [each.pack.contents for each in plan.kept] == [100]
    assert plan.new == (tuple(_contents(100, 101)),)


def test_pack_of_which_little_is_left_is_packed_again() -> None:
    plan = plan_packs([_known(*range(100)), _known(*range(100, 120))], _contents(*range(70, 120)))
    assert [each.pack.contents for each in plan.kept] == [20]
    assert plan.new == (tuple(_contents(*range(70, 100))),)


def test_pack_without_any_use_is_dropped() -> None:
    plan = plan_packs([_known(*range(10)), _known(7, 8, 9)], _contents(*range(10)))
    assert [each.pack.contents for each in plan.kept] == [10]
    assert plan.new == ()


def test_same_content_twice_is_packed_once() -> None:
    assert plan_packs([], [*_contents(1, 2), *_contents(1)]).new == (tuple(_contents(1, 2)),)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=60))
def test_packs_stay_few_and_hold_everything_whatever_is_published(changes: list[int]) -> None:
    known: list[KnownPack] = []
    count = 0
    for change in changes:
        count += change
        wanted = _contents(*range(count))
        plan = plan_packs(known, wanted)
        assert sorted(_covered(plan)) == sorted(wanted)
        known = list(plan.kept)
        for number, group in enumerate(plan.new):
            name = ObjectName(hashlib.sha256(f"{count} {number}".encode()).hexdigest(), 1)
            pack = Pack(objects=(name,), index=(name,), contents=len(group))
            known.append(KnownPack(pack=pack, contents=frozenset(group)))
    assert len(known) < 4 * FAN_OUT


def test_contents_are_packed_again_a_few_times_only() -> None:
    known: list[KnownPack] = []
    packed = 0
    for count in range(1, 301):
        plan = plan_packs(known, _contents(*range(count)))
        packed += sum(map(len, plan.new))
        known = [*plan.kept, *(_known_of(group, count) for group in plan.new)]
    assert packed < 300 * 5


def _known_of(group: tuple[Content, ...], count: int) -> KnownPack:
    name = ObjectName(hashlib.sha256(f"{count} {len(group)}".encode()).hexdigest(), 1)
    return KnownPack(
        pack=Pack(objects=(name,), index=(name,), contents=len(group)), contents=frozenset(group)
    )
