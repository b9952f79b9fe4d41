"""Which changes of a file are seen without reading it: size, times, number, and the time that no program can set."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from codecairn import Workspace
from support.repository import Repository

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no change times in the standard library")

BEFORE = "def verify_token(token):\n    return token.kind\n"
AFTER = "def permit_token(token):\n    return token.kind\n"
LONG_AGO_NS = 1_700_000_000_123_456_789
"""Not a whole second, which would be taken for a coarse clock."""


@pytest.fixture
def indexed(folder: Repository) -> Repository:
    """Indexed so long after it was written that its entry of the cache is to be trusted."""
    folder.write("pyproject.toml", "")
    file = folder.write("gate.py", BEFORE)
    os.utime(file, ns=(LONG_AGO_NS, LONG_AGO_NS))
    time.sleep(0.1)
    with Workspace.open(folder.root) as workspace:
        workspace.index()
        assert workspace.index().parsed == 0
    return folder


def _copy_in_place(file: Path, other: Path) -> None:
    subprocess.run(["cp", "-p", str(other), str(file)], check=True)


def _overwrite_and_set_back(file: Path, other: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(other.read_bytes())
    os.utime(file, ns=(LONG_AGO_NS, LONG_AGO_NS))


def _overwrite_and_touch(file: Path, other: Path) -> None:
    file.write_bytes(other.read_bytes())
    subprocess.run(["touch", "-r", str(other), str(file)], check=True)


@pytest.mark.parametrize(
    "overwrite", [_copy_in_place, _overwrite_and_set_back, _overwrite_and_touch]
)
def test_overwritten_file_of_equal_size_and_mtime_is_read_again(
    indexed: Repository, tmp_path: Path, overwrite: Callable[[Path, Path], None]
) -> None:
    other, file = tmp_path / "other.py", indexed.root / "gate.py"
    other.write_text(AFTER)
    os.utime(other, ns=(LONG_AGO_NS, LONG_AGO_NS))
    before = file.stat()
    overwrite(file, other)
    after = file.stat()
    looks = (before.st_size, before.st_mtime_ns, before.st_ino)
    assert looks == (after.st_size, after.st_mtime_ns, after.st_ino)
    with Workspace.open(indexed.root) as workspace:
        assert workspace.define("verify_token", refresh=False).stale == ("gate.py",)
        assert workspace.define("permit_token")[0].path == "gate.py"
        assert not workspace.define("verify_token").hits


def test_change_of_attributes_costs_a_read_and_nothing_else(indexed: Repository) -> None:
    file = indexed.root / "gate.py"
    file.chmod(0o600)
    os.link(file, indexed.root / "linked.txt")
    time.sleep(0.1)
    with Workspace.open(indexed.root) as workspace:
        generation = workspace.status().generation
        assert workspace.define("verify_token", refresh=False).stale == ()
        (indexed.root / "linked.txt").unlink()
        time.sleep(0.1)
        report = workspace.index()
        assert (report.parsed, report.modified, report.added) == (0, 0, 0)
        assert workspace.status().generation == generation
