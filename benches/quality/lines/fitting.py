"""Fits the model that chooses the spans of an answer (`native/crates/search/weights/spans.json`).

`network.py` has the model and its loss. Each question counts by one over the root of how many its repository has.

The answers to descriptions are functions by construction, so the flags of kinds and `defines` are hidden from them. An
identifier alone asks for its definition: what `defines` adds there is set by hand. So is what a test inside a file of code
loses: it has all the words of what it tests, and the questions are not about tests.

How often an excerpt has what its place is needed for is counted on the same questions, by form, by how much of the query
the best lines of its most probable chunk have and by its lines, as a mean over the sets: a needed line, and all of the
definition around it.
"""

import gc
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benches.quality.lines.checkouts import texts
from benches.quality.lines.complete import wholes
from benches.quality.lines.listing import Repository
from benches.quality.lines.network import Matrix, Network, Pool
from benches.quality.lines.questions import Question, Set, Target
from benches.quality.lines.systems import Codecairn
from benches.quality.lines.walking import walk
from codecairn.core.requests import SearchRequest
from codecairn.core.types.hits import Hit, Span

WEIGHTS = Path("native/crates/search/weights/spans.json")
SYMBOL_DEFINES = 30.0
TEST = -3.0
FORMS = 4
"""Forms of excerpts that leave something out: four sizes of windows."""
SIZE_CLASSES = 8
"""Places by their lines, as powers of two."""
MATCH_CLASSES = 5
"""Places by the share of the query that their best lines have, as powers of two; below a sixteenth is the first."""
FILES, BEST_CHUNKS = 10, 10
"""An answer considers the chunks of so many files, and of the files of so many chunks that match best by themselves."""
_MIN_PLACES = 5
_EVERYTHING = 10**9

Parts = Sequence[tuple[int, int]]
Class = tuple[int, int]
Counts = dict[tuple[Set, int, Class], tuple[int, int]]


@dataclass(slots=True, kw_only=True)
class Material:
    """What is fitted on.

    Attributes:
        names: Of the features.
        pools: One for each question whose answer is in one of the files found.
        shown: By set, form, and classes of match and size: needed places whose excerpt shows a needed line, and all of them.
        complete: The same for all of the definition around it.
    """

    names: list[str] = field(default_factory=list)
    pools: list[Pool] = field(default_factory=list)
    shown: Counts = field(default_factory=dict)
    complete: Counts = field(default_factory=dict)

    def add(self, other: "Material") -> None:
        """Take in what another repository has."""
        self.names = self.names or other.names
        self.pools += other.pools
        for own, found in ((self.shown, other.shown), (self.complete, other.complete)):
            for key, (shown, places) in found.items():
                before = own.get(key, (0, 0))
                own[key] = (before[0] + shown, before[1] + places)


def gather(
    data: Path, repositories: Iterable[Repository], sets: Sequence[Set]
) -> Iterator[tuple[Repository, Material]]:
    """What each repository has, asked in parallel."""
    listed = list(repositories)
    # An answer with everything in it is some 100,000 objects without a cycle.
    with ProcessPoolExecutor(initializer=gc.disable) as processes:
        yield from zip(
            listed, processes.map(partial(material, data, sets=sets), listed), strict=True
        )


