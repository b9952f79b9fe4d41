"""Moments as people write them, and other forms of an export."""

from pathlib import Path

import pytest

from codecairn.config.settings import Settings
from codecairn.errors import UsageError
from codecairn.memory.branches import branch_states
from codecairn.memory.export_formats import anonymised
from codecairn.memory.fork_safe import kept_bytes
from codecairn.memory.timestamps import moment_ms, written

NOW_MS = 1_800_000_000_000
DAY_MS = 86_400_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01T12:00:00Z", 1_772_366_400_000),
        ("2026-03-01T12:00:00+01:00", 1_772_362_800_000),
        ("3d", NOW_MS - 3 * DAY_MS),
        ("2 weeks ago", NOW_MS - 14 * DAY_MS),
        ("36h", NOW_MS - 36 * 3_600_000),
        ("1 month ago", NOW_MS - 30 * DAY_MS),
        ("90 min", NOW_MS - 90 * 60_000),
        ("99999y", 0),
    ],
)
def test_moments_are_understood(text: str, expected: int) -> None:
    assert moment_ms(text, now_ms=NOW_MS) == expected


@pytest.mark.parametrize("text", ["", "soon", "12", "2026-13-01", "-3d", "٣d"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no moment"):
        moment_ms(text, now_ms=NOW_MS)


def test_moments_are_written_in_one_form() -> None:
    assert written(0) == "1970-01-01 00:00 UTC"


def test_anonymising_leaves_words_and_relative_paths() -> None:
    document = {
        "text": "ann@example.com put /home/ann/a.txt beside src/and/or.py and C:\\Users\\ann\\b at "
        + "ab" * 20,
        "list": ["and/or", 3, None],
    }
    assert anonymised(document) == {
        "text": "<email> put <path> beside src/and/or.py and <path> at <hex>",
        "list": ["and/or", 3, None],
    }


@pytest.mark.parametrize(
    ("channel", "endless", "kept"),
    [("stable", False, 4000), ("stable", True, 4000), ("beta", False, 4000), ("beta", True, 2000)],
)
def test_endless_sessions_keep_less_on_the_beta_channel_alone(
    channel: str, endless: bool, kept: int
) -> None:
    assert kept_bytes(Settings(memory_channel=channel, memory_endless=endless)) == kept


def test_of_a_branch_nothing_is_claimed_without_commits_to_compare(tmp_path: Path) -> None:
    place, head = ("feature", "not-a-commit"), ("main", "a" * 40)
    assert branch_states(tmp_path, [place], head=head) == {place: ""}
    there = ("feature", "b" * 40)
    assert branch_states(tmp_path, [there, ("main", "c" * 40)], head=head) == {
        there: "",
        ("main", "c" * 40): "here",
    }
