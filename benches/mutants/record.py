"""Recording what each test reaches, in a tree with probes in every block."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benches.mutants.areas import ROOT, load_areas
from benches.mutants.core import Core
from benches.mutants.probes import PYTHON_MAP, REACHED_MODULE, blocks_of, with_probes
from benches.mutants.recording import Recording
from benches.mutants.rust_mutants import rust_mutants
from benches.mutants.switch import FIRST_MARK
from benches.mutants.tree import WORK, Tree

_NEVER = ("tests/tidy/",)
"""Tests of the sources' own text: they would notice every mutant, and every probe, without running it."""


AT_ONCE = 12
"""How many files of tests are recorded in one process; what was recorded outlives an interruption after each."""


def files_of_tests() -> list[str]:
    """Every file of tests that may judge a mutant."""
    files = (path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py"))
    return sorted(file for file in files if not file.startswith(_NEVER))


def record(*, with_core: bool, fresh: bool = False, only: Sequence[str] = ()) -> Recording:
    """Brings the recording up to date: files of tests that changed are run once, with probes."""
    recording = Recording() if fresh else Recording.load()
    outdated = recording.outdated(files_of_tests(), with_core=with_core)
    files = [file for file in outdated if not only or file in only]
    wants_core = with_core and not any(name.startswith("rust:") for name in recording.tests)
    if not files and not wants_core:
        return recording
    print(f"recording what {len(files)} files of tests reach …", flush=True)
    tree = Tree()
    numbers = _place_probes(tree)
    core = _build_core(tree) if with_core else None
    maps = [tree.root / PYTHON_MAP]
    keys: list[dict[int, str]] = [{number: key for key, number in numbers.items()}]
    if core is not None:
        maps += [core.maps()[0]]
        keys += [{number + FIRST_MARK: one.key for one, number in core.marks.items()}]
    of_block = recording.number_blocks(key for one in keys for key in one.values())
    places = [{number: of_block[key] for number, key in one.items()} for one in keys]
    for first in range(0, len(files), AT_ONCE):
        some = files[first : first + AT_ONCE]
        rows = _run(tree, some, maps)
        tests = {row[0]: (row[1], _translated(row[2], places)) for row in rows}
        recording.replace(some, tests, with_core=with_core)
        recording.save()
    if core is not None:
        recording.replace([], _record_core(core, places[1]), with_core=True)
        recording.save()
    return recording


def _place_probes(tree: Tree) -> dict[str, int]:
    numbers: dict[str, int] = {}
    package = ROOT / "python" / "codecairn"
    for file in sorted(package.rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        text = file.read_text(encoding="utf-8")
        first = len(numbers)
        for block in blocks_of(text, path):
            numbers[block.key] = len(numbers)
        tree.write(path, with_probes(text, path, first))
    tree.write("python/codecairn/_probes.py", REACHED_MODULE)
    file = tree.root / PYTHON_MAP
    file.write_bytes(bytes(len(numbers)))
    file.chmod(0o666)
    return numbers


def _build_core(tree: Tree) -> Core:
    areas = load_areas()
    rust = {path: area for path, area in areas.files().items() if path.endswith(".rs")}
    _, functions = rust_mutants(rust)
    core = Core(tree, functions, {one: number for number, one in enumerate(functions)})
    core.build([])
    return core


def _run(
    tree: Tree, files: Sequence[str], maps: Sequence[Path]
) -> list[tuple[str, float, list[int]]]:
    out = WORK / "recorded.jsonl"
    out.unlink(missing_ok=True)
    specification = WORK / "record.json"
    document = {
        "kind": "record",
        "maps": [str(file) for file in maps],
        "files": list(files),
        "options": [],
        "out": str(out),
    }
    specification.write_text(json.dumps(document), encoding="utf-8")
    start = time.monotonic()
    with (WORK / "record.log").open("w", encoding="utf-8") as log:
        subprocess.run(
            [tree.python, "-m", "benches.mutants.session", specification],
            cwd=tree.root,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    if not out.is_file():
        sys.exit(f"no test was recorded: see {WORK / 'record.log'}")
    rows = [json.loads(row) for row in out.read_text(encoding="utf-8").splitlines()]
    left_out = [row["test"] for row in rows if not row["passed"]]
    took = f"{time.monotonic() - start:.0f} s"
    print(f"{len(rows)} tests in {took}, without {len(left_out)} that failed or were skipped")
    sys.stdout.flush()
    return [
        (row["test"], row["seconds"], [int(bits, 16) for bits in row["reached"]])
        for row in rows
        if row["passed"]
    ]


def _record_core(core: Core, places: dict[int, int]) -> dict[str, tuple[float, int]]:
    found = {}
    file = core.maps()[-1]
    for test in core.tests():
        file.write_bytes(bytes(file.stat().st_size))
        passes, seconds = core.run_test(test, timeout_s=120)
        if passes:
            marks = [number for number, byte in enumerate(file.read_bytes()) if byte]
            bits = sum(1 << places[number] for number in marks if number in places)
            found[test] = (round(seconds, 3), bits)
    return found


def _translated(reached: Sequence[int], places: Sequence[dict[int, int]]) -> int:
    bits = 0
    for marks, numbers in zip(reached, places, strict=True):
        for number, place in numbers.items():
            if marks >> number & 1:
                bits |= 1 << place
    return bits
