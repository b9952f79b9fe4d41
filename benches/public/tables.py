"""Tables of public sets for `docs/explanation/comparisons.md` and the README: *judge*, with the interval of each value.

A figure is named `SET, judge, SYSTEM: MEASURE` by the command of its set; a board that is not divided has no part.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benches.pages import table

NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The newest value of a measure, and the document it is from, as `RUN/FILE`."""

    value: float
    low: float | None
    high: float | None
    unit: str
    note: str
    file: str


Figures = Mapping[str, Found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """A public set in a table.

    Attributes:
        name: As its figures are named.
        title: As people know it.
        measures: Its measures, by their names in figures, with the texts of their cells.
        part: Stands before the system in the name of a figure.
    """

    name: str
    title: str
    measures: Mapping[str, str]
    part: str = ", judge, "

    def measure(self, system: str, measure: str) -> str:
        """The name of a figure."""
        return f"{self.name}{self.part}{system}: {measure}"

    def systems(self, figures: Figures) -> list[str]:
        """All systems that were asked, in the order of the names; ours comes first."""
        form = re.compile(rf"{re.escape(self.name + self.part)}([^:]+): (.+)")
        found = filter(None, map(form.fullmatch, figures))
        names = {match[1] for match in found if match[2] in self.measures}
        return sorted(names, key=lambda name: (name != "codecairn", name))

    def used(self, figures: Figures) -> list[Found]:
        """The figures that its table shows."""
        names = (
            self.measure(system, each) for system in self.systems(figures) for each in self.measures
        )
        return [figures[name] for name in names if name in figures]


_FILES = {"file Acc@1": "first file", "file Acc@3": "in 3", "file Acc@5": "in 5"}
_AFTER = {
    "line within 1,000 tokens": "changed line in 1,000 tokens",
    "agent: steps": "steps of the agent",
    "agent: tokens": "its tokens",
}
_FUNCTION = {"function Acc@5": "function in 5"}

ISSUES = (
    Set(name="verified", title="SWE-bench Verified", measures={**_FILES, **_FUNCTION, **_AFTER}),
    Set(name="lite", title="SWE-bench Lite", measures={**_FILES, **_FUNCTION, **_AFTER}),
    Set(name="multi", title="SWE-bench Multilingual", measures={**_FILES, **_AFTER}),
    Set(name="locbench", title="Loc-Bench", measures={**_FILES, **_FUNCTION, **_AFTER}),
)

_MARKED = {
    f"{source}: {what} F1": f"{what}s, {text}"
    for source, text in (
        ("1,000 tokens", "1,000 tokens"),
        ("4,000 tokens", "4,000 tokens"),
        ("agent", "all that the agent read"),
    )
    for what in ("file", "block", "line")
}
CONTEXT = (Set(name="contextbench", title="ContextBench", measures=_MARKED),)

_CLASSES = ("definitions", "references", "file dependencies", "dead code", "all classes")
BOARD = (
    Set(
        name="sverklo's board: definitions, references, dependencies, dead code",
        title="sverklo's board",
        part=": ",
        measures={
            **{f"{each}: F1": each for each in _CLASSES},
            "all classes: F1 where the truth holds": "all, where the truth holds",
            "all classes: tokens": "tokens of a task",
        },
    ),
)

_SHOWN = {
    "recall@10": "recall@10",
    "turns shown, 120 tokens": "needed turns shown in 120 tokens",
    "turns shown, 600 tokens": "needed turns shown in 600 tokens",
    "statements shown, 120 tokens": "statements of the answer shown in 120 tokens",
    "statements shown, 600 tokens": "statements of the answer shown in 600 tokens",
    "something shown, 600 tokens": "questions with something shown in 600 tokens",
}
_BEAM = {
    **_SHOWN,
    "recall@10, contradiction resolution": "recall@10 of contradictions",
    "both statements@10": "both sides of a contradiction among ten",
    "both statements shown, 600 tokens": "both sides of a contradiction shown in 600 tokens",
    "new before old@10": "an update's new value before its old one",
    "recall@10, event ordering": "recall@10 of the order of events",
    "declined, of those without": "declined, of questions without an answer",
    "answered, of those with an answer": "answered, of the others",
    "abstention": "abstention: the mean of these two",
}
_DEVELOPMENT = {
    "Hit@1": "Hit@1",
    "Recall@5": "recall@5",
    "answer shown, 120 tokens": "answer shown in 120 tokens",
    "answer shown, 600 tokens": "answer shown in 600 tokens",
    "something shown, 600 tokens": "questions with something shown in 600 tokens",
    "something shown without an answer, 600 tokens": "something shown though nothing answers",
    "abstention": "abstention",
}
CONVERSATIONS = (
    Set(name="DevMemBench", title="DevMemBench", measures=_DEVELOPMENT),
    Set(name="BEAM 128K", title="BEAM, 128K tokens", measures=_BEAM),
    Set(name="BEAM 500K", title="BEAM, 500K tokens", measures=_BEAM),
    Set(name="LoCoMo", title="LoCoMo", measures=_SHOWN),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the README: one measure of codecairn, and of one other system in the same run.

    Attributes:
        text: The set and the measure.
        figure: The name of the figure, with `{}` for the system.
        peer: The other system.
        command: What is run after `python -m benches.public.`.
    """

    text: str
    figure: str
    peer: str
    command: str


README = (
    Row(
        text="SWE-bench Verified: all files of the fix are the first",
        figure="verified, judge, {}: file Acc@1",
        peer="bm25-files",
        command="swebench",
    ),
    Row(
        text="the same among the first five",
        figure="verified, judge, {}: file Acc@5",
        peer="bm25-files",
        command="swebench",
    ),
    Row(
        text="SWE-bench Multilingual: all files of the fix are the first",
        figure="multi, judge, {}: file Acc@1",
        peer="bm25-files",
        command="swebench",
    ),
    Row(
        text="Loc-Bench: all files of the fix are the first",
        figure="locbench, judge, {}: file Acc@1",
        peer="bm25-files",
        command="swebench",
    ),
    Row(
        text="SWE-bench Multilingual: steps of the scripted agent",
        figure="multi, judge, {}: agent: steps",
        peer="grep alone",
        command="swebench",
    ),
    Row(
        text="ContextBench: F1 of lines in 4,000 tokens",
        figure="contextbench, judge, {}: 4,000 tokens: line F1",
        peer="bm25-windows",
        command="contextbench",
    ),
    Row(
        text="sverklo's board: F1 of all classes",
        figure="sverklo's board: definitions, references, dependencies, dead code: {}: all classes: F1",
        peer="sverklo",
        command="sverklo",
    ),
    Row(
        text="LoCoMo: recall@10",
        figure="LoCoMo, judge, {}: recall@10",
        peer="BM25 of turns",
        command="locomo",
    ),
    Row(
        text="LoCoMo: needed turns shown in 600 tokens",
        figure="LoCoMo, judge, {}: turns shown, 600 tokens",
        peer="BM25 of turns",
        command="locomo",
    ),
    Row(
        text="BEAM, 500K tokens: recall@10",
        figure="BEAM 500K, judge, {}: recall@10",
        peer="BM25 of turns",
        command="beam",
    ),
)


def for_readme(figures: Figures, rows: Sequence[Row] = README) -> str:
    """The table of the README."""
    cells = [
        [
            row.text,
            cell(figures, row.figure.format("codecairn")),
            f"{row.peer}: {cell(figures, row.figure.format(row.peer))}",
            f"`{row.command}`",
        ]
        for row in rows
        if row.figure.format("codecairn") in figures
    ]
    return table(["public set, judge half", "codecairn", "beside", "by"], cells)


def by_system(sets: Sequence[Set], figures: Figures) -> Iterator[str]:
    """A table for each set with figures: a row for each system, a column for each measure."""
    for each in sets:
        systems = each.systems(figures)
        if systems:
            rows = [
                [f"`{name}`", *(cell(figures, each.measure(name, key)) for key in each.measures)]
                for name in systems
            ]
            asked = _count(each, figures)
            yield f"{each.title} ({asked}):\n\n" + table(["system", *each.measures.values()], rows)


def by_measure(sets: Sequence[Set], figures: Figures) -> Iterator[str]:
    """A table for each set with figures: a row for each measure, a column for each system."""
    for each in sets:
        systems = each.systems(figures)
        rows = [
            [text, *(cell(figures, each.measure(name, key)) for name in systems)]
            for key, text in each.measures.items()
            if any(each.measure(name, key) in figures for name in systems)
        ]
        if rows:
            columns = ["measure", *(f"`{name}`" for name in systems)]
            yield f"{each.title} ({_count(each, figures)}):\n\n" + table(columns, rows)


def used(sets: Iterable[Set], figures: Figures) -> list[Found]:
    """All figures that the tables of some sets show."""
    return [found for each in sets for found in each.used(figures)]


def cell(figures: Figures, measure: str) -> str:
    """A value with its interval, as in `43 % [20, 52]`."""
    if measure not in figures:
        return NOT_ASKED
    found = figures[measure]
    value = f"{_number(found.value)} {found.unit}".strip()
    if found.low is None or found.high is None:
        return value
    return f"{value} [{_number(found.low)}, {_number(found.high)}]"


def _number(value: float) -> str:
    """Whole above 100, else three digits at most."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _count(each: Set, figures: Figures) -> str:
    """How many were asked: the note of the first measure of the first system."""
    notes = (found.note for found in each.used(figures) if found.note)
    return next(notes, "number unknown")
