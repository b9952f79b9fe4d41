"""Hold the edges of our graph against what is known to be right."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from benches.quality.graph.records import Truth


class EdgeTarget(Protocol):
    """A definition that an edge may lead to."""

    @property
    def path(self) -> str:
        """File, relative to the workspace's root."""

    @property
    def line(self) -> int:
        """Line of the defined name, from 1."""

    @property
    def qualified_name(self) -> str:
        """Name with its scopes."""


class Edge(Protocol):
    """An edge of our graph, as the workspace gives it."""

    @property
    def line(self) -> int:
        """Line of the name that refers, from 1."""

    @property
    def column(self) -> int:
        """Column of that name, in bytes from 0."""

    @property
    def kind(self) -> str:
        """Such as `call` or `import`."""

    @property
    def how(self) -> str:
        """How it was resolved."""

    @property
    def confidence(self) -> float:
        """From 0 to 1."""

    @property
    def is_resolved(self) -> bool:
        """Whether the graph claims to know the target."""

    @property
    def targets(self) -> Sequence[EdgeTarget]:
        """The definition, or the candidates."""

    @property
    def declared(self) -> tuple[int, int] | None:
        """Line and column of the parameter or local variable of the same file that is called, if that is the answer."""


class Outcome(Enum):
    """What became of a call site."""

    RIGHT = "resolved to the right definition"
    WRONG = "resolved to another definition"
    INVENTED = "resolved, but what is called lies outside the project"
    CANDIDATE = "ambiguous, with the right definition among the candidates"
    ASTRAY = "ambiguous, without the right definition"
    MISSING = "no target, but it lies in the project"
    OUTSIDE = "not resolved, and what is called lies outside the project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One call site, judged."""

    truth: Truth
    edge: Edge | None
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Counts of one language, and what follows from them."""

    outcomes: Mapping[Outcome, int]
    targets_of_resolved: int
    local: int

    @property
    def sites(self) -> int:
        """All sites with a known truth."""
        return sum(self.outcomes.values())

    @property
    def external(self) -> int:
        """Sites whose callee lies outside the project."""
        return self.outcomes[Outcome.INVENTED] + self.outcomes[Outcome.OUTSIDE]

    @property
    def inside(self) -> int:
        """Sites whose callee lies in the project."""
        return self.sites - self.external

    @property
    def resolved(self) -> int:
        """Edges that the graph claims to know."""
        return sum(self.outcomes[each] for each in (Outcome.RIGHT, Outcome.WRONG, Outcome.INVENTED))

    @property
    def precision(self) -> float:
        """Share of resolved edges that are right."""
        return _share(self.outcomes[Outcome.RIGHT], self.resolved)

    @property
    def recall(self) -> float:
        """Share of the sites inside that are resolved and right."""
        return _share(self.outcomes[Outcome.RIGHT], self.inside)

    @property
    def candidates(self) -> float:
        """Share of the sites inside that are ambiguous with the right candidate."""
        return _share(self.outcomes[Outcome.CANDIDATE], self.inside)

    @property
    def targets_per_resolved(self) -> float:
        """How many targets a resolved edge has; above 1, precision is cheap."""
        return _share(self.targets_of_resolved, self.resolved)


def is_claim(edge: Edge) -> bool:
    """Whether the graph says that it knows what is called: a definition, or a parameter or a local variable."""
    return edge.declared is not None or (edge.is_resolved and bool(edge.targets))


def judge(truths: Iterable[Truth], edges: Mapping[str, Sequence[Edge]]) -> list[Verdict]:
    """Judge each site by the edges of its file (`edges` by path)."""
    at: dict[tuple[str, int, int], list[Edge]] = defaultdict(list)
    for path, found in edges.items():
        for edge in found:
            at[path, edge.line, edge.column].append(edge)
    return [_verdict(truth, at.get((truth.path, truth.line, truth.column), [])) for truth in truths]


def figures(verdicts: Sequence[Verdict]) -> Figures:
    """Count."""
    counts = dict.fromkeys(Outcome, 0)
    for each in verdicts:
        counts[each.outcome] += 1
    targets = sum(
        max(1, len(each.edge.targets)) for each in verdicts if each.edge and is_claim(each.edge)
    )
    local = sum(each.truth.is_local for each in verdicts)
    return Figures(outcomes=counts, targets_of_resolved=targets, local=local)


def _verdict(truth: Truth, edges: Sequence[Edge]) -> Verdict:
    # One name may give several edges, such as a call and an import: the surest speaks for it.
    edge = max(
        edges,
        key=lambda each: (is_claim(each), bool(each.targets), each.confidence),
        default=None,
    )
    return Verdict(truth=truth, edge=edge, outcome=_outcome(truth, edge))


def _outcome(truth: Truth, edge: Edge | None) -> Outcome:
    claims = edge is not None and is_claim(edge)
    if truth.is_external:
        return Outcome.INVENTED if claims else Outcome.OUTSIDE
    if edge is None or not (edge.targets or edge.declared):
        return Outcome.MISSING
    known = {(each.path, each.line) for each in truth.targets}
    named = {(each.path, each.line) for each in edge.targets}
    if edge.declared:
        named.add((truth.path, edge.declared[0]))
    hits = not known.isdisjoint(named)
    if claims:
        return Outcome.RIGHT if hits else Outcome.WRONG
    return Outcome.CANDIDATE if hits else Outcome.ASTRAY


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
