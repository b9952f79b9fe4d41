"""Disks that fill up and clocks that jump."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecairn import Workspace
from codecairn.errors import DiskFull
from codecairn.paths import user
from codecairn.paths.store import stores_folder
from support.answers import answers, answers_of_full_index
from support.command import run
from support.corpus import module_text, write_modules
from support.repository import Repository
from support.stores import store_of

CENTURY_S = 3_155_760_000


def _mounted(disk: Path, *options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "codecairn-test", str(disk)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def disk() -> Iterator[Path]:
    """A disk of its own for stores."""
    folder = stores_folder(user.data_folder())
    folder.mkdir(parents=True)
    if sys.platform != "linux" or shutil.which("mount") is None or not _mounted(folder, "size=64k"):
        pytest.skip("may not mount a disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_wherever_the_room_ends_nothing_is_half_there(repository: Repository, disk: Path) -> None:
    """First indexes and later ones on a disk that is a little larger each time."""
    write_modules(repository, files=40, functions=6)
    full = 0
    for round_, size in enumerate([*range(96, 1400, 100), 8192]):
        assert _mounted(disk, "remount", f"size={size}k")
        repository.write(f"late{round_}.py", module_text(500 + round_, functions=4))
        try:
            with Workspace.open(repository.root) as workspace:
                workspace.index()
                assert workspace.doctor() == ()
        except DiskFull:
            full += 1
    assert full >= 3
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        assert workspace.doctor() == ()
    assert answers(repository.root) == answers_of_full_index(repository.root)


@pytest.fixture
def whole_disk() -> Iterator[Path]:
    """A disk for the data folder, with a memory of one fact."""
    folder = user.data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform != "linux" or shutil.which("mount") is None or not _mounted(folder, "size=2m"):
        pytest.skip("may not mount a disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def _fill(disk: Path, *, left: int) -> None:
    """Leave so many bytes free."""
    usage = shutil.disk_usage(disk)
    (disk / "other-program").write_bytes(bytes(max(usage.free - left, 0)))


@pytest.mark.parametrize("left", [0, 12_000, 40_000])
def test_every_route_says_that_the_disk_is_full(
    repository: Repository, whole_disk: Path, left: int
) -> None:
    """SQLite reports shared memory that it can't make longer as a failure to read, which sounds like missing rights."""
    added = run("memory", "add", "the port is 6000", "--json", cwd=repository.root).document
    _fill(whole_disk, left=left)
    routes = (
        ("memory", "search", "port"),
        ("memory", "list"),
        ("memory", "export"),
        ("memory", "forget", added["id"]),
        ("index",),
        ("call", "memory_search", '{"query": "port"}'),
    )
    for route in routes:
        outcome = run(*route, cwd=repository.root)
        said = outcome.err + outcome.out
        assert "you may read" not in said, (route, said)
        assert "disk I/O" not in said, (route, said)
        if outcome.code != 0:
            assert f"no space left on the disk that holds `{whole_disk}" in said, (route, said)
            assert "B free" in said, (route, said)
            assert "free some space" in said, (route, said)
    # What an agent waits for is answered all the same.
    event = {"session_id": "s", "cwd": str(repository.root), "prompt": "Use tabs."}
    event["hook_event_name"] = "UserPromptSubmit"
    hook = run("hook", "claude", "UserPromptSubmit", cwd=repository.root, stdin=json.dumps(event))
    assert hook.code == 0
    (whole_disk / "other-program").unlink()
    found = run("memory", "search", "port", cwd=repository.root)
    assert "6000" in found.out


@pytest.mark.parametrize("shift_s", [-CENTURY_S // 2, CENTURY_S])
def test_files_of_another_time_are_kept_up_with(repository: Repository, shift_s: int) -> None:
    """Times before 1970 and of the next century, as a wrong clock gives them: each edit is found."""
    write_modules(repository, files=6, functions=3)
    with Workspace.open(repository.root) as workspace:
        for round_ in range(3):
            path = repository.root / "package1" / "module1.py"
            path.write_text(f"def of_round_{round_}():\n    pass\n", encoding="utf-8")
            for number, file in enumerate(sorted(repository.root.rglob("*.py"))):
                moment_s = file.stat().st_mtime + shift_s + round_
                if number % 2 == round_ % 2 or file == path:
                    os.utime(file, (moment_s, moment_s))
            assert workspace.search(f"of_round_{round_}")[0].name == f"of_round_{round_}"
            assert workspace.index().files == 6
        assert workspace.doctor() == ()
    assert answers(repository.root) == answers_of_full_index(repository.root)


def test_store_from_the_future_is_kept_up_with(repository: Repository) -> None:
    """The clock was far ahead when the store was written, and is right now."""
    write_modules(repository, files=4, functions=3)
    with Workspace.open(repository.root) as workspace:
        workspace.index()
        for path in store_of(repository.root).rglob("*"):
            os.utime(path, (CENTURY_S * 2, CENTURY_S * 2))
        for round_ in range(3):
            repository.write("late.py", f"def of_round_{round_}():\n    pass\n")
            assert workspace.search(f"of_round_{round_}")[0].name == f"of_round_{round_}"
        workspace.gc()
        assert workspace.doctor() == ()
    assert answers(repository.root) == answers_of_full_index(repository.root)
