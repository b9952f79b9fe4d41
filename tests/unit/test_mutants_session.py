"""Runs of pytest that record what tests reach, and that judge: in processes of their own, on tests made for it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benches.mutants.areas import ROOT
from benches.mutants.judge import Run, read_run

TESTS = """
import subprocess, sys
import pytest

MAP = {map!r}
MARK = "import sys; file = open(sys.argv[1], 'r+b'); file.seek(int(sys.argv[2])); file.write(bytes([1]))"

def reach(number):
    subprocess.run([sys.executable, "-I", "-c", MARK, MAP, str(number)], check=True)

@pytest.fixture(scope="module")
def shared():
    reach(1)

def test_first(shared):
    reach(2)

def test_second(shared):
    pass

def test_third():
    reach(3)
    raise AssertionError
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with three tests, of which the last one fails, and an empty map."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow: slow\n")
    (tmp_path / "reached.map").write_bytes(bytes(8))
    tests = TESTS.format(map=str(tmp_path / "reached.map"))
    (tmp_path / "test_it.py").write_text(tests)
    return tmp_path


def _run(project: Path, **specification: Any) -> tuple[int, list[str]]:
    file = project / "specification.json"
    out = project / "out"
    document = {"files": ["test_it.py"], "options": [], "out": str(out), **specification}
    file.write_text(json.dumps(document))
    done = subprocess.run(
        [sys.executable, ROOT / "benches" / "mutants" / "session.py", file],
        cwd=project,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, out.read_text().splitlines()


def test_marks_of_other_processes_count_and_a_shared_fixture_belongs_to_all_its_tests(
    project: Path,
) -> None:
    _, rows = _run(project, kind="record", maps=[str(project / "reached.map")])
    found = {row["test"]: row for row in map(json.loads, rows)}
    assert {name: (row["reached"], row["passed"]) for name, row in found.items()} == {
        "test_it.py::test_first": (["6"], True),
        "test_it.py::test_second": (["2"], True),
        "test_it.py::test_third": (["8"], False),
    }


def test_chosen_tests_run_in_their_order_until_one_fails(project: Path) -> None:
    tests = ["test_it.py::test_third", "test_it.py::test_first"]
    code, rows = _run(project, kind="judge", tests=tests[::-1], options=["-x"])
    assert (code, rows) == (
        1,
        [f"start {tests[1]}", f"start {tests[0]}", f"failed {tests[0]}"],
    )
    _, rows = _run(project, kind="judge", tests=tests[1:], options=["-x"])
    assert rows[3:] == [f"start {tests[1]}"]


@pytest.mark.parametrize(
    ("rows", "code", "run"),
    [
        (["start a", "start b"], 0, Run(started=2)),
        (["start a", "failed a"], 1, Run("a", 1)),
        (["start a"], None, Run(started=1, is_complete=False)),
        (["start a", "failed a"], None, Run("a", 1)),
        (["start a", "start b"], -1, Run("b", 2)),
        ([], -1, Run("loading the tests")),
        ([], 2, Run("loading the tests")),
        ([], 4, Run("loading the tests")),
    ],
)
def test_what_a_run_left_is_read(
    tmp_path: Path, rows: list[str], code: int | None, run: Run
) -> None:
    out = tmp_path / "out"
    out.write_text("".join(f"{row}\n" for row in rows))
    assert read_run(out, code) == run
