"""Tables of how well the graph resolves, and lists of where it does not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.quality.graph.judging import Figures, Outcome, Verdict, figures
from benches.quality.graph.records import Header
from benches.results import Figure

_COLUMNS = (
    "language",
    "project",
    "server",
    "sites",
    "unknown",
    "external",
    "local",
    "resolved",
    "precision",
    "recall",
    "ambiguous, right among",
    "no target",
    "targets per resolved",
)
# What is worth studying, worst first.
_FAULTS = (Outcome.INVENTED, Outcome.WRONG, Outcome.MISSING, Outcome.ASTRAY, Outcome.CANDIDATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A project and the verdicts on its call sites."""

    header: Header
    verdicts: Sequence[Verdict]


def table(judged: Sequence[Judged]) -> str:
    """One row for each project, in Markdown."""
    lines = [f"| {' | '.join(_COLUMNS)} |", f"|{'---|' * len(_COLUMNS)}"]
    lines += [_row(each.header, figures(each.verdicts)) for each in judged]
    return "\n".join(lines)


def measured(judged: Sequence[Judged], *, part: str) -> Iterator[Figure]:
    """Precision and recall of each project; `part` says whether the rules were made with it in view."""
    for each in judged:
        counted = figures(each.verdicts)
        project = f"{part}: {each.header.language} ({each.header.project})"
        yield Figure(measure=f"graph precision, {project}", value=counted.precision)
        yield Figure(measure=f"graph recall, {project}", value=counted.recall)


def by_outcome(judged: Sequence[Judged]) -> str:
    """How many sites of each language ended how, in Markdown."""
    lines = [
        f"| outcome | {' | '.join(each.header.language for each in judged)} |",
        f"|---|{'---|' * len(judged)}",
    ]
    counted = [figures(each.verdicts).outcomes for each in judged]
    for outcome in Outcome:
        cells = " | ".join(str(counts[outcome]) for counts in counted)
        lines.append(f"| {outcome.value} | {cells} |")
    return "\n".join(lines)


def faults(judged: Judged, *, root: Path, limit: int) -> str:
    """The first `limit` sites of each kind of fault, each with its line of source."""
    return "\n".join(_faults(judged, root, limit))


def _faults(judged: Judged, root: Path, limit: int) -> Iterator[str]:
    for outcome in _FAULTS:
        bad = [each for each in judged.verdicts if each.outcome is outcome]
        if not bad:
            continue
        yield f"## {outcome.value}: {len(bad)}"
        for verdict in bad[:limit]:
            yield from _fault(verdict, root)
        yield ""


def _fault(verdict: Verdict, root: Path) -> Iterator[str]:
    truth, edge = verdict.truth, verdict.edge
    yield f"{truth.path}:{truth.line}:{truth.column} {truth.kind} {truth.name}"
    yield f"    {_line(root / truth.path, truth.line)}"
    if truth.is_external:
        yield "    right: outside"
    for target in truth.targets:
        yield f"    right: {target.path}:{target.line} {_line(root / target.path, target.line)}"
    if edge is None:
        yield "    ours:  no edge"
        return
    yield f"    ours:  {edge.kind} by {edge.how}, confidence {edge.confidence:.2f}"
    for candidate in edge.targets[:5]:
        yield f"           {candidate.path}:{candidate.line} {candidate.qualified_name}"


def _line(path: Path, number: int) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return lines[number - 1].strip()[:160] if number <= len(lines) else ""


def _row(header: Header, counted: Figures) -> str:
    right = counted.outcomes[Outcome.RIGHT]
    cells = (
        header.language,
        f"[{header.project}]({header.url}/tree/{header.revision})",
        header.version,
        str(counted.sites),
        f"{header.unknown / max(1, header.sampled):.1%}",
        f"{counted.external / max(1, counted.sites):.1%}",
        f"{counted.local / max(1, counted.inside):.1%}",
        str(counted.resolved),
        f"{counted.precision:.3f} ({right}/{counted.resolved})",
        f"{counted.recall:.3f} ({right}/{counted.inside})",
        f"{counted.candidates:.3f}",
        f"{counted.outcomes[Outcome.MISSING] / max(1, counted.inside):.3f}",
        f"{counted.targets_per_resolved:.2f}",
    )
    return f"| {' | '.join(cells)} |"
