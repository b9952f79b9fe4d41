"""Our graph beside its peers: shares with their counts and intervals, for each language and over all."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benches.quality.graph.judging import Figures, Outcome, Verdict, figures
from benches.quality.graph.reporting import Judged
from benches.results import Figure
from codecairn.graph.candidates import candidates

_OVERALL = "all"
# Quantile of the normal distribution for an interval of 95 %.
_QUANTILE = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share with its counts."""

    part: int
    whole: int

    @property
    def value(self) -> float:
        """From 0 to 1; 0 of nothing."""
        return self.part / self.whole if self.whole else 0.0

    def interval(self) -> tuple[float, float]:
        """Wilson's score interval of 95 %."""
        if not self.whole:
            return 0.0, 1.0
        square = _QUANTILE**2 / self.whole
        middle = (self.value + square / 2) / (1 + square)
        spread = self.value * (1 - self.value) / self.whole + square / (4 * self.whole)
        half = _QUANTILE * math.sqrt(spread) / (1 + square)
        return middle - half, middle + half


def by_language(judged: Sequence[Judged]) -> dict[str, list[Verdict]]:
    """The verdicts of each language, its projects put together, and last those of all languages."""
    pooled: dict[str, list[Verdict]] = {}
    for each in sorted(judged, key=lambda each: each.header.language):
        pooled.setdefault(each.header.language, []).extend(each.verdicts)
    pooled[_OVERALL] = [verdict for each in judged for verdict in each.verdicts]
    return pooled


def shares(verdicts: Sequence[Verdict]) -> dict[str, Share]:
    """Precision of facts, recall, and recall apart where a symbol is called, and a parameter or a local variable."""
    counted: Figures = figures(verdicts)
    right = counted.outcomes[Outcome.RIGHT]
    symbols = [each for each in verdicts if not each.truth.is_local]
    of_symbols, of_locals = figures(symbols), counted.local
    return {
        "precision": Share(part=right, whole=counted.resolved),
        "recall": Share(part=right, whole=counted.inside),
        "recall of symbols": Share(
            part=of_symbols.outcomes[Outcome.RIGHT], whole=of_symbols.inside
        ),
        "recall of locals": Share(part=right - of_symbols.outcomes[Outcome.RIGHT], whole=of_locals),
    }


def candidate_shares(verdicts: Sequence[Verdict]) -> dict[str, Share]:
    """How often a shown candidate of our graph is right: of the sites that have any, and of all of their rows.

    A candidate at a site whose callee lies outside the project is wrong.
    """
    sites = right_sites = rows = right_rows = 0
    for verdict in verdicts:
        edge = verdict.edge
        shown = candidates([edge]).shown if edge is not None else ()  # type: ignore[list-item]
        if edge is None or not shown:
            continue
        known = {(target.path, target.line) for target in verdict.truth.targets}
        targets = [each for each in edge.targets if candidates([edge], [each]).shown]  # type: ignore[list-item]
        right = sum((each.path, each.line) in known for each in targets)
        sites += 1
        right_sites += right > 0
        rows += len(targets)
        right_rows += right
    return {
        "sites with a right candidate": Share(part=right_sites, whole=sites),
        "right candidates": Share(part=right_rows, whole=rows),
    }


def compared(tools: Mapping[str, Sequence[Judged]], *, part: str) -> Iterator[Figure]:
    """Every share of every tool and language as a figure with its interval and counts."""
    for tool, judged in tools.items():
        for language, verdicts in by_language(judged).items():
            for name, share in shares(verdicts).items():
                yield _figure(f"graph {name}, {part}: {language}, {tool}", share)
    ours = next(iter(tools.values()))
    for language, verdicts in by_language(ours).items():
        for name, share in candidate_shares(verdicts).items():
            yield _figure(f"graph {name}, {part}: {language}", share)


def comparison(tools: Mapping[str, Sequence[Judged]]) -> str:
    """A row for each language: its sites, and precision and recall of each tool, in Markdown."""
    pooled = {tool: by_language(judged) for tool, judged in tools.items()}
    first = next(iter(pooled.values()))
    lines = [
        f"| language | sites | {' | '.join(tools)} |",
        f"|---|---|{'---|' * len(tools)}",
    ]
    for language, verdicts in first.items():
        cells = [language, str(len(verdicts))]
        for each in pooled.values():
            found = shares(each[language])
            cells.append(f"{found['precision'].value:.3f} / {found['recall'].value:.3f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _figure(measure: str, share: Share) -> Figure:
    low, high = share.interval()
    return Figure(
        measure=measure,
        value=share.value,
        low=low,
        high=high,
        note=f"{share.part} of {share.whole}",
    )
