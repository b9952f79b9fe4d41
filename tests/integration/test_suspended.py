"""An index run that is suspended, as a laptop that sleeps does, loses nothing."""

import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from codecairn import Workspace
from support.command import command

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="no signal suspends a process there"
)

TEXT_BYTES = 400_000


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Real source in files that take a while each, none like another."""
    folder = tmp_path / "source"
    folder.mkdir()
    library = Path(sysconfig.get_path("stdlib"))
    library_text = "".join(path.read_text("utf-8") for path in sorted(library.glob("*.py")))
    for number in range(len(library_text) // TEXT_BYTES):
        part = library_text[number * TEXT_BYTES : (number + 1) * TEXT_BYTES]
        (folder / f"part_{number:02}.py").write_text(part, "utf-8")
    return folder


def test_a_run_that_sleeps_for_longer_than_a_parse_may_take(source: Path, tmp_path: Path) -> None:
    _check(source, tmp_path, times=1, sleep_s=8.0, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_fifty_runs_that_sleep_at_random_instants(source: Path, tmp_path: Path) -> None:
    _check(source, tmp_path, times=50, sleep_s=15.0, seed=50)


def _check(source: Path, tmp_path: Path, *, times: int, sleep_s: float, seed: int) -> None:
    chance = random.Random(seed)
    started = time.monotonic()
    fresh = tmp_path / "fresh"
    expected = _symbols(fresh, _start(source, fresh))
    duration_s = time.monotonic() - started
    assert expected[0] > 1000
    for number in range(times):
        root = tmp_path / f"run {number}"
        process = _start(source, root)
        time.sleep(chance.uniform(0.1, 0.9) * duration_s)
        process.send_signal(signal.SIGSTOP)
        time.sleep(sleep_s)
        process.send_signal(signal.SIGCONT)
        assert _symbols(root, process) == expected, number
        shutil.rmtree(root)


def _start(source: Path, root: Path) -> "subprocess.Popen[bytes]":
    shutil.copytree(source, root)
    return subprocess.Popen(command("index", "."), cwd=root, stdout=subprocess.DEVNULL)


def _symbols(root: Path, process: "subprocess.Popen[bytes]") -> tuple[int, int, tuple[str, ...]]:
    """What the run found, once it has ended."""
    assert process.wait() == 0
    with Workspace.open(root) as workspace:
        status = workspace.status()
    return status.symbols, status.chunks, status.unparsed