def material(data: Path, repository: Repository, sets: Sequence[Set]) -> Material:
    """What one repository has."""
    names: list[str] = []
    found: list[tuple[Matrix, NDArray[np.bool_]]] = []
    shown: defaultdict[tuple[Set, int, Class], tuple[int, int]] = defaultdict(lambda: (0, 0))
    complete: defaultdict[tuple[Set, int, Class], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for which in sets:
        for question, hits, files in _asked(data, repository, which):
            whole = wholes(question.targets, files)
            spans = [(hit, span) for hit in considered(hits) for span in hit.spans]
            needed = np.array(
                [
                    shows(hit.path, [(span.start_line, span.end_line)], question.targets)
                    for hit, span in spans
                ]
            )
            if not needed.any():
                continue
            names = [each.feature for each in spans[0][1].contributions]
            rows = np.array(
                [[each.value for each in span.contributions] for _, span in spans], np.float32
            )
            if which == "descriptions":
                rows[:, [_is_hidden(name) for name in names]] = 0.0
            found.append((rows, needed))
            for at in np.flatnonzero(needed):
                hit, span = spans[at]
                matched = _value(span, "best_eight_lines")
                size = span.end_line - span.start_line + 1
                of_place = (match_class(matched), size_class(size))
                for form, parts in enumerate(span.ways[:FORMS]):
                    if parts:
                        for counts, targets in ((shown, question.targets), (complete, whole)):
                            with_it, places = counts[which, form, of_place]
                            has_it = shows(hit.path, parts, targets)
                            counts[which, form, of_place] = (with_it + has_it, places + 1)
    weight = 1.0 / np.sqrt(max(len(found), 1))
    pools = [Pool(features=rows, is_needed=needed, weight=weight) for rows, needed in found]
    return Material(names=names, pools=pools, shown=dict(shown), complete=dict(complete))


def considered(hits: Sequence[Hit]) -> list[Hit]:
    """The hits whose chunks an answer of `FILES` results chooses from."""
    bodies = sorted(
        (_value(span, "body_of_best") for hit in hits for span in hit.spans), reverse=True
    )
    least = bodies[:BEST_CHUNKS][-1] if bodies else 0.0
    return [
        hit
        for hit in hits
        if hit.spans
        and (
            _value(hit.spans[0], "file_rank") * (FILES + 0.5) > 1
            or max(_value(span, "body_of_best") for span in hit.spans) >= least
        )
    ]


def rates(counts: Counts) -> list[list[list[float]]]:
    """By form, class of match and class of size, how often an excerpt shows what is needed.

    A mean over the sets with enough places of the class; where there is none, as places of the size before.
    """

    def row(form: int, matched: int) -> list[float]:
        found: list[float] = []
        for size in range(SIZE_CLASSES):
            shares = [
                shown / places
                for (_, of_form, of_place), (shown, places) in counts.items()
                if (of_form, of_place) == (form, (matched, size)) and places >= _MIN_PLACES
            ]
            before = found[-1] if found else 1.0
            found.append(round(float(np.mean(shares)), 3) if shares else before)
        return found

    return [[row(form, matched) for matched in range(MATCH_CLASSES)] for form in range(FORMS)]


def match_class(share: float) -> int:
    """The power of two of a sixteenth that a share reaches, at most the last class; 0 below a sixteenth."""
    return min(int(share * 16).bit_length(), MATCH_CLASSES - 1)


def size_class(lines: int) -> int:
    """The power of two that a chunk's lines reach, at most the last class."""
    return min(lines.bit_length() - 1, SIZE_CLASSES - 1)


def shows(path: str, parts: Parts, targets: Sequence[Target]) -> bool:
    """Whether some lines of a file show one of the targets by themselves."""
    lines = [line for first, last in parts for line in range(first, last + 1)]
    return any(
        target.path == path and sum(map(target.covers, lines)) >= target.at_least
        for target in targets
    )


def write(file: Path, names: Sequence[str], network: Network, everything: Material) -> None:
    """Write the weights as the core reads them."""
    document = {
        "features": list(names),
        "linear": _rounded(network.linear),
        "hidden": [_rounded(unit) for unit in network.hidden.T],
        "biases": _rounded(network.biases),
        "output": _rounded(network.output),
        "symbol_defines": SYMBOL_DEFINES,
        "test": TEST,
    }
    _save(file, document | _rates(everything))


def write_rates(file: Path, everything: Material) -> None:
    """Write how often excerpts have what is needed, beside the network that is there."""
    _save(file, json.loads(file.read_text(encoding="utf-8")) | _rates(everything))


def _rates(everything: Material) -> dict[str, object]:
    return {"shown": rates(everything.shown), "complete": rates(everything.complete)}


def _save(file: Path, document: dict[str, object]) -> None:
    lines = ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in document.items())
    file.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def _asked(
    data: Path, repository: Repository, which: Set
) -> Iterator[tuple[Question, tuple[Hit, ...], dict[str, str]]]:
    files: dict[str, str] = {}
    for step in walk(data, repository, which, Codecairn):
        files = texts(step.tree) if step.has_moved else files
        request = SearchRequest(
            step.question.query,
            limit=2 * FILES,
            token_budget=_EVERYTHING,
            explain=True,
            refresh=False,
        )
        yield step.question, step.system.workspace.search(request).hits, files


def _value(span: Span, feature: str) -> float:
    return next(each.value for each in span.contributions if each.feature == feature)


def _rounded(weights: Matrix) -> list[float]:
    return [round(float(weight), 3) for weight in weights]


def _is_hidden(name: str) -> bool:
    return name == "defines" or (name.startswith("is_") and name != "is_test")
