"""A first index that is broken off goes on where it was: what was committed is not parsed again."""

import os
import signal
import subprocess
import sys

import pytest

from codecairn import Workspace
from support.command import command
from support.corpus import WORDS, write_modules
from support.repository import Repository
from support.stores import store_of

FILES = 120


class Stopped(Exception):
    pass


def _stop_at(share: float) -> object:
    def progress(phase: str, done: int, total: int) -> None:
        if phase == "indexing" and total and done >= share * total:
            raise Stopped

    return progress


def _fill(target: Repository, *, files: int, kilobytes: int) -> int:
    """Texts that are large and cheap to parse; returns how many files."""
    paragraph = " ".join(WORDS)
    for number in range(files):
        lines = (f"{number} {line} {paragraph}\n" for line in range(kilobytes * 1000 // 150))
        target.write(f"texts/{number}.txt", "".join(lines))
    return files


def test_index_that_was_stopped_at_sixty_percent_does_not_parse_that_again(
    folder: Repository,
) -> None:
    files = _fill(folder, files=50, kilobytes=600)
    with Workspace.open(folder.root) as workspace:
        with pytest.raises(Stopped):
            workspace.index(progress=_stop_at(0.6))  # type: ignore[arg-type]
        report = workspace.index()
        assert report.files == files
        assert 0 < report.parsed <= 0.45 * files
        assert workspace.index().parsed == 0
        assert workspace.doctor() == ()


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_interrupt_keeps_what_was_done(folder: Repository) -> None:
    write_modules(folder, files=FILES, functions=4)
    script = (
        "import os, signal, sys\n"
        "from codecairn import Workspace\n"
        "def progress(phase, done, total):\n"
        "    if phase == 'indexing' and done:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "Workspace.open(sys.argv[1]).index(progress=progress)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder.root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "KeyboardInterrupt" in done.stderr
    with Workspace.open(folder.root) as workspace:
        assert workspace.index().parsed < FILES


@pytest.mark.failpoints
@pytest.mark.skipif(sys.platform == "win32", reason="processes die otherwise there")
def test_index_that_was_killed_does_not_parse_again_what_was_committed(folder: Repository) -> None:
    files = _fill(folder, files=80, kilobytes=600)
    done = subprocess.run(
        command("index"), cwd=folder.root, capture_output=True, check=False,
        env=os.environ | {"CAIRN_FAILPOINT": "batch.committed=abort"},
    )  # fmt: skip
    assert done.returncode == -signal.SIGABRT, done
    assert (store_of(folder.root) / "index.db").exists()
    with Workspace.open(folder.root) as workspace:
        report = workspace.index()
        assert report.files == files
        assert 0 < report.parsed < files
        assert workspace.doctor() == ()
