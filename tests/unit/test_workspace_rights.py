"""Which values of a workspace's file widen what holds without it, at the border of each right."""

import pytest

from codecairn.config.workspace_rights import (
    HIGHER,
    LOWER,
    MAY_SET,
    MORE_EXCLUDED,
    OFF,
    ON,
    ONLY_INCLUDED,
    OWN,
    WorkspaceRight,
    stricter,
    within,
)


@pytest.mark.parametrize(
    ("right", "held", "wide", "allowed"),
    [
        (LOWER, 5, [6], [5, 4]),
        (HIGHER, 5, [4], [5, 6]),
        (OFF, False, [True], [False]),
        (OFF, True, [], [True, False]),
        (ON, True, [False], [True]),
        (ON, False, [], [True, False]),
        (ONLY_INCLUDED, (), [], [(), ("a",)]),
        (ONLY_INCLUDED, ("a",), [("b",), (), ("a", "b")], [("a",)]),
        (within(10, 20), 15, [9, 21], [10, 15, 20]),
        (within(10, 20), 5, [4, 21], [5, 10, 20]),
        (within(10, 20), 30, [9, 31], [10, 20, 30]),
        (stricter("all", "some", "none"), "some", ["all"], ["some", "none"]),
        (stricter("all", "some", "none"), "none", ["all", "some"], ["none"]),
        (MAY_SET, 5, [], [4, 5, 6]),
        (MORE_EXCLUDED, ("a",), [], [(), ("b",)]),
    ],
)
def test_values_beyond_the_border_widen_and_others_do_not(
    right: WorkspaceRight, held: object, wide: list[object], allowed: list[object]
) -> None:
    assert [value for value in [*wide, *allowed] if right.widens(value, held)] == wide


@pytest.mark.parametrize(
    ("right", "combined"),
    [(MORE_EXCLUDED, ("held", "given")), (ONLY_INCLUDED, ("given",)), (MAY_SET, ("given",))],
)
def test_patterns_to_exclude_are_added_to_the_user_s(
    right: WorkspaceRight, combined: tuple[str, ...]
) -> None:
    assert right.combined(("given",), ("held",)) == combined


@pytest.mark.parametrize(
    ("right", "refusal"),
    [
        (MORE_EXCLUDED, "`!keys` takes in what is left out"),
        (ONLY_INCLUDED, ""),
        (MAY_SET, ""),
    ],
)
def test_patterns_that_take_in_again_are_refused(right: WorkspaceRight, refusal: str) -> None:
    assert right.refusal(("a!", "!keys", "!b")) == refusal
    assert right.refusal(("a!", "b")) == ""
    assert right.refusal(()) == ""


def test_only_own_settings_may_not_be_named() -> None:
    rights = [OWN, LOWER, HIGHER, OFF, ON, MAY_SET, MORE_EXCLUDED, ONLY_INCLUDED]
    assert [right.doc for right in rights if right.is_own] == [OWN.doc]
