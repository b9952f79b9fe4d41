"""Ranks the test files that a change may break, by four kinds of evidence.

A test file is reached by calls, has the name of a touched file, uses symbols of one, or was changed together with one in
git's history. The score is a weighted sum of these features; the weights were fitted by `benches/quality/impact.py` on commits
that changed code and tests. Ties are broken by path. O(symbols of the touched files + dependents + test files).
"""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import islice

from codecairn.core.graph_engine import GraphEngine
from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.graph import Definition
from codecairn.core.types.graph_analysis import LikelyTest, Reach
from codecairn.graph.co_changes import CoChange
from codecairn.graph.test_detection import is_in_tests, is_test, is_test_path

MIN_NAMED = 10
"""How many test files are named if there are as many: history alone adds files up to this number."""
_MAX_MODULE_SYMBOLS = 500

_AFFIXES = re.compile(
    r"^(?:tests?|spec)(?=_)|(?:^|[_.-])(?:tests?|specs?|suite)$|(?<=[a-z0-9])(?:Tests?|TestCase|Specs?|Suite|IT)$"
)
_ENTRY_FILES = frozenset(("init", "mod", "lib", "main", "index", "conftest", "test", "tests"))
"""Names that a language or a tool gives to the file that stands for its folder: `__init__.py`, `mod.rs`, `index.ts`,
`conftest.py`, Django's `tests.py`."""
_GENERIC_FOLDERS = frozenset(
    ("test", "tests", "testing", "__tests__", "spec", "specs", "src", "lib", "unit", "integration")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The features of a test file.

    Attributes:
        distance: How many calls the nearest test that reaches the change is away; 0 if none does.
        same_name: 1 for a touched file's name, less for a part of it.
        uses: How many of its symbols use a symbol of a touched file.
        nearness: The share of folders that it has in common with the nearest touched file.
        co_change: What history has to say, if anything.
    """

    distance: int = 0
    same_name: float = 0.0
    uses: int = 0
    nearness: float = 0.0
    co_change: CoChange | None = None

    @property
    def features(self) -> tuple[float, ...]:
        """The values that the weights apply to."""
        share = self.co_change.share if self.co_change else 0.0
        together = self.co_change.together if self.co_change else 0
        return (
            1 / self.distance if self.distance else 0.0,
            self.same_name,
            math.log1p(self.uses),
            self.nearness,
            share,
            math.log1p(together),
        )

    @property
    def score(self) -> float:
        """The weighted sum."""
        return sum(weight * value for weight, value in zip(WEIGHTS, self.features, strict=True))

    @property
    def labels(self) -> tuple[str, ...]:
        """The evidence in words."""
        found = ["reached"] if self.distance else []
        found += ["same name"] if self.same_name else []
        found += ["imports it"] if self.uses else []
        if self.co_change is not None:
            found.append(
                f"changed together in {self.co_change.together:,} of {self.co_change.commits:,} commits"
            )
        return tuple(found)


CODE_LABELS = frozenset(("reached", "same name", "imports it"))
"""The labels that rest on the code itself, not on its history."""

WEIGHTS = (0.3, 0.75, 0.2, 4.0, 3.0, 0.3)
"""Of the features, in their order."""


def likely_tests(
    engine: GraphEngine,
    reach: Reach,
    paths: Collection[str],
    history: Mapping[str, CoChange],
) -> tuple[LikelyTest, ...]:
    """The test files that may cover a change of `paths`, the likeliest first."""
    reaching = _reaching(reach)
    evidence = evidence_of(engine, reach, paths, history)
    order = sorted(evidence, key=lambda path: (-evidence[path].score, path))
    return tuple(
        LikelyTest(
            path=path,
            rank=rank,
            labels=evidence[path].labels,
            tests=tuple(symbol for symbol, _ in reaching.get(path, ())),
        )
        for rank, path in enumerate(order, start=1)
    )


def evidence_of(
    engine: GraphEngine,
    reach: Reach,
    paths: Collection[str],
    history: Mapping[str, CoChange],
) -> dict[str, Evidence]:
    """The evidence for each test file that has any label."""
    touched = sorted({path for path in paths if not is_test_path(path)})
    reaching = _reaching(reach)
    named = _same_names(engine, touched)
    uses = _module_uses(engine, touched, reach)
    others = reaching.keys() | named.keys() | uses.keys()
    alone = _by_history(engine, history, others)
    return {
        path: Evidence(
            distance=min((distance for _, distance in reaching.get(path, ())), default=0),
            same_name=named.get(path, 0.0),
            uses=uses.get(path, 0),
            nearness=max((_nearness(path, each) for each in touched), default=0.0),
            co_change=history.get(path),
        )
        for path in (*others, *alone)
    }


def _by_history(
    engine: GraphEngine, history: Mapping[str, CoChange], others: Collection[str]
) -> list[str]:
    """Test files that only history names, the largest share first, up to `MIN_NAMED` with the others."""
    known = set(engine.engine.paths())
    found = [path for path in history if path in known and is_test_path(path)]
    found = [path for path in found if path not in others]
    found.sort(key=lambda path: (-history[path].share, path))
    with_symbols = (path for path in found if engine.symbols_in(path))
    return list(islice(with_symbols, max(MIN_NAMED - len(others), 0)))


def _reaching(reach: Reach) -> Mapping[str, list[tuple[Definition, int]]]:
    """The tests that reach the change, by file, each with its distance; a touched test is at distance 1."""
    found: defaultdict[str, list[tuple[Definition, int]]] = defaultdict(list)
    for symbol in reach.touched:
        if is_test(symbol):
            found[symbol.path].append((symbol, 1))
    for each in reach.dependents:
        if is_test(each.definition):
            found[each.definition.path].append((each.definition, each.distance))
    return found


def _module_uses(engine: GraphEngine, touched: Sequence[str], reach: Reach) -> Mapping[str, int]:
    """How many symbols of each test file use a symbol of a touched file, and uses of touched symbols at its top."""
    found: defaultdict[str, int] = defaultdict(int)
    for use in reach.uses:
        if use.is_resolved and is_test_path(use.path):
            found[use.path] += 1
    known = set(engine.engine.paths())
    symbols = [
        symbol
        for path in touched
        if path in known
        for symbol in engine.symbols_in(path)
        if not is_in_tests(symbol)
    ]
    if symbols:
        users = engine.reached(symbols[:_MAX_MODULE_SYMBOLS], direction="callers", max_depth=1)
        for each in users:
            if is_test_path(each.definition.path):
                found[each.definition.path] += 1
    return found


def _same_names(engine: GraphEngine, touched: Sequence[str]) -> Mapping[str, float]:
    """The test files whose names are those of touched files: 1 for the same name, a half for a name that begins with it."""
    stems = {stem for stem in map(file_subject, touched) if stem}
    found = {}
    for path in engine.engine.paths():
        if is_test_path(path):
            stem = file_subject(path)
            if stem in stems:
                found[path] = 1.0
            elif stem and any(_extends(stem, each) or _extends(each, stem) for each in stems):
                found[path] = 0.5
    return found


def file_subject(path: str) -> str:
    """A file's name in lower case without what marks tests; that of its folder for an entry file."""
    *folders, name = path.split("/")
    stem = name.split(".", 1)[0] if not name.startswith(".") else ""
    if "." in name.removesuffix("." + name.rpartition(".")[2]):
        stem = name.rpartition(".")[0]
    stem = _plain(stem)
    while folders and (stem in _ENTRY_FILES or not stem):
        folder = folders.pop()
        if folder in _GENERIC_FOLDERS:
            return ""
        stem = _plain(folder)
    return stem


def _plain(stem: str) -> str:
    without = _AFFIXES.sub("", _AFFIXES.sub("", stem.strip("_"))).strip("_.-")
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", without)
    return re.sub(r"[^a-z0-9]+", "_", snake.lower()).strip("_")


def _extends(longer: str, shorter: str) -> bool:
    """Whether a name begins with all words of another, which is no mere letter or two."""
    return len(shorter) > 2 and longer.startswith(f"{shorter}_")


def _nearness(test: str, touched: str) -> float:
    """The share of the folders of both, without generic ones, that are the same from the start on."""
    one, other = _folders(test), _folders(touched)
    common = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        common += 1
    longest = max(len(one), len(other))
    return common / longest if longest else 1.0


def _folders(path: str) -> list[str]:
    return [folder for folder in path.split("/")[:-1] if folder not in _GENERIC_FOLDERS]
