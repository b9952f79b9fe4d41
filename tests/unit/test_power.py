"""Whether a machine runs on its battery, as Linux tells in a folder of supplies; and waiting for the mains."""

from pathlib import Path

import pytest

from codecairn.indexing.battery import Mains
from codecairn.power import is_on_battery, supplies_say_battery

MAINS_OFF = {"type": "Mains", "online": "0"}
MAINS_ON = {"type": "Mains", "online": "1"}
EMPTYING = {"type": "Battery", "status": "Discharging"}
FULL = {"type": "Battery", "status": "Full"}
MOUSE = {"type": "Battery", "status": "Discharging", "scope": "Device"}


@pytest.mark.parametrize(
    ("supplies", "says"),
    [
        ([], False),
        ([MAINS_ON], False),
        ([MAINS_OFF], False),
        ([MAINS_OFF, EMPTYING], True),
        ([EMPTYING], True),
        ([FULL], False),
        ([MOUSE], False),
        ([MAINS_ON, EMPTYING], False),
        ([{"type": "USB", "online": "1"}, EMPTYING], False),
        ([{}], False),
    ],
)
def test_battery_is_told_by_what_is_online_and_what_is_emptied(
    tmp_path: Path, supplies: list[dict[str, str]], says: bool
) -> None:
    for number, supply in enumerate(supplies):
        folder = tmp_path / f"supply{number}"
        folder.mkdir()
        for name, value in supply.items():
            (folder / name).write_text(f"{value}\n")
    assert supplies_say_battery(tmp_path) is says


def test_what_is_not_known_is_no_battery(tmp_path: Path) -> None:
    assert supplies_say_battery(tmp_path / "nowhere") is False
    assert isinstance(is_on_battery(), bool)


def test_nobody_waits_unless_the_settings_say_so() -> None:
    told: list[str] = []
    mains = Mains(notify=told.append, asked=lambda: True)
    assert mains.wait(pauses=False, pause=lambda _: True)
    assert told == []


def test_wait_ends_with_the_mains_or_when_nobody_wants_to_go_on() -> None:
    told: list[str] = []
    answers = iter([True, True, True, False])
    mains = Mains(notify=told.append, asked=lambda: next(answers))
    assert mains.wait(pauses=True, pause=lambda _: False)
    assert [text.split(":")[0] for text in told] == [
        "the machine runs on its battery",
        "the mains are back",
    ]
    assert not Mains(notify=told.append, asked=lambda: True).wait(pauses=True, pause=lambda _: True)
