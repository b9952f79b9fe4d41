"""What a run came to: a document for programs, a table for people."""

import json
import os
import platform
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benches.mutants.areas import ROOT, Areas
from benches.mutants.mutant import Mutant, Outcome, Verdict

_COUNTED = [Outcome.NOTICED, Outcome.SURVIVED, Outcome.UNFINISHED, Outcome.UNREACHED]


def default_folder() -> Path:
    """The folder of today's runs on this machine."""
    day = datetime.now(timezone.utc).date().isoformat()
    return ROOT / "benches" / "runs" / f"{day}-{_machine()}"


def document(
    verdicts: Sequence[Verdict], skipped: Sequence[Mutant], areas: Areas, **settings: object
) -> dict[str, Any]:
    """The results with everything that is needed to draw the same mutants again."""
    return {
        "commit": _commit(),
        "python": platform.python_version(),
        **settings,
        "noticed": round(share(verdicts), 4),
        "is_held": is_held(verdicts, areas),
        "areas": {
            area: {outcome.value: counts[outcome] for outcome in _COUNTED}
            for area, counts in _by_area(verdicts).items()
        },
        "equivalent": len(skipped),
        "mutants": [_row(verdict) for verdict in verdicts],
    }


def share(verdicts: Sequence[Verdict]) -> float:
    """The share of the mutants that were noticed; those that do not compile count for nothing."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    total = sum(counts[outcome] for outcome in _COUNTED)
    return counts[Outcome.NOTICED] / total if total else 1.0


def is_held(verdicts: Sequence[Verdict], areas: Areas) -> bool:
    """Whether enough was noticed: the share of all, and everything in the areas that are strict."""
    missed = {verdict.mutant.area for verdict in survivors(verdicts)}
    return share(verdicts) >= areas.floor and not missed & areas.strict


def survivors(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The mutants that no test noticed."""
    return [verdict for verdict in verdicts if verdict.outcome in _COUNTED[1:]]


def table(verdicts: Sequence[Verdict], areas: Areas) -> str:
    """A line for each area, and one for each survivor."""
    rows = [
        "| area | noticed | survived | of which no test runs them | share |",
        "|---|---|---|---|---|",
    ]
    for area, counts in sorted(_by_area(verdicts).items()):
        total = sum(counts[outcome] for outcome in _COUNTED)
        noticed, unreached = counts[Outcome.NOTICED], counts[Outcome.UNREACHED]
        strict = " (strict)" if area in areas.strict else ""
        rows.append(
            f"| {area}{strict} | {noticed} | {total - noticed} | {unreached} | {noticed / total:.0%} |"
        )
    left = survivors(verdicts)
    if left:
        rows += ["", "| survivor | change | outcome |", "|---|---|---|"]
    for verdict in left:
        mutant = verdict.mutant
        change = f"`{_cell(mutant.before)}` → `{_cell(mutant.after)}`"
        ran = f"{verdict.outcome.value}, {verdict.tests} tests"
        rows.append(f"| {mutant.area} {mutant.path}:{mutant.line} | {change} | {ran} |")
    return "\n".join(rows)


def write(folder: Path, results: dict[str, Any], rendered: str) -> Path:
    """Writes the document, and a rendered page of it in the same folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "mutants.json"
    file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    held = "held" if results["is_held"] else "not held"
    head = (
        f"# Mutants\n\nSeed {results['seed']}, commit {results['commit']}: "
        f"{results['noticed']:.1%} of {len(results['mutants'])} noticed; the floor is {held}.\n"
    )
    (folder / "mutants.md").write_text(f"{head}\n{rendered}\n", encoding="utf-8")
    return file


def _by_area(verdicts: Sequence[Verdict]) -> dict[str, Counter[Outcome]]:
    counts: dict[str, Counter[Outcome]] = {}
    for verdict in verdicts:
        if verdict.outcome in _COUNTED:
            counts.setdefault(verdict.mutant.area, Counter())[verdict.outcome] += 1
    return counts


def _row(verdict: Verdict) -> dict[str, Any]:
    mutant = verdict.mutant
    return {
        "area": mutant.area,
        "path": mutant.path,
        "line": mutant.line,
        "function": mutant.function,
        "operator": mutant.operator,
        "before": mutant.before,
        "after": mutant.after,
        "outcome": verdict.outcome.value,
        "by": verdict.by,
        "tests": verdict.tests,
        "seconds": verdict.seconds,
    }


def _cell(text: str) -> str:
    text = text.replace("|", "\\|").replace("`", "'")
    return text if len(text) <= 120 else f"{text[:119]}…"


def _machine() -> str:
    try:
        model = Path("/proc/cpuinfo").read_text(encoding="utf-8").lower()
    except OSError:
        model = platform.machine().lower()
    known = re.search(r"epyc|xeon|ryzen|core|neoverse|arm64|aarch64", model)
    return f"{known.group() if known else platform.machine()}-{os.cpu_count()}core"


def _commit() -> str:
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
