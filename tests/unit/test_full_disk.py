"""A full disk is said as one, wherever it is met: by its folder and the room that is left."""

import errno
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from codecairn.cli.main import _guarded, _Report
from codecairn.errors import DiskFull, FileAccessError, disk_full

FULL = Path("/dev/full")
"""Takes no byte, as a full disk: Linux has it."""


def test_only_a_failure_over_room_is_a_full_disk(tmp_path: Path) -> None:
    file = str(tmp_path / "a.json")
    full = disk_full(OSError(errno.ENOSPC, "No space left on device", file))
    assert isinstance(full, DiskFull)
    assert full.message.startswith(f"no space left on the disk that holds `{file}`: ")
    assert full.message.endswith("B free")
    assert full.code == "disk-full"
    assert disk_full(OSError(errno.ENOSPC, "No space left on device")) is not None
    for other in (OSError(errno.EACCES, "no", file), ValueError("no"), None):
        assert disk_full(other) is None


def _failure(number: int) -> FileAccessError:
    failure = FileAccessError("can't write `a.json`")
    failure.__cause__ = OSError(number, os.strerror(number), "/tmp/x/a.json")
    return failure


def test_the_hint_of_a_file_that_has_no_room_is_not_about_rights() -> None:
    assert "you may read and write" in _failure(errno.EACCES).hint
    hint = _failure(errno.ENOSPC).hint
    assert hint.startswith("no space left on the disk that holds `/tmp/x/a.json`")
    assert hint.endswith("free some space and run the command again")
    assert FileAccessError("x", hint="y").hint == "y"


class _Kept(_Report):
    def __init__(self) -> None:
        super().__init__([])
        self.said: list[Mapping[str, str]] = []

    def error(self, kind: str, message: str, hint: str) -> None:
        self.said.append({"kind": kind, "message": message, "hint": hint})


def test_the_command_line_does_not_take_a_full_disk_for_a_bug() -> None:
    report = _Kept()

    def work() -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/tmp/x/a.json")

    assert _guarded(work, report) == 1
    assert report.said[0]["kind"] == "disk-full"
    assert "internal" not in str(report.said)


@pytest.mark.skipif(not FULL.exists() or sys.platform != "linux", reason="needs /dev/full")
def test_a_real_write_without_room_is_said_as_one() -> None:
    def work() -> int:
        with FULL.open("w", encoding="utf-8") as file:
            file.write("x" * 100_000)
        return 0

    report = _Kept()
    assert _guarded(work, report) == 1
    assert report.said[0]["kind"] == "disk-full"
    assert "no space left on the disk" in report.said[0]["message"]
