"""What hostile texts cost: every grammar, texts of one repeated pattern, time and memory of a process for each.

cargo build --release --package codecairn-benches --example bombs
python -m benches.parsing OUT.json [--bytes 8388608] [--minutes 60] [--language java ...]

Cases run one after the other, in an order that is shuffled but always the same, so that a run that was ended early has seen
a fair sample; a run that is started again goes on where the last one ended. `--table` prints a summary of the cases.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benches.parsing.patterns import PATTERNS, PREFIXES
from benches.results import Figure, head, save

PROGRAM = Path(__file__).parents[2] / "target/release/examples/bombs"
MAX_PEAK_MB = 600.0
MAX_PROCESSOR_S = 10.0
TIMEOUT_S = 300
"""Wall time after which a case is ended; on a machine that does other work too, it says little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What one text cost. The outcome is `parsed`, the limit that stopped the parse, or how the process ended."""

    language: str
    pattern: str
    outcome: str
    wall_s: float
    processor_s: float
    peak_mb: float

    @property
    def is_within(self) -> bool:
        """Whether it kept to the limits."""
        is_cheap = self.processor_s <= MAX_PROCESSOR_S and self.peak_mb <= MAX_PEAK_MB
        return is_cheap and not self.outcome.startswith(("signal", "exit", "timeout"))


def main() -> None:
    """Measure, or sum up."""
    parser = argparse.ArgumentParser(prog="python -m benches.parsing")
    parser.add_argument("out", type=Path)
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("--bytes", type=int, default=8 << 20)
    parser.add_argument("--minutes", type=float, default=360.0)
    parser.add_argument("--language", action="append")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    cases = read(options.out)
    if options.table:
        print("\n".join(table(cases)))
        return
    deadline = time.monotonic() + options.minutes * 60
    known = {(case.language, case.pattern) for case in cases}
    for language, pattern in order(options.program, options.language):
        if (language, pattern) in known:
            continue
        if time.monotonic() > deadline:
            break
        cases.append(measure(options.program, language, pattern, options.bytes))
        print(asdict(cases[-1]) | {"within": cases[-1].is_within}, flush=True)
        rows = [asdict(case) for case in cases]
        save(
            options.out,
            head("What hostile texts cost") | {"figures": figures(cases), "cases": rows},
        )


def read(file: Path) -> list[Case]:
    """The cases of an earlier run, none if there was none."""
    if not file.exists():
        return []
    return [Case(**row) for row in json.loads(file.read_text(encoding="utf-8"))["cases"]]


def figures(cases: list[Case]) -> list[dict[str, Any]]:
    """What can be compared between runs."""
    beyond = sum(not case.is_within for case in cases)
    processor_s = max(case.processor_s for case in cases)
    peak_mb = max(case.peak_mb for case in cases)
    found = (
        Figure(measure="hostile texts: cases", value=len(cases)),
        Figure(measure="hostile texts: cases beyond the limits", value=beyond),
        Figure(measure="hostile texts: most processor time", value=processor_s, unit="s"),
        Figure(measure="hostile texts: most memory", value=peak_mb, unit="MB"),
    )
    return [figure.row() for figure in found]


def order(program: Path, chosen: list[str] | None) -> list[tuple[str, str]]:
    """All cases, shuffled."""
    languages = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    wanted = [language for language in languages if chosen is None or language in chosen]
    cases = [(language, pattern) for language in wanted for pattern in PATTERNS]
    random.Random(len(cases)).shuffle(cases)
    return cases


def measure(program: Path, language: str, pattern: str, size: int) -> Case:
    """Run one case in a process of its own."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [program, language, PREFIXES.get(language, ""), pattern, str(size)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # A runaway case is an outcome of its own instead of the end of everything else on the machine.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT_S, TIMEOUT_S)),  # noqa: PLW1509
    )
    assert process.stdout is not None
    out = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    code = process.returncode = os.waitstatus_to_exitcode(status)
    ended = f"signal {-code}" if code < 0 else f"exit {code}"
    return Case(
        language=language,
        pattern=pattern,
        outcome=json.loads(out)["outcome"] if code == 0 else ended,
        wall_s=round(time.perf_counter() - started, 3),
        processor_s=round(usage.ru_utime + usage.ru_stime, 3),
        peak_mb=round(usage.ru_maxrss * 1024 / 1e6, 1),
    )


def table(cases: list[Case]) -> Iterator[str]:
    """Languages with their worst cases, then every case beyond the limits."""
    yield "| language | cases | outcomes | most processor time | by | most memory | by |"
    yield "|---|---|---|---|---|---|---|"
    for language in sorted({case.language for case in cases}):
        some = [case for case in cases if case.language == language]
        outcomes = Counter(case.outcome for case in some)
        words = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
        slowest = max(some, key=lambda case: case.processor_s)
        largest = max(some, key=lambda case: case.peak_mb)
        yield (
            f"| {language} | {len(some)} | {words} | {slowest.processor_s:.1f} s | {code(slowest.pattern)} "
            f"| {largest.peak_mb:.0f} MB | {code(largest.pattern)} |"
        )
    beyond = [case for case in cases if not case.is_within]
    yield ""
    yield f"{len(cases)} cases, {len(beyond)} beyond {MAX_PROCESSOR_S:.0f} s or {MAX_PEAK_MB:.0f} MB or ended otherwise."
    for case in sorted(beyond, key=lambda case: (case.language, case.pattern)):
        yield (
            f"- {case.language} {code(case.pattern)}: {case.outcome}, {case.processor_s:.1f} s, {case.peak_mb:.0f} MB"
        )


def code(pattern: str) -> str:
    """A pattern as Markdown shows it, on one line and inside a table."""
    return (
        "<code>"
        + json.dumps(pattern, ensure_ascii=False)[1:-1].replace("|", "\\|").replace("<", "&lt;")
        + "</code>"
    )


if __name__ == "__main__":
    main()
