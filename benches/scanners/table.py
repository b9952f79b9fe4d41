"""Join runs of the scanners' fuzzing, which takes hours, and write the page that shows them with the audit.

python -m benches.scanners.table OUT.json RUN.json ...

Of several runs of one grammar the last one given counts.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from benches.results import RUNS
from benches.scanners.__main__ import Fuzzed, write
from benches.scanners.audit import AUDIT, Audited

README = Path(__file__).parent / "README.md"

_INTRODUCTION = """# External scanners

`python -m benches.scanners OUT.json --seconds 300` fuzzes every scanner that is written by hand, in its wrapper and under the
sanitizers, with the limits of the engine; the slow tests do so for `SCANNER_SECONDS`. Runs are joined, and this page is made, by
`python -m benches.scanners.table OUT.json RUN.json ...`. The findings of reading the scanners are in `audit.py`. tree-sitter has 1,024
bytes for a state. The last columns are of the fuzzing recorded in `benches/runs`: processor time, texts, and open findings.

| grammar | saved state | how it is bounded | length bytes | assertions | finding | mend | fuzzed | texts | left |
|---|---|---|---|---|---|---|---:|---:|---|
"""


def main() -> None:
    """Join, write and show."""
    parser = argparse.ArgumentParser(prog="python -m benches.scanners.table")
    parser.add_argument("out", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    options = parser.parse_args()
    write(options.out, joined(row for run in options.runs for row in fuzzed(run)))
    README.write_text(page(latest(RUNS)), encoding="utf-8")


def fuzzed(run: Path) -> Iterator[Fuzzed]:
    """The grammars that were fuzzed in one run."""
    for row in json.loads(run.read_text(encoding="utf-8"))["fuzzed"]:
        pairs = {key: tuple(map(tuple, row[key])) for key in ("findings", "undefined")}
        yield Fuzzed(**row | pairs)


def joined(rows: Iterable[Fuzzed]) -> list[Fuzzed]:
    """The last row of each grammar, sorted."""
    last = {row.language: row for row in rows}
    return [last[language] for language in sorted(last)]


def latest(runs: Path) -> Path:
    """The newest run among the folders of runs, which are named by date."""
    return max(runs.glob("*/scanners.json"))


def page(run: Path) -> str:
    """The audit and one run as Markdown."""
    rows = {row.language: row for row in fuzzed(run)}
    lines = [_line(each, rows.get(each.language)) for each in AUDIT if each.is_written_by_hand]
    without = [each.language for each in AUDIT if not each.is_written_by_hand]
    return f"{_INTRODUCTION}{''.join(lines)}\nNo scanner: {', '.join(without)}.\n"


def _line(row: Audited, found: Fuzzed | None) -> str:
    cells = [row.language, row.state, row.bound, row.length_bytes or "none", row.assertions]
    cells += [row.finding, row.mend or "-"]
    if found is None:
        cells += ["not yet", "", ""]
    else:
        left = [f"{name}: {count}" for name, count in (*found.findings, *found.undefined)]
        cells += [f"{found.seconds:g} s", f"{found.texts:,}", "; ".join(left) or "-"]
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    main()
