"""Whether tests notice a mutant: those that run it are run, the most promising first, until one fails."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from benches.mutants.areas import ROOT
from benches.mutants.core import Core
from benches.mutants.mutant import Mutant, Outcome, Verdict
from benches.mutants.recording import Recording
from benches.mutants.rust_mutants import Function
from benches.mutants.tree import WORK, Tree

FIRST = 40
"""How many tests are run before the others: nearly every mutant that is noticed is noticed by them."""

_MIN_TEST_S = 20.0
_TEST_TAKES_LONGER = 10.0
"""A test that takes so many times longer than it did when it was recorded hangs, and so notices."""


@dataclass
class Run:
    """What one run of some tests came to."""

    failed: str = ""
    started: int = 0
    is_complete: bool = True


@dataclass
class Judge:
    """Judges mutants in one tree, one after the other."""

    tree: Tree
    recording: Recording
    limit_s: float
    core: Core | None = None
    functions: Sequence[Function] = ()

    def judge(self, mutant: Mutant) -> Verdict:
        """What becomes of one mutant."""
        start = time.monotonic()
        text = (ROOT / mutant.path).read_text(encoding="utf-8")
        if not self._is_viable(mutant, text):
            return Verdict(mutant, Outcome.UNVIABLE)
        tests = self.recording.tests_of(mutant, text, list(self.functions))
        if not tests:
            return Verdict(mutant, Outcome.UNREACHED)
        self._place(mutant, text)
        try:
            run = self._run(tests, start + self.limit_s)
        finally:
            self._remove(mutant)
        outcome = Outcome.SURVIVED if run.is_complete else Outcome.UNFINISHED
        seconds = round(time.monotonic() - start, 1)
        return Verdict(
            mutant, Outcome.NOTICED if run.failed else outcome, run.failed, run.started, seconds
        )

    def fails_without(self, tests: Sequence[str]) -> set[str]:
        """Which of these tests fail where no mutant holds: they notice nothing."""
        return {test for test in tests if self._run([test], time.monotonic() + 120).failed}

    def _is_viable(self, mutant: Mutant, text: str) -> bool:
        if mutant.is_rust:
            return self.core is not None and mutant not in self.core.unviable
        try:
            compile(mutant.apply(text), mutant.path, "exec")
        except SyntaxError:
            return False
        return True

    def _place(self, mutant: Mutant, text: str) -> None:
        if self.core is not None and mutant.is_rust:
            self.core.hold(mutant)
        else:
            self.tree.write(mutant.path, mutant.apply(text))

    def _remove(self, mutant: Mutant) -> None:
        if self.core is not None and mutant.is_rust:
            self.core.hold(None)
        else:
            self.tree.restore(mutant.path)

    def _run(self, tests: Sequence[str], until: float) -> Run:
        """Runs tests until one fails: the core's own, then the first of Python's, then the rest."""
        own = [test for test in tests if test.startswith("rust:")]
        others = [test for test in tests if not test.startswith("rust:")]
        groups: list[tuple[Sequence[str], Callable[[Sequence[str], float], Run]]] = [
            (own, self._run_core),
            (others[:FIRST], self._run_pytest),
            (others[FIRST:], self._run_pytest),
        ]
        whole = Run()
        for group, run in groups:
            if not group:
                continue
            part = run(group, until)
            whole = Run(part.failed, whole.started + part.started, part.is_complete)
            if part.failed or not part.is_complete:
                break
        return whole

    def _run_core(self, tests: Sequence[str], until: float) -> Run:
        run = Run()
        for test in tests:
            if self.core is None or time.monotonic() > until:
                return Run(started=run.started, is_complete=False)
            passes, _ = self.core.run_test(test, self._limit_of(test))
            run = Run(started=run.started + 1)
            if not passes:
                return Run(test, run.started)
        return run

    def _run_pytest(self, tests: Sequence[str], until: float) -> Run:
        if time.monotonic() > until:
            return Run(is_complete=False)
        out = WORK / f"{self.tree.root.name}.out"
        out.write_text("", encoding="utf-8")
        specification = WORK / f"{self.tree.root.name}.json"
        longest = max(self._limit_of(test) for test in tests)
        document = {
            "kind": "judge",
            "tests": list(tests),
            "files": sorted({test.partition("::")[0] for test in tests}),
            "options": ["-x", f"--timeout={longest:.0f}"],
            "out": str(out),
        }
        specification.write_text(json.dumps(document), encoding="utf-8")
        with (WORK / f"{self.tree.root.name}.log").open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [self.tree.python, "-m", "benches.mutants.session", specification],
                cwd=self.tree.root,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            code = self._wait(process, out, until)
        return read_run(out, code)

    def _wait(self, process: subprocess.Popen[bytes], out: Path, until: float) -> int | None:
        """The exit code; `None` where the time was up, and -1 where a test hung."""
        while True:
            try:
                return process.wait(timeout=0.5)
            except subprocess.TimeoutExpired:
                hangs = _age_s(out) > self._limit_of(_last(out))
                if hangs or time.monotonic() > until:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    return -1 if hangs else None

    def _limit_of(self, test: str) -> float:
        seconds = self.recording.tests.get(test, (0.0, 0))[0]
        return max(_MIN_TEST_S, _TEST_TAKES_LONGER * seconds)


def _age_s(file: Path) -> float:
    """How long ago a file was written."""
    return datetime.now(timezone.utc).timestamp() - file.stat().st_mtime


def _last(out: Path) -> str:
    """The test that was started last."""
    started = [
        row for row in out.read_text(encoding="utf-8").splitlines() if row.startswith("start ")
    ]
    return started[-1].removeprefix("start ") if started else ""


def read_run(out: Path, code: int | None) -> Run:
    """What a run left: `code` is `None` where its time was up, and -1 where a test hung."""
    rows = out.read_text(encoding="utf-8").splitlines()
    started = sum(row.startswith("start ") for row in rows)
    failed = [row.removeprefix("failed ") for row in rows if row.startswith("failed ")]
    if failed:
        return Run(failed[0], started)
    if code is None:
        return Run(started=started, is_complete=False)
    if code == -1:
        return Run(_last(out) or "loading the tests", started)
    if code != 0:
        return Run("loading the tests", started)
    return Run(started=started)
