"""Writes the tables of `docs/explanation/comparisons.md` and the public sets of the README from the newest runs in `benches/runs`.

    python -m benches.leaderboard [--check]

A system appears by its figures: `quality, NAME: NDCG@10` and its companions for files, `NAME, judge, SET: need <= 1000` for lines,
`memory: BENCH, held out: …` for the memory. Of a figure that several runs have, the newest counts.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from benches.pages import rewrite, table
from benches.public.tables import (
    BOARD,
    CONTEXT,
    CONVERSATIONS,
    ISSUES,
    Found,
    Set,
    by_measure,
    by_system,
    for_readme,
    used,
)
from benches.results import RUNS

README = Path(__file__).parents[1] / "README.md"
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "comparisons.md"
_RUN_URL = "https://github.com/codecairn/codecairn/blob/main/benches/runs"

_FILE_MEASURES = ("NDCG@10", "recall@10", "MRR", "hit@1", "architecture", "semantic", "symbol")
_CROSS = "quality, cross-validated NDCG@10: "
_CROSS_VALIDATED = {
    "all": "all queries",
    "leak-free": "leak-free: no word of the query begins a word of the answer's path, or the reverse",
    "whole checkout": "whole checkouts, with tests and documents",
}
_LINE_SETS = {
    "descriptions": "functions by what they do",
    "commits": "commits by their message",
    "messages": "pasted messages",
    "by_hand": "by hand",
    "paraphrased": "in other words than the code",
}
_DEV_MEM = ("Hit@1", "Recall@5", "MRR", "answer in the block", "false injections")
_LOCOMO = ("", "single-hop", "multi-hop", "temporal", "open-domain")
_SESSIONS = "Later sessions of invented projects, judge"
_SESSION_MEASURES = {
    "answerable: answer shown": "a later session is shown the answer that it needs",
    "near: anything shown": "something is shown for a prompt that is near a fact but not answered by it",
    "none: anything shown": "something is shown for a prompt that nothing answers",
}
_READERS = {"": "rules read the sessions", ", read by a model": "a model reads the sessions"}


def main() -> None:
    """Rewrite the page, or check it."""
    pages = {PAGE: parts(), README: readme_parts()}
    rewrite(pages, prog="python -m benches.leaderboard", description=__doc__)


def parts(runs: Path = RUNS) -> dict[str, str]:
    """The generated parts of the page, by name."""
    figures = newest(runs)
    return {
        "issues": _public(by_system, ISSUES, figures),
        "context": _public(by_measure, CONTEXT, figures),
        "board": _public(by_system, BOARD, figures),
        "conversations": _public(by_measure, CONVERSATIONS, figures),
        "files": _files(figures),
        "leak-free": _leak_free(figures),
        "lines": _lines(figures),
        "memory": _memory(figures),
    }


def readme_parts(runs: Path = RUNS) -> dict[str, str]:
    """The generated parts of the README, by name."""
    return {"public sets": for_readme(newest(runs))}


def newest(runs: Path) -> dict[str, Found]:
    """The newest value of each measure, by its name and by `TITLE: NAME` with its document's title.

    Runs of one folder come in the order of their files.
    """
    found = {}
    for file in sorted(runs.glob("*/*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        for figure in document["figures"]:
            value = Found(
                value=figure["value"],
                low=figure.get("min"),
                high=figure.get("max"),
                unit=figure.get("unit", ""),
                note=figure.get("note", ""),
                file=f"{file.parent.name}/{file.name}",
            )
            found[figure["measure"]] = found[f"{document['title']}: {figure['measure']}"] = value
    return found


def _public(
    layout: Callable[[Sequence[Set], Mapping[str, Found]], Iterable[str]],
    sets: Sequence[Set],
    figures: Mapping[str, Found],
) -> str:
    return "\n\n".join([*layout(sets, figures), _sources(used(sets, figures))])


def _files(figures: Mapping[str, Found]) -> str:
    systems = _systems(figures, r"quality, ([^,:]+): NDCG@10")
    ranked = sorted(systems, key=lambda name: -figures[f"quality, {name}: NDCG@10"].value)
    rows = [
        [f"`{name}`", *(_cell(figures, f"quality, {name}: {each}", 3) for each in _FILE_MEASURES)]
        for name in ranked
    ]
    used = [figures[f"quality, {name}: NDCG@10"] for name in ranked]
    return f"{table(['system', *_FILE_MEASURES], rows)}\n\n{_sources(used)}"


def _leak_free(figures: Mapping[str, Found]) -> str:
    names = [name for name in _CROSS_VALIDATED if f"{_CROSS}{name}" in figures]
    rows = [[_CROSS_VALIDATED[name], _cell(figures, f"{_CROSS}{name}", 3)] for name in names]
    used = [figures[f"{_CROSS}{name}"] for name in names]
    return f"{table(['queries', 'NDCG@10 of `codecairn`'], rows)}\n\n{_sources(used)}"


def _lines(figures: Mapping[str, Found]) -> str:
    systems = _systems(figures, r"([^,:]+), judge, \w+: need <= 1000")
    first = f"{{}}, judge, {next(iter(_LINE_SETS))}: need <= 1000"
    ranked = sorted(systems, key=lambda name: -_value(figures, first.format(name)))
    measures = [f"{{}}, judge, {each}: need <= 1000" for each in _LINE_SETS]
    rows = [
        [f"`{name}`", *(_cell(figures, each.format(name), 2, "%") for each in measures)]
        for name in ranked
    ]
    asked = [_note(figures, each.format("codecairn")) for each in measures]
    columns = [
        "system",
        *(f"{text} ({n})" for text, n in zip(_LINE_SETS.values(), asked, strict=True)),
    ]
    used = [
        figures[each.format(name)]
        for name in ranked
        for each in measures
        if each.format(name) in figures
    ]
    return f"{table(columns, rows)}\n\n{_sources(used)}"


def _memory(figures: Mapping[str, Found]) -> str:
    measures = {
        f"memory: DevMemBench, held out: {each}": f"DevMemBench, {each}" for each in _DEV_MEM
    }
    for kind in _LOCOMO:
        name = f", {kind}" if kind else ""
        measures[f"memory: LoCoMo recall@10, held out{name}"] = f"LoCoMo, recall@10{name}"
    for reader, read in _READERS.items():
        for name, text in _SESSION_MEASURES.items():
            measures[f"{_SESSIONS}{reader}: {name}"] = f"later sessions, {read}: {text}"
    known = {name: text for name, text in measures.items() if name in figures}
    rows = [
        [text, f"{figures[name].value:.3g} {figures[name].unit}".strip(), figures[name].note]
        for name, text in known.items()
    ]
    columns = ["bench and measure", "`codecairn`", "of"]
    return f"{table(columns, rows)}\n\n{_sources(figures[name] for name in known)}"


def _systems(figures: Mapping[str, Found], form: str) -> list[str]:
    found = (re.fullmatch(form, measure) for measure in figures)
    return list(dict.fromkeys(match[1] for match in found if match))


def _cell(figures: Mapping[str, Found], measure: str, digits: int, unit: str = "") -> str:
    if measure not in figures:
        return "not asked"
    return f"{figures[measure].value:.{digits}g} {unit}".strip()


def _value(figures: Mapping[str, Found], measure: str) -> float:
    return figures[measure].value if measure in figures else 0.0


def _note(figures: Mapping[str, Found], measure: str) -> str:
    return figures[measure].note if measure in figures else "not asked"


def _sources(shown: Iterable[Found]) -> str:
    files = list(dict.fromkeys(each.file for each in shown))
    return "From " + ", ".join(f"[{file}]({_RUN_URL}/{file})" for file in files) + "."


if __name__ == "__main__":
    main()
