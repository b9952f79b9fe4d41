"""Fuzz every external scanner that is written by hand, with AddressSanitizer and UndefinedBehaviorSanitizer.

python -m benches.scanners OUT.json [--seconds 300] [--language ruby ...]

Needs gcc. Scanners and tree-sitter's runtime are built with the sanitizers and everything else as the grammars' crates say,
so what is fuzzed is what is shipped: each scanner in the wrapper that keeps it to its room. Seconds are processor time,
for each grammar. Findings are distinguished by their place in the code; their texts are written next to OUT;
after one the next seed is tried, until the time is used up. The document also has the table of what reading the scanners
gave.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from benches.results import Figure, head, save
from benches.scanners.audit import AUDIT

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "target" / "sanitized"
TRIPLE = "x86_64-unknown-linux-gnu"
CORPUS = ROOT / "native" / "crates" / "syntax" / "tests" / "corpus"

MAX_FINDINGS = 40
"""A scanner that fails more often is left alone until that is mended."""

TOO_LONG = 3
"""The exit status after a text whose parse did not end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzed:
    """The result of fuzzing one grammar.

    Attributes:
        findings: What ended the process, with how often it was met.
        undefined: Undefined behaviour that ended no process, with in how many processes it was met.
    """

    language: str
    seconds: float
    texts: int
    bytes: int
    findings: tuple[tuple[str, int], ...]
    undefined: tuple[tuple[str, int], ...] = ()


def main() -> None:
    """Build, fuzz, and write the findings."""
    parser = argparse.ArgumentParser(prog="python -m benches.scanners")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--language", action="append")
    parser.add_argument("--program", type=Path, help="a program that is built already")
    options = parser.parse_args()
    program = options.program or build()
    languages = options.language or [row.language for row in AUDIT if row.is_written_by_hand]
    fuzzed: list[Fuzzed] = []
    for language in languages:
        fuzzed.append(fuzz(program, language, options.seconds, options.out.parent))
        print(json.dumps(asdict(fuzzed[-1])), flush=True)
        write(options.out, fuzzed)
    sys.exit(1 if any(each.findings for each in fuzzed) else 0)


def build() -> Path:
    """The program, which is built first."""
    environment = os.environ | {
        "CC": str(Path(__file__).parent / "cc"),
        "BUILT": str(ROOT / "target" / "debug" / "build"),
    }
    command = ["cargo", "rustc", "--quiet", "--locked", "--package", "codecairn-grammars"]
    command += ["--example", "fuzz_scanner", "--target", TRIPLE, "--target-dir", str(TARGET)]
    command += ["--", "-Clink-arg=-lasan", "-Clink-arg=-lubsan"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return TARGET / TRIPLE / "debug" / "examples" / "fuzz_scanner"


def fuzz(program: Path, language: str, seconds: float, folder: Path) -> Fuzzed:
    """Fuzz one grammar for some seconds of processor time."""
    folder.mkdir(parents=True, exist_ok=True)
    current = folder / f"current-{language}"
    seeds = sorted(map(str, (CORPUS / language).iterdir()))
    runtime = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    environment = os.environ | {
        # Rust puts other libraries before it, where its functions come too late.
        "LD_PRELOAD": runtime.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=16:malloc_context_size=4",
        "UBSAN_OPTIONS": "print_stacktrace=0",
    }
    findings: Counter[str] = Counter()
    undefined: Counter[str] = Counter()
    texts = length = seed = 0
    spent, before = 0.0, _processor_seconds()
    while spent < seconds and findings.total() < MAX_FINDINGS:
        seed += 1
        done = subprocess.run(
            [program, language, str(seconds - spent), str(seed), current, *seeds],
            capture_output=True, env=environment, check=False,
        )  # fmt: skip
        spent = _processor_seconds() - before
        report = done.stderr.decode(errors="replace")
        undefined.update({name(line) for line in report.splitlines() if "runtime error" in line})
        if done.stdout:
            counts = json.loads(done.stdout)
            texts, length = texts + counts["texts"], length + counts["bytes"]
        if done.returncode != 0:
            findings[fatal(done.returncode, report)] += 1
            if current.exists():
                current.replace(folder / f"finding-{language}-{seed}")
    current.unlink(missing_ok=True)
    return Fuzzed(
        language=language, seconds=round(spent, 1), texts=texts, bytes=length,
        findings=tuple(findings.most_common()), undefined=tuple(undefined.most_common()),
    )  # fmt: skip


def _processor_seconds() -> float:
    """The processor time of all processes that have ended here."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def name(line: str) -> str:
    """A report of undefined behaviour, without values that differ from run to run."""
    place, _, message = line.partition(": runtime error: ")
    return f"{_short(place)}: {re.sub(r'0x[0-9a-f]+|-?[0-9]{3,}', 'N', message)}"


def fatal(status: int, report: str) -> str:
    """How a process ended, and where."""
    if status == TOO_LONG:
        return "the parse does not end"
    assertion = re.search(r"\S+: (\S+:\d+: \S+: Assertion .+ failed)", report)
    if assertion:
        return _short(assertion[1])
    summary = re.search(r"SUMMARY: AddressSanitizer: (\S+) (.+)", report)
    if summary:
        return f"{summary[1]} in {_short(summary[2])}"
    return f"ended with {status}"


def _short(place: str) -> str:
    """A place without the folders above its crate."""
    return re.sub(r"\S*/registry/src/[^/]+/", "", place)


def write(out: Path, fuzzed: list[Fuzzed]) -> None:
    """Write the findings so far, with the audit."""
    figures = [
        Figure(measure="scanners: fuzzed", value=len(fuzzed), unit="scanners"),
        Figure(
            measure="scanners: fuzzed for", value=sum(each.seconds for each in fuzzed), unit="s"
        ),
        Figure(measure="scanners: texts", value=sum(each.texts for each in fuzzed), unit="texts"),
        Figure(measure="scanners: findings", value=sum(len(each.findings) for each in fuzzed)),
    ]
    document = head("External scanners: findings of an audit and of fuzzing")
    document |= {"figures": [figure.row() for figure in figures]}  # type: ignore[dict-item]
    document |= {"audit": [asdict(row) for row in AUDIT]}  # type: ignore[dict-item]
    document |= {"fuzzed": [asdict(each) for each in fuzzed]}  # type: ignore[dict-item]
    save(out, document)


if __name__ == "__main__":
    main()
