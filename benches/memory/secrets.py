"""What privacy finds of planted secrets, and what it takes for a secret in real text.

python -m benches.memory.secrets [--judge] [--out FILE] [FILE or FOLDER ...]

Without a path: recall over the forms of tests/fixtures/secrets, by part, and redactions of its lines without a secret; what is
missed and what is redacted falsely is shown. `--judge` counts the part that judges, too, and is for when the rules are done.
With paths: redactions per 1,000 lines of their text, each shown, for people to say which are false.
"""

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benches.results import Figure, Results, default_folder
from codecairn.core.memory_engine import redacted
from tests.support.secret_forms import benign_lines, forms, recent_forms

MARK = re.compile(r"\[REDACTED(?::[a-z0-9-]+)?\]")
MAX_BYTES = 2_000_000
SHOWN = 60
"""Characters on either side of a redaction that is shown."""


def recall(results: Results, *, with_judge: bool) -> None:
    """Counts how many forms of each part are redacted without a leak."""
    counts: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for form in (*forms(), *recent_forms()):
        if form.part == "judge" and not with_judge:
            continue
        counts[form.part] += 1
        kept = redacted(form.text)[0]
        if form.leaks(kept):
            print(f"missed, {form.part}: {kept!r}")
        else:
            found[form.part] += 1
    for part, count in counts.items():
        share = f"{found[part] / count:.3f}"
        measure = f"secrets: {part}, redacted of {count}"
        results.add(Figure(measure=measure, value=found[part], note=share))


def false_redactions(results: Results) -> None:
    """Counts the lines without a secret that lose something."""
    lines = benign_lines()
    changed = 0
    for line in lines:
        kept = redacted(line)[0]
        if kept != line:
            changed += 1
            print(f"false: {line!r} -> {kept!r}")
    note = f"{1000 * changed / len(lines):.2f} per 1,000"
    measure = f"secrets: redacted of {len(lines):,} lines without one"
    results.add(Figure(measure=measure, value=changed, note=note))


def texts(paths: list[Path]) -> Iterator[tuple[Path, str]]:
    """The files below the paths that are text."""
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if not file.is_file() or ".git" in file.parts or file.stat().st_size > MAX_BYTES:
                continue
            content = file.read_bytes()
            if b"\0" not in content:
                yield file, content.decode("utf-8", "replace")


def redactions(paths: list[Path]) -> None:
    """Prints each redaction with the text around it, and how many there are per 1,000 lines."""
    lines = count = size = 0
    spent = 0.0
    for file, text in texts(paths):
        start = time.process_time()
        kept, _, secrets = redacted(text)
        spent += time.process_time() - start
        lines += text.count("\n") + 1
        size += len(text.encode())
        count += secrets
        for mark in MARK.finditer(kept) if secrets else ():
            around = kept[max(0, mark.start() - SHOWN) : mark.end() + SHOWN]
            print(f"{file}: {' '.join(around.split())}")
    if lines:
        rate = 1000 * count / lines
        print(
            f"{count} in {lines:,} lines, {rate:.2f} per 1,000; {spent / size * 1e9:.1f} ns a byte"
        )


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--judge", action="store_true")
    parser.add_argument(
        "--out", type=Path, help="the file of the results (default: benches/runs/…/secrets.json)"
    )
    parser.add_argument("paths", nargs="*", type=Path)
    given = parser.parse_args()
    if given.paths:
        redactions(given.paths)
    else:
        results = Results("Secrets")
        recall(results, with_judge=given.judge)
        false_redactions(results)
        results.write(given.out or default_folder() / "secrets.json")


if __name__ == "__main__":
    main()
