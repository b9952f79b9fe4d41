"""The results of a run: a document that is kept, and a table that is printed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benches.mutants.areas import Areas
from benches.mutants.mutant import Mutant, Outcome, Verdict
from benches.results import Figure, head

_COUNTED = [Outcome.NOTICED, Outcome.SURVIVED, Outcome.UNFINISHED, Outcome.UNREACHED]


def document(
    verdicts: Sequence[Verdict], skipped: Sequence[Mutant], areas: Areas, **settings: object
) -> dict[str, Any]:
    """The results with everything that is needed to draw the same mutants again."""
    return head("Mutants") | {
        "figures": [figure.row() for figure in _figures(verdicts)],
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


def _figures(verdicts: Sequence[Verdict]) -> Iterator[Figure]:
    """The share that was noticed, of all and by area."""
    yield Figure(measure="mutants: noticed, all areas", value=round(share(verdicts), 4))
    for area, counts in sorted(_by_area(verdicts).items()):
        noticed = counts[Outcome.NOTICED] / sum(counts.values())
        yield Figure(measure=f"mutants: noticed, {area}", value=round(noticed, 4))


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
