"""Files of a store changed under a process that has them open: no signal, no wrong text, and everything is made again."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from codecairn import Workspace
from support.corruption import Reader, digest, look, make_project, play

pytestmark = pytest.mark.skipif(os.name == "nt", reason="nobody can change a mapped file there")

SAMPLE = 40
WHOLE = 1000


def _cut_to_nothing(file: Path) -> None:
    os.truncate(file, 0)


def _cut_in_half(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _cut_behind_the_header(file: Path) -> None:
    os.truncate(file, 72)


@pytest.mark.parametrize("options", [(), ("-X", "faulthandler")])
@pytest.mark.parametrize("cut", [_cut_to_nothing, _cut_in_half, _cut_behind_the_header])
@pytest.mark.parametrize("kind", ["lexical", "vectors"])
def test_segment_cut_under_a_reader_is_made_again(
    tmp_path: Path, kind: str, cut: Callable[[Path], None], options: tuple[str, ...]
) -> None:
    root = make_project(tmp_path / "repository").root
    with Workspace.open(root) as workspace:
        workspace.index()
        store, expected = workspace.store, digest(look(workspace)[0])
    reader = Reader(root, *options)
    assert reader.look()["digest"] == expected
    for segment in (store / "segments").glob(f"{kind}-*"):
        cut(segment)
    seen = reader.look()
    # A map that is a page long at most is still there: whoever opens the file next finds the damage.
    assert (seen["digest"], seen["wrong"], seen["errors"]) == (expected, [], {})
    reader.close()
    with Workspace.open(root) as workspace:
        assert digest(look(workspace)[0]) == expected
        assert workspace.doctor() == ()


_FOREIGN_FAULT = """
import mmap, os, sys
from codecairn import Workspace
with Workspace.open(sys.argv[1]) as workspace:
    workspace.search("token")
    with open(sys.argv[2], "r+b") as file:
        mapped = mmap.mmap(file.fileno(), 0)
        os.truncate(sys.argv[2], 0)
        print(mapped[20_000])
"""


@pytest.mark.parametrize("options", [(), ("-X", "faulthandler")])
def test_fault_in_a_map_of_somebody_else_ends_the_process_as_ever(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    root = make_project(tmp_path / "repository").root
    other = tmp_path / "other"
    other.write_bytes(bytes(30_000))
    done = subprocess.run(
        [sys.executable, *options, "-c", _FOREIGN_FAULT, str(root), str(other)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == -7, done
    assert ("Bus error" in done.stderr) == bool(options)


def _play(root: Path, seed: int, trials: int) -> None:
    outcome = play(root, seed, trials)
    assert outcome.trials == trials
    assert outcome.wrong == []
    assert outcome.silent == []
    assert outcome.unrepaired == []


@pytest.mark.timeout(600)
def test_damaged_files_give_no_wrong_answer_and_are_mended(tmp_path: Path) -> None:
    _play(make_project(tmp_path / "repository").root, seed=1, trials=SAMPLE)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_thousand_damages(tmp_path: Path) -> None:
    _play(make_project(tmp_path / "repository").root, seed=2, trials=WHOLE)
