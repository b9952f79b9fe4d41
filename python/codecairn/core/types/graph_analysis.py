"""Results about the graph as a whole, and the impact of a change."""

from codecairn.core.light_dataclass import dataclass
from codecairn.core.types.graph import Definition, Reached, Use


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """A symbol that many use.

    Attributes:
        definition: What it is.
        users: How many symbols use it.
        used: How many symbols it uses.
        importance: How important by who uses it; the sum over all symbols is 1.
    """

    definition: Definition
    users: int
    used: int
    importance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """Symbols that use one another more than others.

    Attributes:
        number: Its place, the largest first, from 0.
        label: Where most of it lies, and its most important symbol.
        size: How many symbols it has, those of tests included.
        tests: How many of them belong to tests.
        members: The most important symbols outside of tests; of tests alone if there are no others.
        hubs: Those that at least `hub_threshold` symbols use.
    """

    number: int
    label: str
    size: int
    tests: int
    members: tuple[Definition, ...]
    hubs: tuple[Hub, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coupling:
    """How often symbols of one community use those of another."""

    source: int
    target: int
    uses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Communities:
    """The communities of a branch, the largest first.

    Attributes:
        symbols: How many symbols there are.
        total: How many communities, those below the least size included.
        communities: Those shown.
        couplings: Between those shown, the strongest first.
        couplings_left_out: How many the limit cut off.
    """

    symbols: int
    total: int
    communities: tuple[Community, ...]
    couplings: tuple[Coupling, ...]
    couplings_left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycles:
    """Groups of symbols that use one another in a circle, the largest first."""

    total: int
    groups: tuple[tuple[Definition, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hubs:
    """The most important symbols, the first first; those of tests last."""

    symbols: int
    hubs: tuple[Hub, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused:
    """A symbol that nothing is known to use.

    Attributes:
        definition: What it is.
        certainty: "high" if its name occurs nowhere else and its language keeps it from being used from outside;
            "medium" if its name occurs nowhere else, but others may use it from outside, or by reflection; "low" if its
            name occurs in a comment.
        reason: The same in words.
    """

    definition: Definition
    certainty: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedSymbols:
    """Symbols that nothing is known to use.

    Attributes:
        found: Them, by path and line.
        considered: How many symbols no resolved use leads to and no rule keeps.
        examined: How many of those were looked at before the limit was reached.
        kept: How many were passed over, by why: tests, entry points, overrides and the like.
    """

    found: tuple[Unused, ...]
    considered: int
    examined: int
    kept: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Another branch that touches the same.

    Attributes:
        branch: Its name.
        files: Files that both touch.
        symbols: Symbols that both touch.
    """

    branch: str
    files: tuple[str, ...]
    symbols: tuple[Definition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchedCommunity:
    """A community that a change touches: its label, and how many of its symbols are touched or depend on what is."""

    label: str
    symbols: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelyTest:
    """A test file that may cover a change.

    Attributes:
        path: The file.
        rank: Its rank, from 1 for the likeliest.
        labels: Why: "reached", "same name", "imports it", "changed together in 7 of 20 commits".
        tests: Its tests that reach the change.
    """

    path: str
    rank: int
    labels: tuple[str, ...]
    tests: tuple[Definition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The reach of a change before its risk is assessed.

    Attributes:
        touched: Symbols that it touches, by path and line.
        missing: Files that the index does not have.
        dependents: What depends on the touched symbols, with the distance, nearest first.
        uses: Their uses at the top of files, and candidates.
        unresolved: The first uses of their names that could not be resolved, and, of symbols without a known use, the
            likeliest places where their names stand.
        unresolved_count: How many such places there are; from 10,000 on, at least so many.
        hubs: Touched symbols that many use, the most important first.
        communities: Communities reached, the most symbols first.
    """

    touched: tuple[Definition, ...]
    missing: tuple[str, ...]
    dependents: tuple[Reached, ...]
    uses: tuple[Use, ...]
    unresolved: tuple[Use, ...]
    unresolved_count: int
    hubs: tuple[Hub, ...]
    communities: tuple[TouchedCommunity, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What a change reaches.

    Attributes:
        subject: What was asked about, in words.
        compared: What was compared with what, in words; empty where nothing was.
        index: Which index was used, and how lines were brought to it, in words.
        files: Files that the change touches.
        not_indexed: Those of them that the index does not have: new, gone, or left out.
        touched: Symbols that it touches.
        dependents: What depends on them, with the distance, nearest first.
        top_level: Uses of the touched symbols at the top of files, where no symbol is.
        possible: Candidates: uses that may mean a touched symbol, and few others.
        unresolved: The first places of the touched symbols' names that could not be resolved or may mean many symbols: as for
            `Reach`.
        unresolved_count: How many such places there are; from 10,000 on, at least so many.
        into_tests: How many uses outside of tests would be candidates for symbols of tests, and are not shown.
        tests: Tests that reach the change.
        test_files: Test files that may cover it, by rank, each with its labels.
        communities: Communities touched, the most symbols first.
        hubs: Touched symbols that many use.
        risk: "LOW", "MEDIUM" or "HIGH".
        reasons: Why.
        conflicts: Other branches that touch the same.
        notes: What else to know.
    """

    subject: str
    compared: str
    index: str
    files: tuple[str, ...]
    not_indexed: tuple[str, ...]
    touched: tuple[Definition, ...]
    dependents: tuple[Reached, ...]
    top_level: tuple[Use, ...]
    possible: tuple[Use, ...]
    unresolved: tuple[Use, ...]
    unresolved_count: int
    into_tests: int
    tests: tuple[Definition, ...]
    test_files: tuple[LikelyTest, ...]
    communities: tuple[TouchedCommunity, ...]
    hubs: tuple[Hub, ...]
    risk: str
    reasons: tuple[str, ...]
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
