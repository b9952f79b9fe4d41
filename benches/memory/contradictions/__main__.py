"""Measures how many contradictions are noticed when a fact is added, and how many pairs are mistaken for one.

    python -m benches.memory.contradictions [--split fit|judge] [--origin user|agent] [--show] [--out FILE]

A pair is noticed if adding its newer statement ends the older one or names it as one that it may contradict. `judge` is
looked at once a release, and never listed pair by pair.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benches.memory.contradictions.pairs import SPLITS, Pair, load
from benches.results import Figure, Results, default_folder
from codecairn import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A pair, and what the memory made of it."""

    pair: Pair
    is_noticed: bool
    unrelated: int
    """Statements of other pairs that the newer one is said to contradict."""


def judged(pairs: list[Pair], *, origin: str) -> Iterator[Judged]:
    """Add each newer statement to a memory of its older one, and to one of the older statements of all pairs."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CODECAIRN_HOME"] = str(Path(folder) / "home")
        root = Path(folder) / "all"
        with _opened(root) as workspace:
            for pair in pairs:
                workspace.memory.add(pair.older, origin=origin, type="decision")
            document = workspace.memory.export()
        for number, pair in enumerate(pairs):
            with _opened(Path(folder) / f"pair-{number}") as workspace:
                older = workspace.memory.add(pair.older, origin=origin)
                newer = workspace.memory.add(pair.newer, origin=origin)
                is_noticed = older.id in (*newer.ended, *newer.may_contradict)
                workspace.memory.import_(document)
                among = workspace.memory.add(pair.newer, origin=origin, type="decision")
                named = workspace.memory.get(*among.ended, *among.may_contradict)
                unrelated = sum(getattr(fact, "text", "") != pair.older for fact in named)
                yield Judged(pair=pair, is_noticed=is_noticed, unrelated=unrelated)


def _opened(root: Path) -> Workspace:
    root.mkdir()
    return Workspace.open(root, settings={"memory.path": str(root / "memory.db")})


def figures(found: list[Judged], *, subject: str) -> Iterator[Figure]:
    """The shares that were noticed: of contradictions, and of pairs that both hold."""
    english = [each for each in found if each.pair.language == "en"]
    others = [each for each in found if each.pair.language != "en"]
    parts = (("", found), (", English", english), (", other languages", others))
    for name, part in parts:
        for is_contradiction, measure in ((True, "noticed"), (False, "false alarms")):
            counted = [each for each in part if each.pair.is_contradiction == is_contradiction]
            yield _share(f"{subject}: {measure}{name}", counted)
    for shape in sorted({each.pair.shape for each in found}):
        counted = [each for each in found if each.pair.shape == shape]
        measure = "noticed" if counted[0].pair.is_contradiction else "false alarms"
        yield _share(f"{subject}: {measure}, {shape}", counted)
    unrelated = sum(each.unrelated for each in found)
    note = f"by {len(found)} statements, of all pairs' older ones"
    yield Figure(measure=f"{subject}: unrelated facts named", value=unrelated, note=note)


def _share(measure: str, counted: list[Judged]) -> Figure:
    noticed = sum(each.is_noticed for each in counted)
    return Figure(
        measure=measure, value=noticed / max(len(counted), 1), note=f"{noticed} of {len(counted)}"
    )


def main() -> None:
    """Judge the pairs of one part."""
    options = _options()
    if options.show and options.split == "judge":
        raise SystemExit("pairs to judge with are not listed")
    found = list(judged(load(options.split), origin=options.origin))
    results = Results(f"Contradictions, {options.split}, said by: {options.origin}")
    results.add(figures(found, subject="contradictions"))
    if options.show:
        for each in found:
            if each.is_noticed != each.pair.is_contradiction or each.unrelated:
                pair = each.pair
                print(f"{pair.shape:<10} {each.unrelated} {pair.older} → {pair.newer}")
    file = f"contradictions-{options.split}-{options.origin}.json"
    results.write(options.out or default_folder() / file)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.memory.contradictions")
    parser.add_argument("--split", choices=SPLITS, default="fit")
    parser.add_argument("--origin", choices=("user", "agent"), default="user")
    parser.add_argument("--show", action="store_true", help="list the pairs that are misjudged")
    parser.add_argument("--out", type=Path, help="write the figures here")
    return parser.parse_args()


if __name__ == "__main__":
    main()
