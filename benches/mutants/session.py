"""One run of pytest inside a tree, in a process of its own: to record what tests reach, or to judge a mutant.

python -m benches.mutants.session SPECIFICATION.json
"""

import json
import mmap
import os
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

OPTIONS = ["-q", "-m", "not slow", "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist"]
"""Without an order of chance, without other processes' caches, without other processes."""


class _Reached:
    """The map of what was run; one without effect if the tree has no probes."""

    def __init__(self, file: str) -> None:
        with Path(file).open("r+b") as opened:
            self._map = mmap.mmap(opened.fileno(), 0)
        self._size = len(self._map)

    def take(self) -> int:
        """What was run since the last time, as a set of bits."""
        taken = bytes(self._map)
        self._map[:] = bytes(self._size)
        return sum(1 << number for number, byte in enumerate(taken) if byte) if any(taken) else 0


class Recorder:
    """Writes a line for each test: what it reached, its own part of wide fixtures included, and how long it took."""

    def __init__(self, maps: list[str], out: str) -> None:
        self._maps = [_Reached(file) for file in maps]
        self._out = Path(out)
        self._of_fixtures: dict[int, list[int]] = {}
        self._reached: list[int] = []
        self._passed = True
        self._skipped = False

    def _take(self) -> list[int]:
        return [reached.take() for reached in self._maps]

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Keeps what a fixture of many tests reaches: it belongs to each of them."""
        if fixturedef.scope == "function":
            return (yield)
        before = self._take()
        try:
            return (yield)
        finally:
            made = self._take()
            self._of_fixtures[id(fixturedef)] = made
            self._reached = _joined(self._reached, _joined(before, made))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Writes what one test reached."""
        self._take()
        self._reached = [0] * len(self._maps)
        self._passed, self._skipped = True, False
        start = time.monotonic()
        result = yield
        reached = _joined(self._reached, self._take())
        for definition in _fixtures_of(item):
            reached = _joined(reached, self._of_fixtures.get(id(definition), reached))
        row = {
            "test": item.nodeid,
            "seconds": round(time.monotonic() - start, 3),
            "passed": self._passed and not self._skipped,
            "reached": [f"{bits:x}" for bits in reached],
        }
        with self._out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes whether the test passed: another one can't notice anything."""
        self._passed = self._passed and not report.failed
        self._skipped = self._skipped or report.skipped


def _fixtures_of(item: pytest.Item) -> list[object]:
    information = getattr(item, "_fixtureinfo", None)
    return (
        [one for many in information.name2fixturedefs.values() for one in many]
        if information
        else []
    )


def _joined(one: list[int], other: list[int]) -> list[int]:
    return [left | right for left, right in zip(one, other, strict=True)]


class Judge:
    """Runs chosen tests in their order, and writes each one's name before it begins."""

    def __init__(self, tests: list[str], out: str) -> None:
        self._order = {test: number for number, test in enumerate(tests)}
        self._out = Path(out)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leaves the chosen tests, in their order."""
        left = [item for item in items if item.nodeid not in self._order]
        items[:] = [item for item in items if item.nodeid in self._order]
        items.sort(key=lambda item: self._order[item.nodeid])
        config.hook.pytest_deselected(items=left)

    def _write(self, *words: str) -> None:
        with self._out.open("a", encoding="utf-8") as file:
            file.write(" ".join(words) + "\n")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Writes the name of a test that begins."""
        self._write("start", nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Writes the name of a test that fails."""
        if report.failed:
            self._write("failed", report.nodeid)


def main() -> int:
    """Runs what the specification asks for."""
    specification = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    os.environ.pop("PYTEST_ADDOPTS", None)
    sys.dont_write_bytecode = False
    plugin: Recorder | Judge
    if specification["kind"] == "record":
        plugin = Recorder(specification["maps"], specification["out"])
    else:
        plugin = Judge(specification["tests"], specification["out"])
    return pytest.main([*OPTIONS, *specification["options"], *specification["files"]], [plugin])


if __name__ == "__main__":
    sys.exit(main())
