"""What agents were shown against what they needed, and what was stored against what was worth it."""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benches.memory.sessions.replaying import Line, Replay, replayed
from benches.memory.sessions.scripts import Ask, Label, Project
from benches.results import Figure
from codecairn.core.recall_options import RecallOptions
from codecairn.memory.recall import MIN_EVIDENCE, find, read
from codecairn.workspace.workspace import Workspace

ANSWERABLE = ("plain", "changed", "long", "cross")
_MIN_OVERLAP = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One prompt.

    Attributes:
        kind: The ask's.
        language: Of the project.
        is_shown: Whether a line with the answer was shown, at the start or with the prompt.
        is_recalled: Whether it was shown with the prompt.
        lines: Lines shown with the prompt,
        useful: and those of them that carry the answer.
    """

    kind: str
    language: str
    is_shown: bool
    is_recalled: bool
    lines: int
    useful: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One project.

    Attributes:
        outcomes: Of its prompts.
        start_tokens: Of what opens a session,
        start_lines: its lines,
        start_useful: and those that carry something worth remembering.
        facts: Facts that rules stored,
        worth: and those of them that carry something worth remembering.
        labels: What is worth remembering,
        kept: and how much of it is among the facts, with those that a later statement has ended.
        times: Whether each question about a period was answered from it alone.
    """

    outcomes: tuple[Outcome, ...]
    start_tokens: int
    start_lines: int
    start_useful: int
    facts: int
    worth: int
    labels: int
    kept: int
    times: tuple[bool, ...]


def carries(label: Label, text: str, sources: frozenset[tuple[int, int]]) -> bool:
    """Whether a text that is drawn from some events carries what a label says."""
    if not label.is_in(text):
        return False
    return (label.session, label.event) in sources or _overlap(label.statement, text) > _MIN_OVERLAP


def _overlap(statement: str, text: str) -> float:
    """The share of a statement's pairs of letters that a text has, too."""
    pairs = {statement[at : at + 4].casefold() for at in range(len(statement) - 3)}
    lowered = text.casefold()
    return sum(pair in lowered for pair in pairs) / max(len(pairs), 1)


def answers(labels: Iterable[Label], line: Line) -> bool:
    """Whether a line carries one of some labels."""
    return any(carries(label, line.text, line.sources) for label in labels)


def judged(replay: Replay, ask: Ask) -> tuple[Outcome, tuple[Line, ...], int]:
    """One prompt, with what the session began with."""
    labels = [label for label in replay.project.labels if label.id in ask.ids]
    shown = replay.ask(ask.prompt)
    useful = sum(answers(labels, line) for line in shown.prompt)
    outcome = Outcome(
        kind=ask.kind,
        language=replay.project.language,
        is_shown=useful > 0 or any(answers(labels, line) for line in shown.start),
        is_recalled=useful > 0,
        lines=len(shown.prompt),
        useful=useful,
    )
    return outcome, shown.start, shown.start_tokens


def measure(project: Project, *, with_model: bool = False) -> Measured:
    """Replay a project and ask all of its prompts."""
    with replayed(project, with_model=with_model) as replay:
        rows = [judged(replay, ask) for ask in project.asks if ask.kind != "time"]
        _, start, tokens = rows[0]
        stored = [fact for fact in replay.facts if fact.type != "session-summary"]
        of_facts = [(fact.text, replay.sources_of(fact)) for fact in stored]
        worth = [any(carries(label, *fact) for label in project.labels) for fact in of_facts]
        ever = [
            (fact.text, replay.sources_of(fact))
            for fact in replay.history
            if fact.type != "session-summary"
        ]
        kept = [any(carries(label, *fact) for fact in ever) for label in project.labels]
        return Measured(
            outcomes=tuple(row[0] for row in rows),
            start_tokens=tokens,
            start_lines=len(start),
            start_useful=sum(answers(project.labels, line) for line in start),
            facts=len(stored),
            worth=sum(worth),
            labels=len(project.labels),
            kept=sum(kept),
            times=tuple(is_of_period(replay, ask) for ask in project.asks if ask.kind == "time"),
        )


def is_of_period(replay: Replay, ask: Ask) -> bool:
    """Whether a question about a period finds something, and only of the sessions in it; nothing where there were none."""
    with Workspace.open(replay.root) as workspace:
        found = find(
            workspace.memory.engine(),
            ask.prompt,
            read(ask.prompt, now_ms=replay.asked_ms),
            RecallOptions(limit=10, filter={}, least_evidence=MIN_EVIDENCE),
        )
    of_sessions = {session for hit in found for session, _ in replay.sources_of_hit(hit)}
    return of_sessions <= set(ask.sessions) and bool(of_sessions) == bool(ask.sessions)


def figures(measured: Sequence[Measured]) -> Iterator[Figure]:
    """Shares over all projects, in per cent."""
    outcomes = [outcome for each in measured for outcome in each.outcomes]

    def share(name: str, values: Sequence[float]) -> Figure:
        value = 100 * statistics.mean(values) if values else 0.0
        return Figure(measure=name, value=value, unit="%", note=f"{len(values)} prompts")

    for kind in ANSWERABLE:
        of_kind = [each for each in outcomes if each.kind == kind]
        yield share(f"{kind}: answer shown", [each.is_shown for each in of_kind])
        yield share(f"{kind}: answer shown with the prompt", [each.is_recalled for each in of_kind])
    own = [each for each in outcomes if each.kind in ("plain", "changed", "long")]
    yield share("answerable: answer shown", [each.is_shown for each in own])
    for language in sorted({each.language for each in outcomes}):
        of_language = [each.is_shown for each in own if each.language == language]
        yield share(f"answerable, {language}: answer shown", of_language)
    for kind in ("near", "none"):
        yield share(
            f"{kind}: anything shown", [each.lines > 0 for each in outcomes if each.kind == kind]
        )
    yield share("time: only of the period", [is_so for each in measured for is_so in each.times])
    lines, useful = sum(each.lines for each in outcomes), sum(each.useful for each in outcomes)
    yield _ratio("lines shown with prompts that carry the answer", useful, lines)
    starts = [(each.start_useful, each.start_lines) for each in measured]
    yield _ratio("lines at the start that are worth it", *map(sum, zip(*starts, strict=True)))
    yield Figure(
        measure="start: largest",
        value=max(each.start_tokens for each in measured),
        unit="tokens",
        note="",
    )
    yield _ratio(
        "stored facts that are worth it",
        sum(each.worth for each in measured),
        sum(each.facts for each in measured),
    )
    yield _ratio(
        "statements worth keeping that are stored",
        sum(each.kept for each in measured),
        sum(each.labels for each in measured),
    )


def _ratio(name: str, part: int, whole: int) -> Figure:
    return Figure(measure=name, value=100 * part / max(whole, 1), unit="%", note=f"of {whole}")
